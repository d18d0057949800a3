/** Tells SyncStatus how a chain is doing: where it stands, how fast it is, what is wrong. */
import { Clock, Effect } from "effect"
import type { Checkpoint, Segment } from "../../../model/event.ts"
import { addFaults, type FaultKind, faultKinds, noFaults, subtractFaults, sumOfFaults } from "../../../model/fault.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { steadyMillisOf } from "../../../model/time/steadyClock.ts"
import type { ChainSourceClient, SourceUnavailable, Unanswered } from "../../../ports/ChainSource.ts"
import { type ChainSyncStatus, type HistoryStatus, SyncStatus } from "../../../ports/SyncStatus.ts"
import { rowsOf } from "../decode/chunk.ts"
import { addCounts, noCounts } from "../decode/sorting.ts"
import { makeComplaints } from "./complaints.ts"
import { makeRates } from "./rates.ts"

export interface Report {
  readonly phase: (phase: ChainSyncStatus["phase"]) => void
  /** The node's newest block. */
  readonly head: (blockNumber: number) => void
  /** Now and then: lets the rates fall while nothing is stored. `heardAt`: when a node last answered anything, steady milliseconds. What the source itself refused so far is said in the log, not each time; what it asks for again and again is the problem of the moment. */
  readonly tick: (heardAt: number | undefined, source?: Asking) => Effect.Effect<void>
  /** The ledger took the segment but for so many swaps in pools unknown to it; people may see it only later. */
  readonly taken: (segment: Segment, unknownPool: number) => void
  /** Where the stored ledger stands. */
  readonly indexed: (checkpoint: Checkpoint) => void
  /** So many rows came in that a node had left out. */
  readonly healed: (rows: number) => void
  /** Far behind the head: the share that is done, and the seconds that the rest takes; undefined = not known, or not so any more. */
  readonly progress: (done: number | undefined, secondsLeft: number | undefined) => void
  /** The block after the last that the ledger took or stores; absent = none yet. */
  readonly reached: () => number | undefined
  /** So many blocks were taken back. */
  readonly reorg: (blocks: number) => void
  /** How a history from elsewhere is used. */
  readonly history: (status: HistoryStatus) => void
  /** Whether the chain's ledger is waited for: somebody else may have it. */
  readonly awaitsLedger: (isAwaited: boolean) => void
  /** Undefined = all is well again. */
  readonly problem: (text: string | undefined) => void
  /** What was stored may lack logs; undefined = all is well again. Lasts longer than a problem. */
  readonly doubt: (text: string | undefined) => void
  /** An answer that is not believed and no problem yet: it is asked again. */
  readonly noticed: (kind: FaultKind, message: string) => Effect.Effect<void>
  /** An answer of the node that is not believed: it is counted, and the problem of the moment; the log says so, not each time. */
  readonly refused: (error: SourceUnavailable) => Effect.Effect<void>
  /** The same, of a chain that is another one than the stored, or seems so. */
  readonly forkSuspected: (message: string) => Effect.Effect<void>
}

type Asking = Pick<ChainSourceClient, "newestRefusals" | "refusals" | "refusalsOfCallers" | "unanswered">

/** Milliseconds that something is asked again without an answer before it is a problem. */
const unansweredMs = 4000

