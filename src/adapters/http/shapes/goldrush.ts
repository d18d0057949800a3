/** What GoldRush's answers have in common: the envelope, the chain of the path, the key, and the currency. */
import { Effect, Schema } from "effect"
import { ChainNotSupported } from "../../../model/errors.ts"
import { addressOfHex } from "../../../model/primitives.ts"
import { Networks } from "../../../ports/Networks.ts"
import type { Call } from "../contract/call.ts"
import type { Foreign } from "../contract/endpoint.ts"
import type { ParameterDocs } from "../contract/parameter.ts"
import { firstValue } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { chainNamed, goldrushNames } from "./chainNames.ts"

/** The address that stands for what gas is paid in. */
export const nativeContract = addressOfHex(`0x${"e".repeat(40)}`)

export const goldrushEnvelope = <S extends Schema.Top>(data: S, identifier: string) =>
  Schema.Struct({
    data,
    error: Schema.Literals([false]),
    error_message: Schema.Null,
    error_code: Schema.Null,
  }).annotate({ identifier })

export const enveloped = <Data>(data: Data) => ({ data, error: false, error_message: null, error_code: null })

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
    const chain = chainNamed(goldrushNames, param("chainName"), followed)
    return chain === undefined ? [] : [chain.chainId]
  },
  refusal: ({ status, message }) => ({ data: null, error: true, error_message: message, error_code: status }),
  docs: { refusal: GoldrushError },
}

export const goldrushDocs: ParameterDocs = {
  "quote-currency": { description: "The currency of prices", schema: { type: "string", enum: ["USD"] } },
  key: { description: "The key, where none is sent otherwise", schema: { type: "string" } },
}

export const chainOf = Effect.fnUntraced(function* (call: Call) {
  const { chains } = yield* Networks
  const name = call.param("chainName")
  const chain = chainNamed(goldrushNames, name, chains)
  if (chain !== undefined) return chain.chainId
  return yield* new ChainNotSupported({ message: `chain ${JSON.stringify(name.slice(0, 40))} is not followed here` })
})

/** Prices are in US dollars: in another currency they would be guesses. */
export const checkCurrency = Effect.fnUntraced(function* ({ query }: Call) {
  const currency = firstValue(query, "quote-currency") ?? "USD"
  if (currency.toUpperCase() !== "USD") return yield* invalidParameter("quote-currency", currency, "USD")
})
