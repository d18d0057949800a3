/** The SupplyStore port in memory. */
import { Effect, Layer } from "effect"
import { SupplyStore } from "../../ports/SupplyStore.ts"
import { MemoryChains, snapshotOf, storedChains, supplyOf } from "./state.ts"

export const layer = Layer.effect(
  SupplyStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return SupplyStore.of({
      findErc20Supply: (chainId, address, blockNumber) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          return snapshotOf(stored, String(supplyOf(stored[0]?.tokens.get(address), blockNumber)))
        }),
    })
  }),
)
