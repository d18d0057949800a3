/** The query of a request, read from the raw URL: repeated names keep all their values, nothing is split or converted. */

export interface QueryPair {
  /** As it stood in the URL, for links. */
  readonly raw: string
  readonly name: string
  readonly value: string
}

export type Query = ReadonlyArray<QueryPair>

/** More than any client sends. Whoever sends them is not known yet when they are read. */
export const mostPairs = 1000

/** Pairs in the order of the URL; `text` is what follows the question mark. Of more than `mostPairs` one more is given, and none is decoded: they are refused. */
export const parseQuery = (text: string): Query => {
  if (text === "") return []
  const raws = text.split("&", mostPairs + 1)
  if (raws.length > mostPairs) return raws.map((raw) => pairOf(raw, (it) => it))
  const pairs = raws.filter((raw) => raw !== "")
  if (!oddEscape.test(text)) return pairs.map((raw) => pairOf(raw, decodePlain))
  // It never fails: bad escapes stay as they stand, bytes that are no UTF-8 become U+FFFD. The mark in front keeps a first question mark.
  const decoded = [...new URLSearchParams(`&${text}`)]
  return pairs.map((raw, index) => ({ raw, name: decoded[index]?.[0] ?? "", value: decoded[index]?.[1] ?? "" }))
}

/** Whether there are too many to be read. */
export const areTooMany = (query: Query): boolean => query.length > mostPairs

const pairOf = (raw: string, decode: (text: string) => string): QueryPair => {
  const equals = raw.indexOf("=")
  return equals === -1
    ? { raw, name: decode(raw), value: "" }
    : { raw, name: decode(raw.slice(0, equals)), value: decode(raw.slice(equals + 1)) }
}

/** An escape that is bad, or of a letter beyond ASCII: whether these are good is known by decoding alone, and a failure costs much. */
const oddEscape = /%(?![0-7][\da-f])/i

/** Without odd escapes. */
const decodePlain = (raw: string): string => {
  const text = raw.includes("+") ? raw.replaceAll("+", " ") : raw
  return text.includes("%") ? decodeURIComponent(text) : text
}

/** Path and query of a target. */
export const pathAndQueryOf = (target: string): readonly [path: string, query: string] => {
  const mark = target.indexOf("?")
  return mark === -1 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)]
}

/** Parameters of every endpoint: keys, and how ignored ones are met. */
export const ofEveryEndpoint: ReadonlySet<string> = new Set(["apikey", "apiKey", "strict"])

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
