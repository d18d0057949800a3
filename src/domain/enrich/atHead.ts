/** Whether a ledger is near its chain's head: before, it speaks of another time, and a first sync has the machine to itself. */
import type { FollowedLedger } from "../ingest/status/FollowedLedger.ts"

/** Blocks behind the node. */
const farBehind = 1000

export const isAtHead = ({ checkpoint, nodeHead }: FollowedLedger): boolean => {
  const { nextBlock, head } = checkpoint()
  return head !== undefined && nextBlock > nodeHead() - farBehind
}
