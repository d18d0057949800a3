/** A head at or below the ledger's: a node behind another, unless it shows a different block at a height we have. */
import { Effect } from "effect"
import type { BlockHeader } from "../../../model/block.ts"
import type { FollowState } from "../state/FollowState.ts"
import { Detached } from "../state/forkErrors.ts"
import type { Lag } from "./lag.ts"

/** Where it is the very block that the ledger ends with, all is well. */
export const checkShorterHead = Effect.fnUntraced(function* (
  { ledger, report, source }: Pick<FollowState, "ledger" | "report" | "source">,
  lag: Lag,
  announced: BlockHeader,
) {
  const { head, nextBlock } = ledger.checkpoint()
  const own =
    head?.number === announced.number
      ? head
      : (yield* ledger.recentHeaders).find(({ number }) => number === announced.number)
  if (own !== undefined && own.hash !== announced.hash) {
    return yield* new Detached({ kind: "fork", message: `block ${own.number} is another one than the one stored` })
  }
  if (announced.number === nextBlock - 1) {
    if (lag.end()) report.problem(undefined)
    return
  }
  // Nothing at that height to compare with: the chain may have been begun anew.
  if (own === undefined && (yield* lag.isLong)) yield* source.checkIdentity
  yield* lag.note(`the node is at block ${announced.number}, the ledger at ${nextBlock - 1}`)
})
