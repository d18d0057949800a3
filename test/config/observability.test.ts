/** The dashboard and the alerts: of the shape that Grafana and Prometheus read, and every metric, label and word of a label in them is one of `/metrics`. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { YAML } from "bun"
import { type Kind, problems } from "../../src/adapters/http/contract/statuses.ts"
import { ready } from "../../src/adapters/http/health/health.ts"
import { wordOf } from "../../src/adapters/http/metrics/traffic.ts"

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

/** A whole page: `test/http/health/metrics.test.ts` holds it against the service's own. */
const page = read("test/http/health/metrics.txt").replaceAll(/ \*$/gm, " 1").replaceAll("{*}", '{version="1"}')

/** Series → its labels' words. */
const series = new Map<string, Map<string, Set<string>>>()
/** Nothing fails in that world, and nobody asks whether it is ready. */
const failed = ["erc20", ready.id].flatMap((id) =>
  Object.keys(problems).map(
    (kind) => `cowry_http_requests_total{endpoint="${id}",status="5xx",kind="${wordOf(kind as Kind)}"} 0`,
  ),
)
for (const line of [...page.split("\n").filter((it) => it !== "" && !it.startsWith("#")), ...failed]) {
  const [, name = "", labels = ""] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
  const known = series.get(name) ?? new Map<string, Set<string>>()
  series.set(name, known)
  for (const [, label = "", word = ""] of labels.matchAll(/(\w+)="([^"]*)"/g))
    known.set(label, (known.get(label) ?? new Set()).add(word))
}
/** Prometheus's own: what it knows of a scrape. */
const ofScrape = new Set(["instance", "job"])

/** What is asked of series that there are not, or by labels and words that they have not. */
const strangersOf = (expression: string): ReadonlyArray<string> => {
  const strangers: Array<string> = []
  for (const [, name = "", selector = ""] of expression.matchAll(/\b((?:cowry|process)_\w+|up\b)(?:\{([^}]*)\})?/g)) {
    if (name === "up") continue
    const labels = series.get(name)
    if (labels === undefined) strangers.push(name)
    for (const [, label = "", words = ""] of selector.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)) {
      if (ofScrape.has(label)) continue
      const found = labels?.get(label)
      if (found === undefined) strangers.push(`${name}{${label}}`)
      else if (!words.startsWith("$"))
        strangers.push(
          ...words
            .split("|")
            .filter((word) => !found.has(word))
            .map((word) => `${name}{${label}=${word}}`),
        )
    }
  }
  for (const [, labels = ""] of expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g))
    for (const label of labels.split(",").map((it) => it.trim()))
      if (!ofScrape.has(label) && label !== "le" && ![...series.values()].some((known) => known.has(label)))
        strangers.push(`by (${label})`)
  return strangers
}

test("the judge knows what is not there", () => {
  expect(
    strangersOf('cowry_nothing{chain="1"} + cowry_audit_tokens{state="lost",kind="x"} + sum by (planet) (up)'),
  ).toEqual([
    "cowry_nothing",
    "cowry_nothing{chain}",
    "cowry_audit_tokens{state=lost}",
    "cowry_audit_tokens{kind}",
    "by (planet)",
  ])
})

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string }
}
const { groups } = YAML.parse(read("deploy/prometheus/alerts.yml")) as {
  groups: ReadonlyArray<{ rules: ReadonlyArray<Rule> }>
}
const rules = groups.flatMap((group) => group.rules)
const operations = read("docs/operations.md")

describe("deploy/prometheus/alerts.yml", () => {
  const anchors = [...operations.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .trim()
      .replaceAll(" ", "-"),
  )

  test("has alerts of different names, of metrics that there are", () => {
    expect(rules.length).toBeGreaterThan(8)
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    expect(rules.flatMap(({ alert, expr }) => strangersOf(expr).map((it) => `${alert}: ${it}`))).toEqual([])
  })

  test("are silent of a chain that is read from far behind only while that goes on, and of one that another process follows", () => {
    const loading = rules.filter(({ expr }) => expr.includes("backfill"))
    expect(loading.map(({ alert }) => alert)).toEqual(["CowryChainNotReady", "CowryChainOld"])
    for (const { expr } of loading) {
      // The phase is the same while each answer is refused, for days.
      const [, muted, standby] = expr.split(" unless on (instance, chain) ")
      expect(muted).toBe(
        '(cowry_chain_phase{phase=~"backfill|copying|deriving|indexing"} == 1 and on (instance, chain) cowry_chain_problem == 0)',
      )
      // What it waits for is told by the process that has it.
      expect(standby).toBe("cowry_chain_standby == 1")
    }
  })

  test("count no probe of /ready as an error, and none as an answer", () => {
    const { expr } = rules.find(({ alert }) => alert === "CowryErrors")!
    const asked = [...expr.matchAll(/cowry_http_requests_total\{([^}]*)\}/g)].map(([, selector]) => selector)
    // What a caller can ask for, and what is as it should be meanwhile.
    const usual = ["BehindMinBlock", "NotServedHere", "ChainSyncing"] satisfies ReadonlyArray<Kind>
    expect(asked).toEqual([
      `status="5xx",endpoint!="${ready.id}",kind!~"${usual.map(wordOf).join("|")}"`,
      `endpoint!="${ready.id}"`,
    ])
  })

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    "%s says what to do, and where more of it stands",
    (_, rule) => {
      expect(["critical", "warning", "info"]).toContain(rule.labels.severity)
      expect(rule.annotations.summary.length).toBeGreaterThan(20)
      expect(rule.annotations.description.length).toBeGreaterThan(60)
      const [, anchor] = /^docs\/operations\.md#(\S+)$/.exec(rule.annotations.runbook) ?? []
      expect(anchors).toContain(anchor!)
    },
  )

  test("is told of in docs/operations.md, each alert by name", () => {
    const told = [...operations.matchAll(/^\| \*\*(Cowry\w+)\*\* \|/gm)].map(([, name]) => name!)
    expect(told).toEqual(rules.map(({ alert }) => alert))
  })
})

