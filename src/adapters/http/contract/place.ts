/** What a path names: one chain, one address. */
import { Effect } from "effect"
import { selectChains } from "../../../domain/reads/chains.ts"
import { addressOf } from "../../../model/primitives.ts"
import type { Call } from "./call.ts"
import { invalidParameter } from "./statuses.ts"

const pathChain = Effect.fnUntraced(function* (call: Call) {
  const chainId = call.param("chainId")
  const [chain] = yield* selectChains(call.param("networkId"), chainId, {})
  if (chainId === "all" || chain === undefined)
    return yield* invalidParameter("chainId", chainId, "the id of one chain")
  return chain
})

export const pathAddress = (call: Call, name = "address") => {
  const text = call.param(name)
  const address = addressOf(text)
  return address === undefined
    ? Effect.fail(invalidParameter(name, text, "an address: 0x and 40 hex digits"))
    : Effect.succeed(address)
}

export const placeOf = Effect.fnUntraced(function* (call: Call) {
  return { chainId: yield* pathChain(call), address: yield* pathAddress(call) }
})
