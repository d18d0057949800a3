/** What a chain is called before it is followed: of a ledger that is loaded in bulk nothing can be read, whoever loads it. */
import { Effect, Option } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { Ledger } from "../../../ports/Ledger.ts"

/** The step at which the load stands; `waiting` where none goes on, or the ledger does not say. */
export const loadingPhase = Effect.fnUntraced(function* (chainId: ChainId) {
  const { loading } = yield* Ledger
  const step = loading === undefined ? Option.none() : yield* Effect.option(loading(chainId))
  return Option.getOrUndefined(step) ?? "waiting"
})
