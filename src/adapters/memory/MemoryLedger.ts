/** The Ledger port in memory: a Map and bigint, the reference the contract was first proved on. */
import { Effect, Layer } from "effect"
import {
  appendIsOpen,
  checkpointAfter,
  finalAfter,
  missingRefusal,
  rollbackRefusal,
  segmentRefusal,
} from "../../domain/ingest/decode/segmentRefusals.ts"
import type { Checkpoint, Segment } from "../../model/event.ts"
import { Ledger, LedgerRefused, type LedgerSettings, type LedgerWriter, SegmentRefused } from "../../ports/Ledger.ts"
import { enrichment, findBorn } from "./enrichment.ts"
import { saidFrom } from "./events.ts"
import { letZeroAddressHold, move, moveNft } from "./fold.ts"
import { heal } from "./heal.ts"
import { removeBlocks } from "./removal.ts"
import { type MemoryChain, MemoryChains, moveAppended, newChain } from "./state.ts"
import { inKnownPools, storeSwaps } from "./swaps.ts"

export const layer = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return Ledger.of({
      genesis: (chainId) => Effect.sync(() => chains.get(chainId)?.settings.genesisHash),
      open: Effect.fnUntraced(function* (settings: LedgerSettings) {
        const chain = chains.get(settings.chainId) ?? newChain(settings)
        if (JSON.stringify(chain.settings) !== JSON.stringify(settings)) {
          return yield* new LedgerRefused({
            message: `chain ${settings.chainId} was stored with other settings: ${JSON.stringify(chain.settings)}`,
          })
        }
        chains.set(settings.chainId, chain)
        yield* chain.writerLock.takeScoped(1)
        return writerOf(chain)
      }),
    })
  }),
)

const writerOf = (chain: MemoryChain): LedgerWriter => {
  /** The open append. */
  let segments: Array<Segment> = []
  const pending = () => segments.reduce(checkpointAfter, checkpointOf(chain))
  const extend: LedgerWriter["extend"] = (segment) =>
    Effect.suspend(() =>
      refuseOr(segmentRefusal(pending(), segment), () => {
        const { swaps } = segment
        segments.push(segment)
        const unknownPool = swaps.length - inKnownPools(chain, segments, swaps).length
        return { checkpoint: pending(), unknownPool, full: false }
      }),
    )
  const commit = Effect.sync(() => {
    for (const segment of segments) append(chain, segment)
    if (segments.length > 0) moveAppended(chain)
    segments = []
    return checkpointOf(chain)
  })
  return {
    checkpoint: Effect.sync(() => checkpointOf(chain)),
    confirm: Effect.void,
    birth: Effect.succeed(chain.birth),
    recentHeaders: Effect.sync(() => [...chain.headers]),
    landmarks: (limit) =>
      Effect.sync(() =>
        chain.landmarks
          .filter(({ number }) => number <= chain.finalizedBlock)
          .reverse()
          .slice(0, limit),
      ),
    append: (segment) =>
      Effect.flatMap(extend(segment), ({ unknownPool }) =>
        Effect.map(commit, (checkpoint) => ({ checkpoint, unknownPool })),
      ),
    extend,
    commit,
    discard: Effect.sync(() => {
      segments = []
    }),
    rollback: (fromBlock) =>
      Effect.suspend(() =>
        refuseOr(
          segments.length > 0 ? appendIsOpen : rollbackRefusal(checkpointOf(chain), chain.headers, fromBlock),
          () => rollback(chain, fromBlock),
        ),
      ),
    letZeroAddressHold: (tokens) =>
      Effect.suspend(() =>
        refuseOr(segments.length > 0 ? appendIsOpen : undefined, () => {
          const { wrappedNative } = chain.settings
          const found = tokens
            .flatMap((it) => {
              const token = findBorn(chain, it)
              return token === undefined ? [] : { token, sentToZero: it.sentToZero ?? "kept" }
            })
            .filter(({ token }) => token.standard === "erc20" && !wrappedNative.includes(token.address))
            .filter(({ token, sentToZero }) => token.sentToZero !== sentToZero)
          if (found.length === 0) return
          for (const { token, sentToZero } of found) letZeroAddressHold(chain, token, sentToZero)
          const fromBlock = Math.min(...found.map(({ token }) => token.firstBlock))
          chain.rollbacks.push(fromBlock)
          chain.corrections.push({ isHeal: true, fromBlock, removed: [], added: [] })
          chain.revision++
        }),
      ),
    heal: (missing) =>
      Effect.suspend(() =>
        refuseOr(segments.length > 0 ? appendIsOpen : missingRefusal(checkpointOf(chain), chain.headers, missing), () =>
          heal(chain, missing),
        ),
      ),
    ...enrichment(chain),
  }
}

const refuseOr = <A>(refusal: string | undefined, write: () => A) =>
  refusal === undefined ? Effect.sync(write) : Effect.fail(new SegmentRefused({ message: refusal }))

const append = (chain: MemoryChain, segment: Segment): void => {
  for (const movement of segment.movements) move(chain, movement)
  for (const movement of segment.nfts) moveNft(chain, movement)
  storeSwaps(chain, segment)
  chain.approvals.push(...(segment.approvals ?? []))
  chain.oddLogs.push(...(segment.odd ?? []))
  keepLandmarks(chain, segment)
  chain.nextBlock = segment.toBlock + 1
  chain.head = segment.head
  chain.finalizedBlock = finalAfter(chain.finalizedBlock, segment)
  chain.nodeHead = segment.nodeHead
  chain.headers = [...chain.headers, ...segment.headers].filter(({ number }) => number >= chain.finalizedBlock)
}

const keepLandmarks = (chain: MemoryChain, { landmarks = [], headers, head }: Segment): void => {
  const known = [...landmarks, ...headers, head].sort((a, b) => a.number - b.number)
  for (const { number, hash, time } of known) {
    const newest = chain.landmarks.at(-1)?.number ?? -1
    if (number >> 8 > newest >> 8) chain.landmarks.push({ number, hash, time })
  }
}

const rollback = (chain: MemoryChain, fromBlock: number): Checkpoint => {
  const removed = saidFrom(chain, fromBlock)
  removeBlocks(chain, fromBlock)
  chain.rollbacks.push(fromBlock)
  chain.corrections.push({ isHeal: false, fromBlock, removed, added: [] })
  const head = fromBlock === chain.nextBlock ? chain.head : chain.headers.find(({ number }) => number === fromBlock - 1)
  chain.headers = chain.headers.filter(({ number }) => number < fromBlock)
  chain.nextBlock = fromBlock
  chain.head = head
  chain.revision++
  return checkpointOf(chain)
}

const checkpointOf = ({ nextBlock, settings, head, finalizedBlock }: MemoryChain): Checkpoint => ({
  nextBlock,
  firstBlock: settings.firstBlock,
  finalizedBlock,
  ...(head === undefined ? {} : { head }),
})
