/** The Freshness port in memory. */
import { Effect, Layer } from "effect"
import { Freshness } from "../../ports/Freshness.ts"
import { MemoryChains, snapshotOf, storedChains } from "./state.ts"

export const layer = Layer.effect(
  Freshness,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return Freshness.of({
      asOf: (ids) => Effect.sync(() => snapshotOf(storedChains(chains, ids), undefined).asOf),
    })
  }),
)
