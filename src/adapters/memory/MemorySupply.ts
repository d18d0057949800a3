/** The SupplyStore port in memory. */
import { Effect, Layer } from "effect"
import { SupplyStore } from "../../ports/SupplyStore.ts"
import { supplyOf } from "./balances.ts"
import { MemoryChains, snapshotOf, storedChains, tokensAt } from "./state.ts"

export const layer = Layer.effect(
  SupplyStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return SupplyStore.of({
      find: (chainId, address, blockNumber) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          return snapshotOf(stored, String(supplyOf(tokensAt(stored[0], address)[0], blockNumber)))
        }),
    })
  }),
)
