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
      touched: (since) =>
        Effect.sync(() => {
          const [point] = asOf([since.chainId])
          if (point?.rewrites !== since.rewrites) return undefined
          const { headers, transfers, wraps } = chains.get(since.chainId)!
          if (headers.some(({ number, hash }) => number === since.blockNumber && hash !== since.hash)) return undefined
          const added = [...transfers, ...wraps].filter(({ blockNumber }) => blockNumber > since.blockNumber)
          return { point, tokens: new Set(added.map(({ token }) => token)) }
        }),
    })
  }),
)
