/** A parameter that is true or false. Clients write it in their languages' letter case, or the name without a value, which is true; absent = false. */
import { Effect } from "effect"
import { firstValue, type Query } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"

export const flagOf = Effect.fnUntraced(function* (query: Query, name: string) {
  const text = firstValue(query, name) ?? "false"
  const word = text.toLowerCase()
  if (word === "true" || word === "") return true
  if (word === "false") return false
  return yield* invalidParameter(name, text, "true or false")
})
