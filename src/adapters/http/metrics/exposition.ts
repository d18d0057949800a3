/** Metrics as Prometheus reads them: its text format, version 0.0.4. */

export interface Sample {
  /** Of a histogram: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  /** undefined = not known: the sample is left out. */
  readonly value: number | undefined
}

/** Metrics of one name. Named in base units; counters end in `_total`. */
export interface Family {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  /** One sentence. */
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

/** Of the answer that holds them. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8"

/** A family without a sample is left out. */
export const expositionOf = (families: ReadonlyArray<Family>): string => families.map(familyText).join("")

const familyText = ({ name, type, help, samples }: Family): string => {
  const lines = samples.flatMap(({ suffix = "", labels = {}, value }) =>
    value === undefined ? [] : `${name}${suffix}${labelText(labels)} ${numberText(value)}\n`,
  )
  const about = `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`
  return lines.length === 0 ? "" : about + lines.join("")
}

const labelText = (labels: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

const escaped = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const numberText = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"
