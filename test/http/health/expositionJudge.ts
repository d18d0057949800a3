/** A strict reader of Prometheus's text format 0.0.4, for tests: throws at whatever a scraper or `promtool check metrics` would mind. */

export interface ReadFamily {
  readonly type: string
  readonly help: string
  /** Values by name and labels: `name{a="x"}` with the labels unescaped and as written in order. */
  readonly samples: ReadonlyMap<string, number>
}

const nameForm = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const sampleForm = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const labelForm = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y
const valueForm = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?)|\+Inf|-Inf|NaN)$/

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, (_, what: string) => (what === "n" ? "\n" : what))

const readLabels = (text: string): ReadonlyArray<readonly [string, string]> => {
  const labels: Array<readonly [string, string]> = []
  for (labelForm.lastIndex = 0; labelForm.lastIndex < text.length; ) {
    const found = labelForm.exec(text)
    if (found === null) throw new Error(`labels: ${text}`)
    labels.push([found[1]!, unescaped(found[2]!)])
  }
  if (text.endsWith(",")) throw new Error(`a comma behind the last label: ${text}`)
  if (new Set(labels.map(([name]) => name)).size < labels.length) throw new Error(`a label twice: ${text}`)
  return labels
}

const numberOf = (text: string): number => {
  if (!valueForm.test(text)) throw new Error(`no number: ${text}`)
  return text === "NaN" ? Number.NaN : Number(text.replace("Inf", "Infinity"))
}

const keyOf = (name: string, labels: ReadonlyArray<readonly [string, string]>): string =>
  name +
  (labels.length === 0 ? "" : `{${labels.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(",")}}`)

/** Families by name, in order. */
export const readExposition = (text: string): ReadonlyMap<string, ReadFamily> => {
  if (!text.endsWith("\n") || text.includes("\r")) throw new Error("lines must end in \\n")
  const families = new Map<string, { type: string; help: string; samples: Map<string, number> }>()
  let current = ""
  let help: { readonly name: string; readonly text: string } | undefined
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === "HELP") {
      help = { name, text: unescaped(rest) }
    } else if (kind === "TYPE") {
      if (help?.name !== name) throw new Error(`${name}: HELP must come before TYPE`)
      if (!nameForm.test(name) || !["counter", "gauge", "histogram"].includes(rest)) throw new Error(line)
      if (families.has(name)) throw new Error(`${name}: twice`)
      if ((rest === "counter") !== name.endsWith("_total")) throw new Error(`${name}: only counters end in _total`)
      families.set(name, { type: rest, help: help.text, samples: new Map() })
      current = name
      help = undefined
    } else {
      const [, sample = "", labels = "", value = ""] = sampleForm.exec(line) ?? []
      const family = families.get(current)
      const suffix = sample.slice(current.length)
      const known = family?.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]
      if (family === undefined || !sample.startsWith(current) || !known.includes(suffix))
        throw new Error(`no family: ${line}`)
      const key = keyOf(sample, readLabels(labels))
      const number = numberOf(value)
      if (family.samples.has(key)) throw new Error(`twice: ${line}`)
      if (family.type === "counter" && !(number >= 0)) throw new Error(`a counter below zero: ${line}`)
      family.samples.set(key, number)
    }
  }
  if (help !== undefined) throw new Error(`${help.name}: HELP without TYPE`)
  for (const [name, family] of families) {
    if (family.samples.size === 0) throw new Error(`${name}: no sample`)
    if (family.type === "histogram") checkHistogram(name, family.samples)
  }
  return families
}

/** Buckets that ascend, end with +Inf, and count what `_count` says. */
const checkHistogram = (name: string, samples: ReadonlyMap<string, number>): void => {
  const buckets = [...samples].flatMap(([key, count]) => {
    const [, others, le] = new RegExp(`^${name}_bucket\\{(.*),le="([^"]*)"\\}$`).exec(key) ?? []
    return others === undefined || le === undefined ? [] : [{ others, le: numberOf(le), count }]
  })
  for (const [others, of] of Map.groupBy(buckets, (bucket) => bucket.others)) {
    const ascends = of.every(
      ({ le, count }, index) => index === 0 || (le > of[index - 1]!.le && count >= of[index - 1]!.count),
    )
    const total = samples.get(`${name}_count{${others}}`)
    const sum = samples.get(`${name}_sum{${others}}`)
    const last = of.at(-1)!
    if (!ascends || last.le !== Number.POSITIVE_INFINITY || last.count !== total || sum === undefined) {
      throw new Error(`${name}{${others}}: no histogram`)
    }
  }
  if (buckets.length === 0) throw new Error(`${name}: no buckets`)
}
