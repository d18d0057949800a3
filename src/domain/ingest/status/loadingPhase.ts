/** What a chain is called before it is followed: of a ledger that is loaded in bulk nothing can be read, whoever loads it. */
import { Effect, Option } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { Ledger } from "../../../ports/Ledger.ts"

interface Loading {
  readonly chainId: ChainId
  readonly bulk?: "auto" | "on" | "off"
}

/** The step at which the load stands; `waiting` where none goes on, or the ledger does not say. With `BULK=on` an empty ledger is loaded for sure. */
export const loadingPhase = Effect.fnUntraced(function* ({ chainId, bulk }: Loading) {
  const { loading } = yield* Ledger
  const step = loading === undefined ? Option.none() : yield* Effect.option(loading(chainId, bulk === "on"))
  return Option.getOrUndefined(step) ?? "waiting"
})
