/** Blocks inside the reorg window: every header, chained by parent hash, and each block's logs by its hash. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { bare, chainContradiction, linkContradiction, segmentOf } from "../decode/chunk.ts"
import { blocksWithRoom } from "../decode/consecutive.ts"
import { type FollowState, nextToRead } from "../state/FollowState.ts"
import { Detached } from "../state/forkErrors.ts"
import { readRows } from "../state/rows.ts"
import type { Report } from "../status/report.ts"
import { type Lag, makeLag } from "./lag.ts"
import { checkShorterHead } from "./shorterHead.ts"

/** Blocks read and stored at once, while all goes well. One, when the ledger keeps up with the head. */
const mostBlocks = 64

/** What reading the newest blocks has come to, for as long as the ledger is open. */
export interface Live {
  /** Blocks that are read at once: fewer after a failure. */
  batchSize: number
  readonly lag: Lag
}

export const makeLive = (report: Report): Live => ({ batchSize: mostBlocks, lag: makeLag(report) })

/**
 * Stores what the node has beyond the ledger, up to `mostBlocks` blocks. "more" = the head that was announced is
 * further still. `Detached` = the ledger's newest blocks are no longer the node's.
 */
export const advance = Effect.fn("advance")(function* (state: FollowState, live: Live, announced: SourceHeader) {
  const { ledger } = state
  const { nextBlock, finalizedBlock } = ledger.checkpoint()
  if (announced.number < nextBlock) {
    yield* checkShorterHead(state, live.lag, announced)
    return "reached"
  }
  return yield* takeIn(state, live, announced, finalizedBlock)
})

/** A trace of its own: what reads and stores blocks, from the announcement to the commit. */
const takeIn = Effect.fn("blocks", { root: true })(function* (
  state: FollowState,
  live: Live,
  announced: SourceHeader,
  finalizedBlock: number,
) {
  const { settings, source, ledger } = state
  const { linked, isAll } = yield* Effect.withSpan(readHeaders(state, announced, live.batchSize), "blocks.headers")
  if (linked.length === 0) {
    yield* live.lag.note(
      `the node announced block ${announced.number}, and has no block ${ledger.checkpoint().nextBlock}`,
    )
    return "reached"
  }
  const believed = yield* source.newest.read(linked).pipe(
    Effect.withSpan("blocks.logs"),
    Effect.tapError(() => Effect.sync(() => changeBatchSize(live, 0.25))),
  )
  const length = blocksWithRoom(
    believed.headers.map(({ number }) => number),
    believed.logs,
  )
  changeBatchSize(live, length < linked.length ? 0.5 : 2)
  const headers = believed.headers.slice(0, length).map(bare)
  const byNumber = new Map(headers.map((header) => [header.number, header]))
  const head = headers.at(-1)!
  const isTaken = ({ blockNumber }: Log) => blockNumber <= head.number
  const rows = yield* readRows(state, {
    logs: length === believed.headers.length ? believed.logs : believed.logs.filter(isTaken),
    timeOf: ({ blockNumber }) => byNumber.get(blockNumber)!.time,
    head,
  }).pipe(Effect.withSpan("blocks.rows"))
  yield* Effect.annotateCurrentSpan({ chain: settings.chainId, first: headers[0]!.number, last: head.number })
  // What was announced and is not there may never come: neither head nor finality counts it.
  const nodeHead = isAll ? Math.max(announced.number, head.number) : head.number
  const chunk = { first: headers[0]!, head, headers, ...rows, nodeHead }
  const final = Math.max(finalizedBlock, head.number - settings.finality)
  yield* Effect.withSpan(ledger.append(segmentOf([chunk], final)), "blocks.append")
  source.newest.forget(headers)
  live.lag.end()
  return head.number < announced.number ? "more" : "reached"
})

const changeBatchSize = (live: Live, factor: number): void => {
  live.batchSize = Math.max(1, Math.min(mostBlocks, Math.floor(live.batchSize * factor)))
}

/**
 * The headers that follow the ledger's head, at most so many, the announced one as it was announced. Possibly none, and not
 * all that were asked for, where the node that answers has fewer than the one before.
 */
const readHeaders = Effect.fnUntraced(function* (
  { ledger, source }: Pick<FollowState, "ledger" | "source">,
  announced: SourceHeader,
  most: number,
) {
  const { head } = ledger.checkpoint()
  const next = nextToRead({ ledger, source })
  const length = Math.max(0, Math.min(announced.number - next + 1, most))
  const numbers = Array.from({ length }, (_, index) => next + index)
  const others = numbers.filter((number) => number !== announced.number)
  const found = others.length === 0 ? new Map<number, SourceHeader>() : yield* source.findHeaders(others)
  const headerOf = (number: number) => (number === announced.number ? announced : found.get(number))
  const end = numbers.findIndex((number) => headerOf(number) === undefined)
  const headers = (end === -1 ? numbers : numbers.slice(0, end)).map((number) => headerOf(number)!)
  const detached = headers[0] && head && linkContradiction(head, headers[0])
  if (detached !== undefined) return yield* new Detached(detached)
  const contradiction = chainContradiction(headers)
  if (contradiction !== undefined) return yield* new SourceUnavailable(contradiction)
  return { linked: headers, isAll: end === -1 }
})
