/** The Freshness port in memory. */
import { Effect, Layer } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { Freshness } from "../../ports/Freshness.ts"
import { MemoryChains, snapshotOf, storedChains } from "./state.ts"

export const layer = Layer.effect(
  Freshness,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    const asOf = (ids: ReadonlyArray<ChainId>) => snapshotOf(storedChains(chains, ids), undefined).asOf
    return Freshness.of({
      asOf: (ids) => Effect.sync(() => asOf(ids)),
      newest: (id) => Effect.sync(() => asOf([id])[0]),
    })
  }),
)
