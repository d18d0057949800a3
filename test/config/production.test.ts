/** docs/production.md: its sizes and calls are what its own formulas give, its methods are those of the code, its presets those of the settings. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { chainSettings } from "../../src/config/chainSettings.ts"
import { profiles } from "../../src/config/profiles.ts"
import { serviceSettings } from "../../src/config/settings.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (path: string): string => readFileSync(`${root}${path}`, "utf8")
const page = read("docs/production.md")

/** Cells of the rows of a table, without its head. */
const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .slice(1)
const tableAfter = (mark: string) =>
  rowsOf(page.slice(page.indexOf(mark), page.indexOf("<!-- end -->", page.indexOf(mark))))
const sectionOf = (heading: string): string => {
  const [, rest = ""] = page.split(`${heading}\n`)
  return rest.split(/^##/m)[0]!
}
const numberOf = (cell: string | undefined): number => Number((cell ?? "").replaceAll(",", ""))
const rounded = (value: number, decimals = 0): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })

test("sizes are what the formulas give for each chain's rows and blocks", () => {
  const chains = tableAfter("<!-- sizes:")
  expect(chains).toHaveLength(8)
  for (const [chain, rows, blocks, ...told] of chains) {
    const [millions, withLogs] = [numberOf(rows), numberOf(blocks)]
    const calls = withLogs * 1.02 + millions / 2000
    const computed = [
      rounded((millions * 440) / 1e6, 1),
      rounded((millions * 600) / 1e6, 1),
      rounded((millions * 1.2) / 1e3 + 2),
      rounded((millions * 1e6) / 20_000 / 3600),
      rounded(calls),
      rounded((calls * 1e6) / 100 / 3600),
    ]
    expect([chain, ...told]).toEqual([chain!, ...computed])
  }
})

describe("calls a day", () => {
  const perDay = (blockSeconds: number, pollMs: number, auditSeconds: number): number => {
    // Below 2.5 seconds a block ten seconds show four: then looks follow the blocks (domain/ingest/status/pace.ts).
    const lookSeconds = blockSeconds < 2.5 ? Math.min(pollMs / 1000, 1.5 * blockSeconds) : pollMs / 1000
    const [looks, blocks] = [86_400 / lookSeconds, 86_400 / blockSeconds]
    return Math.max(looks, blocks) + 2 * blocks + 1440 + 33 * (86_400 / auditSeconds)
  }
  const { POLL_MS, AUDIT_SECONDS } = profiles.frugal.chain
  test("are what the formula gives for the defaults and for the preset", () => {
    const chains = tableAfter("<!-- calls:")
    expect(chains).toHaveLength(7)
    for (const [chain, seconds, usual, frugal] of chains) {
      const computed = [
        perDay(Number(seconds), Number(chainSettings.POLL_MS.default), Number(chainSettings.AUDIT_SECONDS.default)),
        perDay(Number(seconds), Number(POLL_MS), Number(AUDIT_SECONDS)),
      ]
      const told = [numberOf(usual), numberOf(frugal)]
      expect([chain, ...computed.map((calls) => Math.round(calls / 1000) * 1000)]).toEqual([chain!, ...told])
    }
  })
})

test("the preset's table is the preset", () => {
  const told = rowsOf(sectionOf("### PROFILE=frugal")).filter(([name]) => name?.startsWith("`"))
  const { service, chain } = profiles.frugal
  const wanted = [
    ...Object.entries(chain).map(([name, value]) => [
      `\`${name}_<id>\``,
      chainSettings[name as keyof typeof chain].default,
      value,
    ]),
    ...Object.entries(service).map(([name, value]) => [
      `\`${name}\``,
      serviceSettings[name as keyof typeof service].default,
      value,
    ]),
  ]
  expect(told.map((cells) => cells.slice(0, 3)).sort()).toEqual(wanted.sort())
})

describe("the table of methods", () => {
  const pattern = /\b(?:eth|debug|trace|net|web3|txpool|erigon|ots|arb)_[a-zA-Z]+/g
  const table = sectionOf("## What it asks of nodes")
  const documented = new Set(table.match(pattern))
  const files = [...new Bun.Glob("src/**/*.ts").scanSync(root)]
  const called = new Set(
    files.flatMap((file) =>
      [...read(file).matchAll(/"((?:eth|debug|trace|net|web3|txpool|erigon|ots|arb)_[a-zA-Z]+)"/g)].map(
        ([, name]) => name!,
      ),
    ),
  )

  test("names every method that the code calls, and no other", () => {
    expect(called.size).toBeGreaterThan(20)
    expect([...documented].sort()).toEqual([...called].sort())
  })

  test("says of each use whether it needs an archive, a trace, and what happens without it", () => {
    const rows = rowsOf(table).filter(([, methods]) => methods?.includes("`"))
    expect(rows.length).toBeGreaterThan(15)
    for (const [what, , archive, trace, calls, without] of rows) {
      expect([what, /^(?:no|yes|for |where )/.test(archive ?? ""), /^(?:no|yes)$/.test(trace ?? "")]).toEqual([
        what!,
        true,
        true,
      ])
      expect((calls ?? "").length * (without ?? "").length).toBeGreaterThan(0)
    }
    const traced = rows.filter(([, methods]) => /`(?:debug|trace)_/.test(methods ?? ""))
    expect(traced.map(([, , , trace]) => trace)).toEqual(["yes"])
  })
})

test("every setting that the page names is there", () => {
  const known = new Set([...Object.keys(serviceSettings), ...Object.keys(chainSettings)])
  const ofPrograms = new Set(["INVALID_CURSOR", "PGDATA"])
  const named = [...page.matchAll(/\b([A-Z][A-Z\d]+(?:_[A-Z\d]+)+)\b/g)].map(([, name]) => name!)
  expect(named.filter((name) => !known.has(name) && !ofPrograms.has(name))).toEqual([])
})
