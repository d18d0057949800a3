/** A client's queries as its source sends them, and the rules by which it reads what comes: fields that must be there, and what they may hold. */

/** Whatever an answer is. */
export type Json = ReturnType<typeof JSON.parse>

export interface Replay {
  readonly client: string
  /** What its user changes. */
  readonly set: string
  /** Behind the path's `?`; `{address}`, `{token}`, `{nft}`, `{multi}` and `{hash}` are filled in. */
  readonly queries: ReadonlyArray<string>
  /** What the client refuses of an answer; undefined = it reads it. */
  readonly complaint: (query: string, body: Json) => string | undefined
}

export const of = (query: string, name: string): string => new URLSearchParams(query).get(name) ?? ""

/** undefined = the client takes it. */
export type Rule = (value: unknown) => string | undefined

export const matching =
  (pattern: RegExp, what: string): Rule =>
  (value) =>
    typeof value === "string" && pattern.test(value) ? undefined : `expected ${what}, got ${JSON.stringify(value)}`

export const text = matching(/^/, "a text")
export const digits = matching(/^\d+$/, "digits")
export const quantity = matching(/^0x[0-9a-f]+$/i, "a hex number")
export const address = matching(/^0x[0-9a-f]{40}$/i, "an address")
export const hash = matching(/^0x[0-9a-f]{64}$/i, "a hash")

/** What is wrong with the first row that something is wrong with; a row may have more fields than are read. */
export const rows = (value: unknown, rules: Readonly<Record<string, Rule>>): string | undefined => {
  if (!Array.isArray(value)) return `expected a list, got ${JSON.stringify(value)}`
  for (const row of value as ReadonlyArray<Readonly<Record<string, unknown>>>) {
    for (const [field, rule] of Object.entries(rules)) {
      const wrong = rule(row[field])
      if (wrong !== undefined) return `${field}: ${wrong}`
    }
  }
  return undefined
}
