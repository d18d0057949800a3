/** docs/operations.md lists every cost of turns, and every setting with the default and the words it has in the code, and no other. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { usualTurns } from "../src/adapters/http/turns/turns.ts"
import { chainSettings } from "../src/config/chainSettings.ts"
import type { Setting } from "../src/config/deriveFields.ts"
import { serviceSettings } from "../src/config/settings.ts"
import { readPage, withTables } from "./config/settingsTables.ts"

const page = readPage()

const rowsOf = (settings: Readonly<Record<string, Setting>>, end = ""): Array<Array<string>> =>
  Object.entries(settings).map(([name, it]) => [`\`${name}${end}\``, it.default ?? "", it.meaning])

test("the tables of settings are those of the code", () => {
  const written = page
    .split("\n")
    .filter((line) => /^\| `[A-Z]/.test(line))
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
  expect(written, "the tables are out of date: run `bun run format`").toEqual([
    ...rowsOf(serviceSettings),
    ...rowsOf(chainSettings, "_<id>"),
  ])
})

test("nothing else stands between the marks of the tables", () => {
  expect(withTables(page), "the tables are out of date: run `bun run format`").toBe(page)
})

test("the table of turns is that of the code", () => {
  const rows = [...page.matchAll(/^\| (\w+) \| [^|]+ \| (\d+) \| (\d+) \|$/gm)].map((row) => row.slice(1))
  const told = Object.entries(usualTurns).map(([cost, limits]) => [cost, `${limits.turns}`, `${limits.perCaller}`])
  expect(rows).toEqual(told)
})

test("run start, the commands, the image and the page tell the collector and the allocator the same", () => {
  const textOf = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8")
  const settingsOf = (text: string | undefined) => (text?.match(/\b(?:BUN|MIMALLOC)_\w+=[\w.]+/g) ?? []).sort()
  const { start, cowry } = (JSON.parse(textOf("package.json")) as { scripts: Record<string, string> }).scripts
  const told = settingsOf(start)
  expect(told.length).toBeGreaterThan(0)
  expect(settingsOf(cowry)).toEqual(told)
  expect(
    settingsOf(
      textOf("Dockerfile")
        .match(/^ENV .*/gm)
        ?.join(" "),
    ),
  ).toEqual(told)
  expect(settingsOf(page.match(/^## Memory$[^#]*/m)?.[0])).toEqual(told)
})
