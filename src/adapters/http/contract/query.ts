/** The query of a request, read from the raw URL: repeated names keep all their values, nothing is split or converted. */

export interface QueryPair {
  /** As it stood in the URL, for links. */
  readonly raw: string
  readonly name: string
  readonly value: string
}

export type Query = ReadonlyArray<QueryPair>

/** Pairs in the order of the URL; `text` is what follows the question mark. */
export const parseQuery = (text: string): Query => {
  const pairs: Array<QueryPair> = []
  if (text === "") return pairs
  for (const raw of text.split("&")) {
    if (raw === "") continue
    const equals = raw.indexOf("=")
    const name = decodeText(equals === -1 ? raw : raw.slice(0, equals))
    pairs.push({ raw, name, value: equals === -1 ? "" : decodeText(raw.slice(equals + 1)) })
  }
  return pairs
}

/** Path and query of a target. */
export const pathAndQueryOf = (target: string): readonly [path: string, query: string] => {
  const mark = target.indexOf("?")
  return mark === -1 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)]
}

/** The first value of a name, `""` where it stands without one, undefined where it does not stand. */
export const firstValue = (query: Query, name: string): string | undefined => {
  for (const pair of query) if (pair.name === name) return pair.value
  return undefined
}

/** Every value of a name; repeated and comma-joined mean the same. */
export const listValues = (query: Query, name: string): ReadonlyArray<string> =>
  query.filter((pair) => pair.name === name).flatMap((pair) => pair.value.split(","))

/** The same query without API keys, under whatever letter case: what an answer depends on. */
export const withoutKeys = (query: Query): Query => query.filter(({ name }) => name.toLowerCase() !== "apikey")

/** The same query with lower-case names, where letter case does not count. */
export const foldNames = (query: Query): Query =>
  query.every(({ name }) => name === name.toLowerCase())
    ? query
    : query.map((pair) => ({ ...pair, name: pair.name.toLowerCase() }))

/** A path segment as text; a bad percent escape stays as it stands. */
export const decodeSegment = (raw: string): string => {
  if (!raw.includes("%")) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}

/** Form decoding that never fails: bad escapes stay as they stand, bytes that are no UTF-8 become U+FFFD. */
const decodeText = (raw: string): string => {
  if (!raw.includes("%")) return raw.includes("+") ? raw.replaceAll("+", " ") : raw
  try {
    return decodeURIComponent(raw.replaceAll("+", " "))
  } catch {
    return new URLSearchParams(`v=${raw}`).get("v") ?? ""
  }
}