describe("deploy/grafana/cowry.json", () => {
  interface Panel {
    readonly id: number
    readonly type: string
    readonly title: string
    readonly description?: string
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets?: ReadonlyArray<{ readonly refId: string; readonly expr: string }>
  }
  const board = JSON.parse(read("deploy/grafana/cowry.json")) as {
    readonly uid: string
    readonly panels: ReadonlyArray<Panel>
    readonly templating: { readonly list: ReadonlyArray<{ readonly name: string; readonly definition?: string }> }
    readonly annotations: { readonly list: ReadonlyArray<{ readonly expr: string }> }
  }
  const plots = board.panels.filter(({ type }) => type !== "row")

  test("shows metrics that there are, by variables that there are", () => {
    const asked = [...plots.flatMap(({ targets = [] }) => targets), ...board.annotations.list].map(({ expr }) => expr)
    expect(asked.length).toBeGreaterThan(30)
    expect(asked.flatMap(strangersOf)).toEqual([])
    const variables = new Set(board.templating.list.map(({ name }) => name))
    const used = asked.flatMap((expr) => [...expr.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!))
    expect(used.filter((name) => !variables.has(name) && !name.startsWith("__"))).toEqual([])
    for (const { definition } of board.templating.list)
      if (definition !== undefined) expect(series.has(/label_values\((\w+),/.exec(definition)?.[1] ?? "")).toBe(true)
  })

  test("has as many questions, and there are as many alerts, as docs/operations.md says were tried", () => {
    const questions = plots.flatMap(({ targets = [] }) => targets).length + board.annotations.list.length
    const told = /^(\d+) questions \(one is of its marks\) and (\d+) alerts was evaluated/m.exec(operations)
    expect(told?.slice(1).map(Number)).toEqual([questions, rules.length])
    expect(board.annotations.list).toHaveLength(1)
  })

  test("adds up nothing that each instance tells of all: three readers of a chain are one chain", () => {
    // Gauges of a chain are told by whoever serves it, and what the database has by everybody.
    const ofAll = [...page.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
      .filter(([, name, type]) => type === "gauge" && (series.get(name!)?.has("chain") || name === "cowry_webhooks"))
      .map(([, name]) => name!)
    expect(ofAll).toContain("cowry_audit_tokens")
    const asked = [...plots.flatMap(({ targets = [] }) => targets), ...rules].map(({ expr }) => expr)
    const summed = asked.flatMap((expr) =>
      [...expr.matchAll(/\bsum(?: by \([^)]*\))? ?\((\w+)\{/g)].map(([, it]) => it!),
    )
    expect(summed).toContain("cowry_http_turns_running")
    expect(summed.filter((name) => ofAll.includes(name))).toEqual([])
  })

  test("has a line of each chain for what the database holds, and not one of each instance", () => {
    const ofDatabase = /cowry_(?:ledger_\w+|audit_tokens|webhooks|webhook_\w+)\{/
    const asked = plots.flatMap(({ targets = [] }) => targets).map(({ expr }) => expr)
    const told = asked.filter((expr) => ofDatabase.test(expr))
    expect(told.length).toBeGreaterThan(6)
    expect(told.filter((expr) => !/\bmax(?: by \([^)]*\))? ?\(/.test(expr))).toEqual([])
  })

  test("has panels that say what they are, with ids of their own, beside one another", () => {
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length)
    const taken = new Set<string>()
    for (const { gridPos, title, type, description, targets } of board.panels) {
      if (type !== "row")
        expect([title, (description ?? "").length > 10, (targets ?? []).length > 0]).toEqual([title, true, true])
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`)).toBe(false)
          expect(x).toBeLessThan(24)
          taken.add(`${x} ${y}`)
        }
    }
  })

  test("shows every metric of the service that docs/operations.md names, but what tells versions and replicas", () => {
    const shown = plots
      .flatMap(({ targets = [] }) => targets)
      .map(({ expr }) => expr)
      .join("\n")
    const left = [...page.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!).filter((name) => !shown.includes(name))
    expect(left.sort()).toEqual([
      "cowry_build_info",
      "cowry_chain_elsewhere",
      "cowry_history_blocks_total",
      "cowry_history_bytes_total",
      "cowry_history_compared_blocks_total",
      "process_start_time_seconds",
    ])
  })
})
