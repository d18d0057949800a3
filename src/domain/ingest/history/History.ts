/** A chain's history from elsewhere: whether it is used at the moment, what was taken from it, and why it was left. */
import { Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { backoffMs } from "../../../model/time/backoff.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { HistoryClient, HistoryUnavailable } from "../../../ports/HistorySource.ts"
import type { HistoryStatus } from "../../../ports/SyncStatus.ts"
import { type Evidence, makeEvidence } from "../evidence/Evidence.ts"
import type { Report } from "../status/report.ts"

/** How many of its parts are compared with the node: see `checks.ts`. */
export type HistoryCheck = "auto" | "all" | "sample"

const waits = { firstMs: 1000, capMs: 60_000 }

export interface History {
  readonly chainId: ChainId
  readonly client: HistoryClient
  readonly check: HistoryCheck
  readonly report: Pick<Report, "history">
  /** What samples of its blocks taught. */
  readonly evidence: Evidence
  /** Parts that were taken, and those of them that the node was asked about. */
  parts: number
  compared: number
  /** Failures in a row. */
  failures: number
  /** It is not asked before; steady milliseconds. Infinity = it told what is not so. */
  restsUntil: number
  status: HistoryStatus
}

export const makeHistory = (
  chainId: ChainId,
  client: HistoryClient,
  check: HistoryCheck,
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
  const counts = { parts: 0, compared: 0, failures: 0, restsUntil: Number.NEGATIVE_INFINITY }
  return { chainId, client, check, report, evidence: makeEvidence(), ...counts, status }
}

export const tell = (history: History, change: Partial<HistoryStatus>): void => {
  history.status = { ...history.status, ...change }
  history.report.history(history.status)
}

export const isLeft = ({ restsUntil }: History): boolean => restsUntil === Number.POSITIVE_INFINITY

/** It failed: the node goes on, and it is asked again later. */
export const rest = Effect.fnUntraced(function* (history: History, { message, retryAfterMs }: HistoryUnavailable) {
  if (isLeft(history)) return
  const { chainId, failures } = history
  const waitMs = Math.max(retryAfterMs ?? 0, backoffMs(waits, failures))
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
  const unseen = history.parts - history.compared
  const before =
    unseen === 0 ? "" : `; ${unseen} parts that it told before were checked by sample only: a resync reads them again`
  const left = `${history.client.label}: ${why}${before}`
  tell(history, { isUsed: false, left })
  yield* Effect.logError(
    `chain ${history.chainId}: the history is left for the node until the service starts again: ${left}`,
  )
})
