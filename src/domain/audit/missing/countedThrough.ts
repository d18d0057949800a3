/** Which logs are in a block whose receipts count them through it, as the chain does: those prove what is in it, and where. Pure. */
import type { Log } from "../../../model/block.ts"
import { eventText, heldBy, type Lacked, nodesDiffer, notInReceipts, roomBeside, type Weighed } from "./weighed.ts"

export interface CountedThrough extends Lacked {
  /** All of the block's, of all contracts. */
  readonly receipts: ReadonlyArray<Log>
}

/**
 * What is stored may be at places of another node's count. Never more is believed than the receipts hold beside it: of several
 * alike, of which the ledger has some elsewhere, none, for nobody knows which those are. One that they hold at another place
 * only is told by a node that counts otherwise: it is in the block, and lacking.
 */
export const weighCountedThrough = ({ receipts, ...lacked }: CountedThrough): Weighed => {
  const { logs } = lacked
  const room = roomBeside(receipts, lacked)
  const events = new Set(receipts.map(eventText))
  const held = logs.filter((log) => events.has(eventText(log)))
  const disproved = logs.filter((log) => !events.has(eventText(log)))
  const open = held.filter(room.has).filter(heldBy(receipts))
  const crowded = room.crowded(open)
  const believed = open.filter((log) => !crowded.has(log))
  for (const log of believed) room.take(log)
  const known = held.filter((log) => !open.includes(log) && !room.has(log))
  const differing = believed.length + known.length < held.length ? nodesDiffer : undefined
  return { believed, known, disproved, denial: disproved.length > 0 ? notInReceipts : differing }
}
