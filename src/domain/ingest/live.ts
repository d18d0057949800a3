/** Blocks inside the reorg window: every header, chained by parent hash, and each block's logs by its hash. */
import { Effect } from "effect"
import type { BlockHeader } from "../../model/block.ts"
import { steadyMillis } from "../../model/steadyClock.ts"
import { type SourceHeader, SourceUnavailable } from "../../ports/ChainSource.ts"
import { bare, type Chunk, chainContradiction, linkContradiction, segmentOf } from "./decode/chunk.ts"
import { movementsOf, sortLogs } from "./decode/sorting.ts"
import { append, Detached, type Following } from "./state.ts"
import { checkHints } from "./verify/bloomCheck.ts"
import { findHeaders } from "./verify/headers.ts"
import { checkIdentity } from "./verify/identity.ts"
import { askByHash, learnTelling, noLogsOf } from "./verify/possiblyEmpty.ts"
import { checkProofs } from "./verify/receiptsCheck.ts"

/** Blocks read and stored at once, while all goes well. One, when the ledger keeps up with the head. */
export const mostBlocks = 64
/** Nodes keep the states of their newest blocks, of 128 mostly. */
const keptStates = 32

/**
 * Stores what the node has beyond the ledger, up to `mostBlocks` blocks. "more" = the head that was announced is
 * further still. `Detached` = the ledger's newest blocks are no longer the node's.
 */
export const advance = Effect.fn("advance")(function* (following: Following, announced: BlockHeader) {
  const { settings, contracts, checkpoint } = following
  const { nextBlock } = checkpoint
  if (announced.number < nextBlock) {
    yield* checkShorter(following, announced)
    return "reached"
  }
  const linked = yield* readHeaders(following, Math.min(announced.number, nextBlock + following.step - 1))
  if (linked.length === 0) {
    yield* lack(following, `the node announced block ${announced.number}, and has no block ${nextBlock}`)
    return "reached"
  }
  const { found, logs } = yield* readLogs(following, linked).pipe(
    Effect.tapError(() => Effect.sync(() => changeStep(following, 0.25))),
  )
  changeStep(following, found.length < linked.length ? 0.5 : 2)
  const headers = found.map(bare)
  const byNumber = new Map(headers.map((header) => [header.number, header]))
  const sorted = sortLogs(logs, contracts)
  const rows = movementsOf(sorted, contracts, (log) => byNumber.get(log.blockNumber)!.time)
  const head = headers.at(-1)!
  // The very block: behind one address there may be nodes that have not reached it, and its pool, yet.
  const at = announced.number - head.number < keptStates ? head.number : undefined
  const { unknownPool, ...traded } = yield* following.pools.find(rows.swaps, sorted.initialized, at)
  const chunk: Chunk = {
    first: headers[0]!,
    head,
    headers,
    ...rows,
    ...traded,
    counts: { malformed: sorted.malformed, unknownPool },
    nodeHead: Math.max(announced.number, head.number),
  }
  yield* append(following, segmentOf([chunk], settings.finality, checkpoint.finalizedBlock))
  for (const { hash } of headers) following.byHash.delete(hash)
  following.lackingSince = undefined
  return head.number < announced.number ? "more" : "reached"
})

/** Also forgets what was read of blocks that were replaced since. */
const changeStep = (following: Following, factor: number): void => {
  following.step = Math.max(1, Math.min(mostBlocks, Math.floor(following.step * factor)))
  if (following.byHash.size > 2 * mostBlocks) following.byHash.clear()
}

/** The headers that follow the ledger's head; possibly none, where the node that answers has fewer than the one before. */
const readHeaders = Effect.fnUntraced(function* (following: Following, to: number) {
  const { checkpoint } = following
  const numbers = Array.from({ length: to - checkpoint.nextBlock + 1 }, (_, index) => checkpoint.nextBlock + index)
  const found = yield* findHeaders(following, numbers)
  const end = numbers.findIndex((number) => !found.has(number))
  const headers = (end === -1 ? numbers : numbers.slice(0, end)).map((number) => found.get(number)!)
  const detached = headers[0] && checkpoint.head && linkContradiction(checkpoint.head, headers[0])
  if (detached !== undefined) return yield* new Detached(detached)
  const contradiction = chainContradiction(headers)
  if (contradiction !== undefined) return yield* new SourceUnavailable(contradiction)
  return headers
})

/** The first blocks whose logs are settled, and these; at least one. Of nodes that are not level, each call may meet another. */
const readLogs = Effect.fnUntraced(function* (following: Following, headers: ReadonlyArray<SourceHeader>) {
  const { byHash } = following
  const settled = yield* askByHash(following, headers, byHash)
  if (settled === 0) return yield* noLogsOf(headers[0]!)
  const found = headers.slice(0, settled)
  const logsOf = (blocks: ReadonlyArray<SourceHeader>) => blocks.flatMap(({ hash }) => byHash.get(hash) ?? [])
  learnTelling(following.hints, found, logsOf(found))
  let sure = found
  let error: SourceUnavailable | undefined
  for (const check of [checkHints, checkProofs]) {
    const denial = yield* check(following, sure, logsOf(sure))
    if (denial === undefined) continue
    byHash.delete(denial.header.hash)
    sure = sure.slice(0, sure.indexOf(denial.header))
    error = denial.error
  }
  if (sure.length === 0 && error !== undefined) return yield* error
  return { found: sure, logs: logsOf(sure) }
})

/** A head at or below the ledger's is a node behind another, unless it shows a different block at a height we have. */
const checkShorter = Effect.fnUntraced(function* (following: Following, announced: BlockHeader) {
  const { checkpoint, writer } = following
  const own =
    checkpoint.head?.number === announced.number
      ? checkpoint.head
      : (yield* writer.recentHeaders).find(({ number }) => number === announced.number)
  if (own !== undefined && own.hash !== announced.hash) {
    return yield* new Detached({ kind: "fork", message: `block ${own.number} is another one than the one stored` })
  }
  if (announced.number === checkpoint.nextBlock - 1) {
    if (following.lackingSince !== undefined) following.report.problem(undefined)
    following.lackingSince = undefined
    return
  }
  // Nothing at that height to compare with: the chain may have been begun anew.
  const isOld = following.lackingSince !== undefined && (yield* lacksForLong(following))
  if (own === undefined && isOld) yield* checkIdentity(following, true)
  yield* lack(following, `the node is at block ${announced.number}, the ledger at ${checkpoint.nextBlock - 1}`)
})

/** So long, in milliseconds, it is usual where several nodes stand behind one address. */
const usualLack = 10_000

const lacksForLong = Effect.fnUntraced(function* (following: Following) {
  const now = yield* steadyMillis
  following.lackingSince ??= now
  return now - following.lackingSince >= usualLack
})

/** The node has less than it announced, or than another did. */
const lack = Effect.fnUntraced(function* (following: Following, message: string) {
  const isNew = following.lackingSince === undefined
  if (yield* lacksForLong(following)) {
    yield* following.report.refused(new SourceUnavailable({ kind: "behind", message: `${message}: it is behind` }))
  } else if (isNew) yield* following.report.noticed("behind", message)
})
