/** Which server reads go to: the first in order that is near enough, at last the primary. Pure. */

import { oldestVersion } from "../database/serverCheck.ts"
import type { Look } from "./lag.ts"

/** A server in the order of preference. */
export interface Candidate {
  readonly isPrimary: boolean
  /** Absent = it does not answer. */
  readonly look?: Look
  /** Why it does not, where that can be said. */
  readonly silence?: string
  /** The next look is still to say whether it answers. */
  readonly isAwaited?: true
  /** Why it may not be read whatever it answers, in plain words; absent = nothing is known that says so. */
  readonly obstacle?: string
  /** What it has replayed is not the primary's. */
  readonly isOfOtherLog?: true
  /** Milliseconds; absent = not known. */
  readonly lagMs?: number
}

/** Why a server is passed over, in plain words; undefined = it is not. */
export const problemOf = (
  { look, silence, obstacle, isOfOtherLog, lagMs }: Candidate,
  maxLagMs: number,
): string | undefined => {
  if (obstacle !== undefined) return obstacle
  if (look === undefined) return silence === undefined ? "it does not answer" : `it does not answer: ${silence}`
  if (look.number < oldestVersion * 10_000)
    return `PostgreSQL ${oldestVersion} or newer is needed, it is ${look.version}`
  if (isOfOtherLog) return "its log is not the primary's: a failover left it behind, or it follows another server"
  if (lagMs === undefined) return "how far it is behind is not known"
  return lagMs > maxLagMs ? `it is ${Math.round(lagMs)} ms behind (MAX_READ_LAG_MS is ${maxLagMs})` : undefined
}

/** Its place in the list. Where none will do: the primary if it answers, else of those that do, and have its log, the one that is least behind. */
export const chooseServer = (candidates: ReadonlyArray<Candidate>, maxLagMs: number): number => {
  const good = candidates.findIndex((it) => problemOf(it, maxLagMs) === undefined)
  if (good >= 0) return good
  const primary = candidates.findIndex(({ isPrimary }) => isPrimary)
  const answers = ({ look, isAwaited, obstacle, isOfOtherLog }: Candidate) =>
    obstacle === undefined && isOfOtherLog !== true && (look !== undefined || isAwaited === true)
  if (primary >= 0 && answers(candidates[primary]!)) return primary
  let best = Math.max(primary, 0)
  const lag = ({ look, obstacle, isOfOtherLog, lagMs = Number.MAX_VALUE }: Candidate) =>
    look === undefined || obstacle !== undefined || isOfOtherLog ? Number.POSITIVE_INFINITY : lagMs
  candidates.forEach((it, place) => {
    if (lag(it) < lag(candidates[best]!)) best = place
  })
  return best
}
