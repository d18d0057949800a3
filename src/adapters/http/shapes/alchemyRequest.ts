/** What a client of Alchemy's sends, or the first part of it that cannot be read: its refusal names it. */
import { Effect, Schema } from "effect"
import { jsonOf } from "../../../model/outside/json.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { AlchemyRequest } from "./alchemyRecords.ts"

export type Request = typeof AlchemyRequest.Type

const isRequest = Schema.is(AlchemyRequest)
const isRecord = Schema.is(Schema.Record(Schema.String, Schema.Unknown))
const isTexts = Schema.is(Schema.Array(Schema.String))
const flags = ["withMetadata", "withPrices", "includeNativeTokens", "includeErc20Tokens"] as const
const entry = '{"address":"0x…","networks":["eth-mainnet"]}'

/** None where the body is not a request: that is refused when it is answered. */
export const networksOf = (body: string | undefined): ReadonlyArray<string> => {
  const json = jsonOf(body ?? "")
  return isRequest(json) ? json.addresses.flatMap(({ networks }) => networks) : []
}

export const requestOf = Effect.fnUntraced(function* (body: string | undefined) {
  const json = jsonOf(body ?? "")
  if (isRequest(json) && json.addresses.length > 0) return json
  const { at, value, wanted } = firstFault(json, body)
  return yield* invalidParameter(at, value === undefined ? "nothing" : JSON.stringify(value), wanted)
})

interface Fault {
  readonly at: string
  readonly value: unknown
  readonly wanted: string
}

const firstFault = (json: unknown, body: string | undefined): Fault => {
  if (!isRecord(json)) return { at: "body", value: json ?? (body || undefined), wanted: `{"addresses":[${entry}]}` }
  const { addresses, pageKey } = json
  if (!Array.isArray(addresses) || addresses.length === 0) {
    return { at: "addresses", value: addresses, wanted: `a list of one or more ${entry}` }
  }
  for (const [place, given] of addresses.entries()) {
    const at = `addresses[${place}]`
    if (!isRecord(given)) return { at, value: given, wanted: entry }
    const { address, networks } = given
    if (typeof address !== "string") {
      return { at: `${at}.address`, value: address, wanted: "an address: 0x and 40 hex digits" }
    }
    if (!isTexts(networks)) return { at: `${at}.networks`, value: networks, wanted: "a list of networks' names" }
  }
  const flag = flags.find((name) => Object.hasOwn(json, name) && typeof json[name] !== "boolean")
  return flag === undefined
    ? { at: "pageKey", value: pageKey, wanted: "the text of a page of this very request" }
    : { at: flag, value: json[flag], wanted: "true or false" }
}