export const makeReport = Effect.fnUntraced(function* (chainId: ChainId) {
  const status = yield* SyncStatus
  const clock = yield* Clock.Clock
  const now = () => steadyMillisOf(clock)
  const rates = makeRates(now)
  let logs = 0
  let reached: number | undefined
  let skipped = noCounts
  let healed = 0
  let reorgs = { count: 0, blocks: 0, deepest: 0 }
  /** Answers refused here, and by the source. */
  let own = noFaults
  let bySource = noFaults
  /** Of those of the source, the ones that the service asked itself. */
  let toService = noFaults
  const complain = makeComplaints(chainId)
  /** Undefined = no head yet: there is nothing to be fresh. */
  let heard: number | undefined

  const count = (kind: FaultKind) => {
    own = { ...own, [kind]: own[kind] + 1 }
    status.update(chainId, { faults: addFaults(own, bySource) })
  }

  /** What is asked again and again, since when; and its text while that is the problem. */
  let asking: { readonly id: number; readonly since: number; shown?: string } | undefined
  const showUnanswered = (unanswered: Unanswered | undefined) => {
    const now = steadyMillisOf(clock)
    const shown = asking?.shown
    if (unanswered?.id !== asking?.id) asking = unanswered && { id: unanswered.id, since: now }
    const problem = status.find(chainId)?.problem
    const isOwn = problem === undefined || problem === shown
    if (!isOwn) return
    const isLong = asking !== undefined && now - asking.since >= unansweredMs
    if (isLong) asking!.shown = `asked again for ${Math.round((now - asking!.since) / 1000)} s: ${unanswered!.why}`
    if (isLong || problem !== undefined) status.update(chainId, { problem: isLong ? asking!.shown : undefined })
  }

  const refuse = Effect.fnUntraced(function* (kind: FaultKind | undefined, problem: string) {
    if (kind !== undefined) count(kind)
    status.update(chainId, { problem })
    yield* complain(kind ?? "call", problem)
  })

  return {
    phase: (phase) => status.update(chainId, { phase }),
    head: (headBlock) => {
      heard = now()
      status.update(chainId, { headBlock, heardAt: heard, ...rates.read() })
    },
    tick: Effect.fnUntraced(function* (heardAt = Number.NEGATIVE_INFINITY, source: Asking = {}) {
      const refusedBySource = source.refusals?.() ?? bySource
      const toCallers = source.refusalsOfCallers?.() ?? noFaults
      const toServiceNow = subtractFaults(refusedBySource, toCallers)
      const isOfCallers = sumOfFaults(toCallers) > sumOfFaults(subtractFaults(bySource, toService))
      const more = faultKinds.filter((kind) => toServiceNow[kind] > toService[kind])
      bySource = refusedBySource
      toService = toServiceNow
      const isLater = heard !== undefined && heardAt > heard
      if (isLater) heard = heardAt
      status.update(chainId, { ...(isLater ? { heardAt } : {}), faults: addFaults(own, bySource), ...rates.read() })
      showUnanswered(source.unanswered?.())
      const newest = more.length > 0 ? (source.newestRefusals?.() ?? {}) : {}
      for (const kind of more) {
        yield* complain(`${kind}, asked again`, `${newest[kind] ?? "no reason is known"} (${toService[kind]} so far)`)
      }
      // What they asked is nobody's concern: /ready and the metrics count it by kind.
      if (isOfCallers) yield* complain("callers' questions", `${sumOfFaults(toCallers)} so far`)
    }),
    reached: () => reached,
    taken: ({ fromBlock, toBlock, counts, ...rows }, unknownPool) => {
      reached = toBlock + 1
      logs += rowsOf(rows)
      skipped = addCounts(addCounts(skipped, counts), { malformed: 0, unknownPool })
      rates.add(rowsOf(rows), toBlock - fromBlock + 1)
      status.update(chainId, { logs, skipped, problem: undefined, ...rates.read() })
    },
    indexed: ({ firstBlock, nextBlock, head, finalizedBlock }) => {
      reached = nextBlock
      status.update(chainId, {
        firstBlock,
        indexedBlock: head === undefined ? undefined : nextBlock - 1,
        finalizedBlock: finalizedBlock < 0 ? undefined : Math.min(finalizedBlock, nextBlock - 1),
      })
    },
    progress: (done, secondsLeft) => status.update(chainId, { done, secondsLeft }),
    reorg: (blocks) => {
      reorgs = {
        count: reorgs.count + 1,
        blocks: reorgs.blocks + blocks,
        deepest: Math.max(reorgs.deepest, blocks),
      }
      status.update(chainId, { reorgs })
    },
    healed: (rows) => {
      healed += rows
      status.update(chainId, { healed })
    },
    history: (history) => status.update(chainId, { history }),
    awaitsLedger: (isAwaited) => status.update(chainId, { awaitsLedger: isAwaited || undefined }),
    problem: (problem) => status.update(chainId, { problem }),
    doubt: (doubt) => status.update(chainId, { doubt }),
    noticed: (kind, message) => {
      count(kind)
      return complain(`${kind}, asked again`, message)
    },
    refused: ({ kind, message }) => refuse(kind, message),
    forkSuspected: (message) => refuse("fork", message),
  } satisfies Report
})
