/** What is sent to make or change a webhook: one JSON object, whose filter is read as the parameters of the stream are. */
import { Effect } from "effect"
import type { InvalidParameter } from "../../../model/errors.ts"
import { jsonOf } from "../../../model/outside/json.ts"
import { WebhookSender } from "../../../ports/WebhookSender.ts"
import { decodeParameters } from "../contract/parameter.ts"
import type { Query } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { eventParameters, filterOf } from "./parameters.ts"

type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Unknown fields are refused: what was meant would not happen. */
export const bodyOf = Effect.fnUntraced(function* (text: string | undefined, known: ReadonlyArray<string>) {
  const value = jsonOf(text ?? "")
  if (!isRecord(value)) return yield* invalidParameter("body", text ?? "", `a JSON object with ${known.join(", ")}`)
  const strange = Object.keys(value).find((name) => !known.includes(name))
  if (strange !== undefined) return yield* invalidParameter("body", strange, `fields of ${known.join(", ")}`)
  return value
})

export const textOf = Effect.fnUntraced(function* (fields: Fields, name: string) {
  const value = fields[name]
  if (value === undefined || typeof value === "string") return value
  return yield* invalidParameter(name, JSON.stringify(value), "a text")
})

const { delivery: _, after: __, ...filterParameters } = eventParameters
const filterNames = Object.keys(filterParameters)

/** As if it had come in the query. */
const queryOf = Effect.fnUntraced(function* ({ filter = {}, delivery }: Fields) {
  if (!isRecord(filter)) return yield* invalidParameter("filter", JSON.stringify(filter), "an object")
  const strange = Object.keys(filter).find((name) => !filterNames.includes(name))
  if (strange !== undefined) return yield* invalidParameter("filter", strange, `fields of ${filterNames.join(", ")}`)
  const pairs: Array<Query[number]> = []
  for (const [name, value] of Object.entries({ ...filter, ...(delivery === undefined ? {} : { delivery }) })) {
    // A filter that was meant to narrow never widens.
    if (Array.isArray(value) && value.length === 0)
      return yield* invalidParameter(name, "[]", `one value or more, or no ${name} at all`)
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each !== "string") return yield* invalidParameter(name, JSON.stringify(each), "texts")
      pairs.push({ raw: "", name, value: each })
    }
  }
  return pairs as Query
})

export const urlOf = Effect.fnUntraced(function* (fields: Fields) {
  const url = yield* textOf(fields, "url")
  const refusal = url === undefined ? "nothing was given" : (yield* WebhookSender).refusal(url)
  if (url === undefined || refusal !== undefined)
    return yield* invalidParameter("url", refusal ?? "", "a URL that webhooks may lead to")
  return url
})

export const secretOf = Effect.fnUntraced(function* (fields: Fields) {
  const secret = yield* textOf(fields, "secret")
  const sender = yield* WebhookSender
  if (secret === undefined || sender.isSecret(secret)) return secret
  return yield* invalidParameter("secret", "another text", "whsec_ and the base64 of 24 to 64 bytes")
})

/** The filter, and whether only final rows are wanted. */
export const wishOf = Effect.fnUntraced(function* (fields: Fields) {
  const {
    delivery,
    after: _,
    ...wanted
  } = yield* Effect.fromResult(
    decodeParameters<InvalidParameter, typeof eventParameters>(eventParameters, yield* queryOf(fields)),
  )
  return { filter: filterOf(wanted), onlyFinal: delivery }
})
