/** The Ledger port in memory: a Map and bigint, the reference the contract was first proved on. */
import { Effect, Layer } from "effect"
import { appendIsOpen, checkpointAfter, rollbackRefusal, segmentRefusal } from "../../domain/ingest/segmentRules.ts"
import type { Account, Checkpoint, Movement, Segment } from "../../domain/model/event.ts"
import { Ledger, LedgerRefused, type LedgerSettings, type LedgerWriter, SegmentRefused } from "../../ports/Ledger.ts"
import { balanceOf, type MemoryChain, MemoryChains, type MemoryToken, newChain } from "./state.ts"

export const layer = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return Ledger.of({
      open: Effect.fn("MemoryLedger.open")(function* (settings: LedgerSettings) {
        const chain = chains.get(settings.chainId) ?? newChain(settings)
        if (JSON.stringify(chain.settings) !== JSON.stringify(settings)) {
          return yield* new LedgerRefused({
            message: `chain ${settings.chainId} was stored with other settings: ${JSON.stringify(chain.settings)}`,
          })
        }
        chains.set(settings.chainId, chain)
        yield* Effect.acquireRelease(chain.writerLock.take(1), () => chain.writerLock.release(1), {
          interruptible: true,
        })
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
        segments.push(segment)
        return { checkpoint: pending(), full: false }
      }),
    )
  const commit = Effect.sync(() => {
    for (const segment of segments) append(chain, segment)
    if (segments.length > 0) chain.revision++
    segments = []
    return checkpointOf(chain)
  })
  return {
    checkpoint: Effect.sync(() => checkpointOf(chain)),
    recentHeaders: Effect.sync(() => [...chain.headers]),
    append: (segment) => Effect.andThen(extend(segment), commit),
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
    ...describing(chain),
  }
}

const describing = (chain: MemoryChain): Pick<LedgerWriter, "listUndescribedTokens" | "describeTokens"> => ({
  listUndescribedTokens: (limit) =>
    Effect.sync(() =>
      [...chain.tokens.values()]
        .filter((token) => token.description === undefined)
        .slice(0, limit)
        .map(({ address, firstBlock, firstLogIndex }) => ({ address, firstBlock, firstLogIndex })),
    ),
  describeTokens: (described) =>
    Effect.sync(() => {
      for (const { token, description } of described) {
        const found = chain.tokens.get(token.address)
        if (found?.firstBlock === token.firstBlock && found.firstLogIndex === token.firstLogIndex) {
          found.description = description
        }
      }
      chain.revision++
    }),
})

const refuseOr = <A>(refusal: string | undefined, write: () => A) =>
  refusal === undefined ? Effect.sync(write) : Effect.fail(new SegmentRefused({ message: refusal }))

const append = (chain: MemoryChain, segment: Segment): void => {
  for (const movement of segment.movements) move(chain, movement)
  chain.nextBlock = segment.toBlock + 1
  chain.head = segment.head
  chain.finalizedBlock = Math.max(chain.finalizedBlock, segment.finalizedBlock)
  chain.nodeHead = segment.nodeHead
  chain.headers = [...chain.headers, ...segment.headers].filter(({ number }) => number >= chain.finalizedBlock)
}

const move = (chain: MemoryChain, movement: Movement): void => {
  const { token: address, blockNumber, logIndex, time } = movement
  const token: MemoryToken = chain.tokens.get(address) ?? {
    address,
    firstBlock: blockNumber,
    firstLogIndex: logIndex,
    firstTime: time,
    balances: new Map(),
  }
  chain.tokens.set(address, token)
  if (movement.kind === "transfer") chain.transfers.push(movement)
  touch(token, movement.loser, blockNumber, -movement.amount)
  touch(token, movement.gainer, blockNumber, movement.amount)
}

/** A version per touched block, also where nothing changes. */
const touch = (token: MemoryToken, account: Account, blockNumber: number, change: bigint): void => {
  const versions = token.balances.get(account) ?? []
  const balance = balanceOf(token, account) + change
  if (versions.at(-1)?.blockNumber === blockNumber) versions.pop()
  versions.push({ blockNumber, balance })
  token.balances.set(account, versions)
}

const rollback = (chain: MemoryChain, fromBlock: number): Checkpoint => {
  while ((chain.transfers.at(-1)?.blockNumber ?? -1) >= fromBlock) chain.transfers.pop()
  for (const token of chain.tokens.values()) {
    if (token.firstBlock >= fromBlock) chain.tokens.delete(token.address)
    else undo(token, fromBlock)
  }
  const head = fromBlock === chain.nextBlock ? chain.head : chain.headers.find(({ number }) => number === fromBlock - 1)
  chain.headers = chain.headers.filter(({ number }) => number < fromBlock)
  chain.nextBlock = fromBlock
  chain.head = head
  chain.revision++
  return checkpointOf(chain)
}

const undo = (token: MemoryToken, fromBlock: number): void => {
  for (const [account, versions] of token.balances) {
    while ((versions.at(-1)?.blockNumber ?? -1) >= fromBlock) versions.pop()
    if (versions.length === 0) token.balances.delete(account)
  }
}

const checkpointOf = ({ nextBlock, settings, head, finalizedBlock }: MemoryChain): Checkpoint => ({
  nextBlock,
  firstBlock: settings.firstBlock,
  finalizedBlock,
  ...(head === undefined ? {} : { head }),
})
