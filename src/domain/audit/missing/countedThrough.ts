/** Which logs are in a block whose receipts count them through it, as the chain does: those prove what is in it, and where. Pure. */
import type { Log } from "../../../model/block.ts"
import { eventText, heldBy, type Lacked, nodesDiffer, notInReceipts, roomBeside, type Weighed } from "./weighed.ts"

export interface CountedThrough extends Lacked {
  /** All of the block's, of all contracts. */
  readonly receipts: ReadonlyArray<Log>
}

/**
 * What is stored may be at places of another node's count. Never more is believed than the receipts hold beside it: of several
 * alike, of which the ledger has some elsewhere, none, for nobody knows which those are.
 */
export const weighCountedThrough = ({ receipts, ...lacked }: CountedThrough): Weighed => {
  const { logs } = lacked
  const room = roomBeside(receipts, lacked)
  const isIn = heldBy(receipts)
  const events = new Set(receipts.map(eventText))
  const isKnown = (log: Log) => events.has(eventText(log)) && !room.has(log)
  const disproved = logs.filter((log) => !isKnown(log) && !isIn(log))
  const open = logs.filter((log) => !isKnown(log) && isIn(log))
  const crowded = room.crowded(open)
  const differing = crowded.size > 0 ? nodesDiffer : undefined
  return {
    believed: open.filter((log) => !crowded.has(log)),
    known: logs.filter(isKnown),
    disproved,
    denial: disproved.length > 0 ? notInReceipts : differing,
  }
}
