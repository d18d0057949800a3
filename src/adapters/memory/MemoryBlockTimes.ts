/** The BlockTimes port in memory. */
import { Effect, Layer } from "effect"
import { BlockTimes } from "../../ports/BlockTimes.ts"
import { MemoryChains, snapshotOf, storedChains } from "./state.ts"

export const layer = Layer.effect(
  BlockTimes,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return BlockTimes.of({
      around: (chainId, time) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const known = stored
            .flatMap(({ landmarks, headers, head }) => [
              ...landmarks,
              ...headers,
              ...(head === undefined ? [] : [head]),
            ])
            .map(({ number: block, time }) => ({ block, time }))
            .sort((a, b) => a.block - b.block)
          const before = known.findLast((each) => each.time < time)
          const after = known.find((each) => each.time >= time)
          return snapshotOf(stored, { ...(before && { before }), ...(after && { after }) })
        }),
    })
  }),
)
