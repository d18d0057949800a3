/** The BlockTimes port in memory. */
import { Effect, Layer } from "effect"
import type { BlockHeader } from "../../model/block.ts"
import { type BlockTime, BlockTimes } from "../../ports/BlockTimes.ts"
import { type MemoryChain, MemoryChains, snapshotOf, storedChains } from "./state.ts"

export const layer = Layer.effect(
  BlockTimes,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return BlockTimes.of({
      around: (chainId, time) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const known = knownOf(stored)
          const before = known.findLast((each) => each.time < time)
          const after = known.find((each) => each.time >= time)
          return snapshotOf(stored, {
            ...(before && { before }),
            ...(after && { after }),
            isQuiet: true,
            rollbacks: stored[0]?.rollbacks.length ?? 0,
          })
        }),
      when: (chainId, block) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const known = knownOf(stored)
          const before = known.findLast((each) => each.block <= block)
          const after = known.find((each) => each.block >= block)
          const { headers = [], head, rollbacks = [] } = stored[0] ?? {}
          const header = [...headers, ...(head === undefined ? [] : [head])].find(({ number }) => number === block)
          return snapshotOf(stored, {
            ...(before && { before }),
            ...(after && { after }),
            ...(header && { hash: header.hash }),
            rollbacks: rollbacks.length,
          })
        }),
      newest: (chainId, hash) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const { headers = [], head, finalizedBlock = -1, rollbacks = [] } = stored[0] ?? {}
          const known = [...headers, ...(head === undefined ? [] : [head])]
          const found = known.find((header) => header.hash === hash)
          const final = known.find(({ number }) => number === Math.min(finalizedBlock, head?.number ?? -1))
          return snapshotOf(stored, {
            finalizedBlock,
            rollbacks: rollbacks.length,
            ...(final === undefined ? {} : { finalizedTime: final.time }),
            ...(found === undefined ? {} : { ofHash: found.number }),
            ...(stored[0] === undefined ? {} : { birth: stored[0].birth }),
          })
        }),
    })
  }),
)

const knownOf = (stored: ReadonlyArray<MemoryChain>): ReadonlyArray<BlockTime> =>
  stored
    .flatMap(({ landmarks, headers, head, transfers, swaps, wraps }) => [
      ...[...landmarks, ...headers, ...(head === undefined ? [] : [head])].map(blockTimeOf),
      ...[...transfers, ...swaps, ...wraps].map(({ blockNumber: block, time }) => ({ block, time })),
    ])
    .sort((a, b) => a.block - b.block)

const blockTimeOf = ({ number: block, time }: Pick<BlockHeader, "number" | "time">) => ({ block, time })
