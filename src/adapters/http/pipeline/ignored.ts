/** Parameters that a native endpoint does not know: they change nothing, are named to the caller, and refused where it wishes so. */
import { Result } from "effect"
import type { InvalidParameter } from "../../../model/errors.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { firstValue, ofEveryEndpoint, type Query } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"

const mostNamed = 10
const longestName = 64

/** Each once, in the order of the query. On compatibility paths clients send what they like. */
const ignoredNames = ({ style, doc }: Endpoint, query: Query): ReadonlyArray<string> => {
  if (style !== "native" || query.length === 0) return []
  const names = query.flatMap(({ name }) => (ofEveryEndpoint.has(name) || Object.hasOwn(doc.query, name) ? [] : [name]))
  return [...new Set(names)]
}

const shown = (name: string): string => {
  // Half of a pair of surrogates cannot be encoded.
  const whole = name.toWellFormed()
  return encodeURIComponent([...whole].slice(0, longestName).join(""))
}

/** `x-ignored-parameters`: at most ten names, percent-encoded and comma-joined; undefined = there are none. */
export const ignoredHeader = (
  endpoint: Endpoint | undefined,
  query: Query,
): Readonly<Record<string, string>> | undefined => {
  const names = endpoint === undefined ? [] : ignoredNames(endpoint, query)
  return names.length === 0 ? undefined : { "x-ignored-parameters": names.slice(0, mostNamed).map(shown).join(",") }
}

/** With `strict=true` the first of them is refused. Who writes it otherwise must not believe to be safe. */
export const checkStrict = (endpoint: Endpoint, query: Query): Result.Result<void, InvalidParameter> => {
  const strict = firstValue(query, "strict") ?? "false"
  if (endpoint.style !== "native" || strict === "false") return Result.void
  if (strict !== "true") return Result.fail(invalidParameter("strict", strict, "true or false"))
  const [name] = ignoredNames(endpoint, query)
  if (name === undefined) return Result.void
  const known = Object.keys(endpoint.doc.query)
  const wanted = known.length === 0 ? "no parameters" : `one of ${known.join(", ")}`
  return Result.fail(invalidParameter("parameter", name, wanted))
}
