/** How long is waited for what a consumer knows of and the server that is read has not: a standby has it in a moment. */
import type { EventsGone } from "../../model/errors.ts"
import type { ChainPosition } from "../../model/events/position.ts"
import type { LedgerMark } from "../../ports/EventStore.ts"
import type { ReadServers } from "../../ports/ReadServers.ts"
import { goneOfAnother, goneOfLost, lacksCorrection } from "./advance.ts"

/** A standby that reads go to is seconds behind at most, but for one that is read because nothing else is there. */
export const mostWaitMs = 10_000

/** How far what is read lies behind what is written, at most, in milliseconds; undefined = nobody knows. */
export const makeLagMs = (servers: ReadServers["Service"]) => (): number | undefined => {
  const used = servers.list().find(({ isUsed }) => isUsed)
  return used?.isStandby === true ? used.lagMs : 0
}

/**
 * Whatever one was told before one came here, the server has once it was waited for as long as it lies behind, or never.
 * `lags`: how far that was, before and after the last look.
 */
export const goneAfter = (
  waitedMs: number,
  lags: ReadonlyArray<number | undefined>,
  mark: LedgerMark,
  position: ChainPosition,
): EventsGone | undefined => {
  const isOver = (unknownMs: number) => waitedMs >= Math.max(mostWaitMs, ...lags.map((lag) => lag ?? unknownMs))
  // To begin anew is never wrong: nobody waits for ever for a ledger that was replaced.
  const another = goneOfAnother(mark, position)
  if (another !== undefined) return isOver(0) ? another : undefined
  return lacksCorrection(mark, position) && isOver(Number.POSITIVE_INFINITY) ? goneOfLost(mark, position) : undefined
}
