/** A chain's history from elsewhere: whether it is used at the moment, what was taken from it, and why it was left. */
import { Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { backoffMs } from "../../../model/time/backoff.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { HistoryClient, HistoryUnavailable } from "../../../ports/HistorySource.ts"
import type { HistoryStatus } from "../../../ports/SyncStatus.ts"
import { type Evidence, makeEvidence } from "../evidence/Evidence.ts"
import type { Report } from "../status/report.ts"
import type { BlockRange } from "../verify/rangeAnswers.ts"

/** How much of it is compared with the node: all, or what comes first and then by sample; a number: of so many logs, or blocks where those are more. */
export type HistoryCheck = "auto" | "all" | "sample" | number

const firstOf = { auto: 8_000_000, all: Number.POSITIVE_INFINITY, sample: 32_000 } as const

const waits = { firstMs: 1000, capMs: 60_000 }
/** Nothing else is read while it is waited for: so many times as long it is left then. */
const restsPerWait = 10

export interface History {
  readonly chainId: ChainId
  readonly startBlock: number
  readonly client: HistoryClient
  /** So much of it is compared whatever else is: logs, or blocks where those are more. */
  readonly firstCompared: number
  readonly report: Pick<Report, "history">
  /** What samples of its blocks taught. */
  readonly evidence: Evidence
  /** So much of it was looked at, likewise. */
  looked: number
  /** Parts that were taken without being compared, and the blocks between which they lie. */
  unseen: { readonly parts: number; readonly from: number; readonly to: number } | undefined
  /** The first block that this process asked for: of those before it nobody knows by now how they were checked. */
  begunAt: number | undefined
  /** Failures in a row. */
  failures: number
  /** It is not asked before; steady milliseconds. Infinity = it told what is not so. */
  restsUntil: number
  status: HistoryStatus
}

interface HistorySettings {
  readonly chainId: ChainId
  readonly startBlock: number
  readonly historyCheck?: HistoryCheck
}

export const makeHistory = (
  { chainId, startBlock, historyCheck: check = "auto" }: HistorySettings,
  client: HistoryClient,
  report: Pick<Report, "history">,
): History => {
  const status: HistoryStatus = {
    source: client.label,
    isUsed: false,
    logs: { history: 0, node: 0 },
    blocks: { history: 0, node: 0 },
    bytes: 0,
    compared: 0,
  }
  report.history(status)
  const firstCompared = typeof check === "number" ? check : firstOf[check]
  const known = { looked: 0, unseen: undefined, begunAt: undefined, failures: 0, restsUntil: Number.NEGATIVE_INFINITY }
  return { chainId, startBlock, client, firstCompared, report, evidence: makeEvidence(), ...known, status }
}

export const tell = (history: History, change: Partial<HistoryStatus>): void => {
  history.status = { ...history.status, ...change }
  history.report.history(history.status)
}

/** What it told of these blocks was taken, and not compared. */
export const takeUnseen = (history: History, { from, to }: BlockRange): void => {
  const { parts, ...before } = history.unseen ?? { parts: 0, from, to }
  history.unseen = { parts: parts + 1, from: Math.min(before.from, from), to: Math.max(before.to, to) }
}

export const isLeft = ({ restsUntil }: History): boolean => restsUntil === Number.POSITIVE_INFINITY

/** It failed, waited for so long: the node goes on, and it is asked again later. */
export const rest = Effect.fnUntraced(function* (
  history: History,
  { message, retryAfterMs }: HistoryUnavailable,
  waitedMs: number,
) {
  if (isLeft(history)) return
  const { chainId, failures } = history
  const waitMs = Math.max(retryAfterMs ?? 0, backoffMs(waits, failures), restsPerWait * waitedMs)
  history.failures++
  history.restsUntil = (yield* steadyMillis) + waitMs
  tell(history, { isUsed: false, left: message })
  const line = `chain ${chainId}: the history is left for ${Math.ceil(waitMs / 1000)} s, the node goes on: ${message}`
  // Of failures in a row the log has the first, and then ever fewer.
  if ((failures & (failures + 1)) === 0) yield* Effect.logWarning(line)
})

/** What it told is not so: it is not asked again until the service starts again. */
export const leave = Effect.fnUntraced(function* (history: History, why: string) {
  if (isLeft(history)) return
  history.restsUntil = Number.POSITIVE_INFINITY
  const { unseen, begunAt, startBlock } = history
  const before =
    unseen === undefined
      ? ""
      : `; ${unseen.parts} parts of blocks ${unseen.from} to ${unseen.to} that it told before were checked by sample only: a resync reads them again`
  const longBefore =
    begunAt === undefined || begunAt <= startBlock
      ? ""
      : `; which of the blocks before ${begunAt} it told, and how they were checked, is not known any more, another process stored them: a resync reads those again too`
  const left = `${history.client.label}: ${why}${before}${longBefore}`
  tell(history, { isUsed: false, left })
  yield* Effect.logError(
    `chain ${history.chainId}: the history is left for the node until the service starts again: ${left}`,
  )
})
