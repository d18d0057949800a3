/** Supply of a token, now and after any block; supply of a native currency. */
import { Effect, Result } from "effect"
import { SupplyNotConfigured } from "../../model/errors.ts"
import type { ChainId } from "../../model/primitives.ts"
import { NativeSupplySource } from "../../ports/NativeSupplySource.ts"
import { SupplyStore } from "../../ports/SupplyStore.ts"
import type { TokenQuery } from "./history.ts"
import { figureOf } from "./holders.ts"

/** Raw subunits of an ERC-20, live ids of an ERC-721; never below zero. */
export const findSupply = ({ chainId, token, blockNumber }: TokenQuery) =>
  SupplyStore.use((store) => figureOf(store.find(chainId, token, blockNumber), blockNumber))

/** Of one chain's native currency. */
export const findNativeSupply = Effect.fnUntraced(function* (chainId: ChainId) {
  const found = yield* (yield* NativeSupplySource).find(chainId)
  if (found === undefined) {
    return yield* new SupplyNotConfigured({ message: `chain ${chainId} has no source of its native supply` })
  }
  return found
})

/**
 * Of those chains that have a source; fails when none has. One whose source fails and never answered is left out, unless
 * there is no other.
 */
export const listNativeSupplies = Effect.fnUntraced(function* (chains: ReadonlyArray<ChainId>) {
  const source = yield* NativeSupplySource
  const results = yield* Effect.forEach(chains, (chainId) => Effect.result(source.find(chainId)), {
    concurrency: "unbounded",
  })
  const found = results.flatMap((result) =>
    Result.isSuccess(result) && result.success !== undefined ? [result.success] : [],
  )
  if (found.length > 0) return found
  const failure = results.find(Result.isFailure)
  if (failure !== undefined) return yield* Effect.fail(failure.failure)
  return yield* new SupplyNotConfigured({ message: "no chain of this network has a source of its native supply" })
})
