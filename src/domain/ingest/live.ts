/** Blocks inside the reorg window: every header, chained by parent hash, and each block's logs by its hash. */
import { Effect } from "effect"
import { type ChainSourceClient, type SourceHeader, SourceUnavailable } from "../../ports/ChainSource.ts"
import type { BlockHeader, Log } from "../model/block.ts"
import { bare, type Chunk, chainContradiction, linkContradiction, segmentOf } from "./chunk.ts"
import { append, Detached, type Following } from "./following.ts"
import { checkHints } from "./hints.ts"
import { movementsOf, sortLogs } from "./sorting.ts"

/** Blocks read and stored at once. One, when the ledger keeps up with the head. */
const mostBlocks = 64
/** Nodes keep the states of their newest blocks, of 128 mostly. */
const keptStates = 32

/**
 * Stores what the node has beyond the ledger, up to `mostBlocks` blocks. "more" = the head that was announced is
 * further still. `Detached` = the ledger's newest blocks are no longer the node's.
 */
export const advance = Effect.fn("advance")(function* (following: Following, announced: BlockHeader) {
  const { settings, contracts, source, checkpoint } = following
  const { nextBlock } = checkpoint
  if (announced.number < nextBlock) {
    yield* checkShorter(following, announced)
    return "reached"
  }
  const linked = yield* readHeaders(following, Math.min(announced.number, nextBlock + mostBlocks - 1))
  if (linked.length === 0) return "reached"
  const ofBlocks = yield* readLogs(source, linked)
  const found = linked.slice(0, ofBlocks.length)
  const logs = ofBlocks.flat()
  yield* checkHints(following, found, logs)
  const headers = found.map(bare)
  const byNumber = new Map(headers.map((header) => [header.number, header]))
  const sorted = sortLogs(logs, contracts)
  const rows = movementsOf(sorted, contracts, (log) => byNumber.get(log.blockNumber)!.time)
  const head = headers.at(-1)!
  // The very block: behind one address there may be nodes that have not reached it, and its pool, yet.
  const at = announced.number - head.number < keptStates ? head.number : undefined
  const { poolless, ...traded } = yield* following.pools.find(rows.swaps, sorted.initialized, at)
  const chunk: Chunk = {
    first: headers[0]!,
    head,
    headers,
    ...rows,
    ...traded,
    counts: { odd: sorted.odd, poolless },
    nodeHead: Math.max(announced.number, head.number),
  }
  yield* append(following, segmentOf([chunk], settings.finality, checkpoint.finalizedBlock))
  return head.number < announced.number ? "more" : "reached"
})

/** The headers that follow the ledger's head; possibly none, where the node that answers has fewer than the one before. */
const readHeaders = Effect.fnUntraced(function* ({ source, checkpoint }: Following, to: number) {
  const numbers = Array.from({ length: to - checkpoint.nextBlock + 1 }, (_, index) => checkpoint.nextBlock + index)
  const found = yield* source.headers(numbers)
  const end = found.indexOf(undefined)
  const headers = (end === -1 ? found : found.slice(0, end)) as ReadonlyArray<SourceHeader>
  const detached = headers[0] && checkpoint.head && linkContradiction(checkpoint.head, headers[0])
  if (detached !== undefined) return yield* new Detached({ message: detached })
  const contradiction = chainContradiction(headers)
  if (contradiction !== undefined) return yield* new SourceUnavailable({ message: contradiction })
  return headers
})

/** The logs of the first blocks, as far as the node has them; at least of one. Of nodes that are not level, each call may meet another. */
const readLogs = Effect.fnUntraced(function* (source: ChainSourceClient, headers: ReadonlyArray<BlockHeader>) {
  const found = yield* source.logsOfBlocks(headers.map(({ hash }) => hash))
  const lost = headers.findIndex(({ number, hash }, index) =>
    // Also where the node answers with logs of another block than it was asked for.
    (found[index] ?? [undefined]).some((log) => log?.blockNumber !== number || log.blockHash !== hash),
  )
  if (lost === 0) {
    return yield* new SourceUnavailable({ message: `block ${headers[0]!.number} was replaced while it was read` })
  }
  return (lost === -1 ? found : found.slice(0, lost)) as ReadonlyArray<ReadonlyArray<Log>>
})

/** A head at or below the ledger's is a node behind another, unless it shows a different block at a height we have. */
const checkShorter = Effect.fnUntraced(function* ({ checkpoint, writer }: Following, announced: BlockHeader) {
  const own =
    checkpoint.head?.number === announced.number
      ? checkpoint.head
      : (yield* writer.recentHeaders).find(({ number }) => number === announced.number)
  if (own !== undefined && own.hash !== announced.hash) {
    return yield* new Detached({ message: `block ${own.number} is another one than the one stored` })
  }
})
