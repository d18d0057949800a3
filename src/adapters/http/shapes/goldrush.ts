/** What GoldRush's answers have in common: the envelope, what the path says, the key, and the currency. */
import { Clock, Effect, Schema } from "effect"
import { ChainNotSupported } from "../../../model/errors.ts"
import { type Address, addressOfHex, type ChainId } from "../../../model/primitives.ts"
import { Networks } from "../../../ports/Networks.ts"
import type { Call } from "../contract/call.ts"
import type { Foreign } from "../contract/endpoint.ts"
import type { ParameterDocs } from "../contract/parameter.ts"
import { pathAddress } from "../contract/place.ts"
import { firstValue } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { chainsByName, goldrushNames, nameOf } from "./chainNames.ts"

/** The address that stands for what gas is paid in. */
export const nativeContract = addressOfHex(`0x${"e".repeat(40)}`)

export const GoldrushText = Schema.NullOr(Schema.String)
export const GoldrushFigure = Schema.NullOr(Schema.Finite)

/** What an address has on a chain, in GoldRush's envelope: an item a token, on one page. */
export const goldrushList = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({
    data: Schema.Struct({
      address: Schema.String,
      updated_at: Schema.String,
      quote_currency: Schema.Literals(["USD"]),
      chain_id: Schema.Finite,
      chain_name: Schema.String,
      items: Schema.Array(item),
      pagination: Schema.Null,
    }),
    error: Schema.Literals([false]),
    error_message: Schema.Null,
    error_code: Schema.Null,
  }).annotate({ identifier })

/** Such an answer; its time is now. */
export const listed = Effect.fnUntraced(function* <Item>({ chainId, holder }: Place, items: ReadonlyArray<Item>) {
  const now = yield* Clock.currentTimeMillis
  const data = {
    address: holder,
    updated_at: new Date(now).toISOString(),
    quote_currency: "USD",
    chain_id: Number(chainId),
    chain_name: nameOf(goldrushNames, chainId),
    items,
    pagination: null,
  }
  return { data, error: false, error_message: null, error_code: null }
})

const GoldrushError = Schema.Struct({
  data: Schema.Null,
  error: Schema.Literals([true]),
  error_message: Schema.String,
  error_code: Schema.Finite.annotateKey({ description: "The HTTP status" }),
}).annotate({ identifier: "GoldrushError" })

/** `Bearer` is everybody's; here the user name of `Basic`, and the parameter `key`. */
const basicKey = (headers: Headers): string | undefined => {
  const [, encoded] = /^Basic +([\w+/=-]+)\s*$/iu.exec(headers.get("authorization") ?? "") ?? []
  if (encoded === undefined) return undefined
  try {
    return atob(encoded).split(":")[0]
  } catch {
    return undefined
  }
}

export const goldrush: Foreign = {
  keyOf: ({ headers, query }) => basicKey(headers) ?? firstValue(query, "key"),
  chainsOf: ({ param }, followed) => {
    const chain = chainsByName(goldrushNames, followed)(param("chainName"))
    return chain === undefined ? [] : [chain.chainId]
  },
  refusal: ({ status, message }) => ({ data: null, error: true, error_message: message, error_code: status }),
  docs: { refusal: GoldrushError },
}

export const goldrushDocs: ParameterDocs = {
  "quote-currency": { description: "The currency of prices", schema: { type: "string", enum: ["USD"] } },
  key: { description: "The key, where none is sent otherwise", schema: { type: "string" } },
}

/** Whose holdings, and on which chain. */
interface Place {
  readonly chainId: ChainId
  readonly holder: Address
}

/** As the path says. Prices are in US dollars: in another currency they would be guesses. */
export const placeOf = Effect.fnUntraced(function* (call: Call) {
  const { chains } = yield* Networks
  const name = call.param("chainName")
  const chain = chainsByName(goldrushNames, chains)(name)
  if (chain === undefined)
    return yield* new ChainNotSupported({ message: `chain ${JSON.stringify(name.slice(0, 40))} is not followed here` })
  const holder = yield* pathAddress(call, "walletAddress")
  const currency = firstValue(call.query, "quote-currency") ?? "USD"
  if (currency.toUpperCase() !== "USD") return yield* invalidParameter("quote-currency", currency, "USD")
  const place: Place = { chainId: chain.chainId, holder }
  return place
})
