/** Runs folded into balances and their history, a part of the pairs at a time: each part and where it ends are one transaction. */
import { setImmediate as turn } from "node:timers/promises"
import { copyIn, slicesOfCopy } from "../wire/copy.ts"
import { type Session, transaction } from "../wire/session.ts"
import { storeCounts } from "./counts.ts"
import { PairFold } from "./foldPairs.ts"
import type { Merge } from "./merge.ts"
import { type BulkState, storeStage } from "./stage.ts"

/** Folds the next part, of so many sides and the rest of a pair; gives where the load stands then. `merge`: as the part before left it. */
export const deriveBalances = async (
  session: Session,
  merge: Merge,
  state: BulkState,
  mostSides: number,
): Promise<BulkState> => {
  const fold = new PairFold(state.token, state.holderSeq)
  return transaction(session, async () => {
    let flushed: Promise<void> = Promise.resolve()
    const flush = () => {
      const parts = [
        ["balance_history (token_id, holder_no, block_number, balance)", fold.history] as const,
        ["balance (token_id, holder, holder_no, block_number, balance)", fold.balances] as const,
      ].flatMap(([target, rows]) => (rows.rows === 0 ? [] : [[target, rows.take()] as const]))
      flushed = flushed.then(async () => {
        for (const [target, slices] of parts) await copyIn(session, target, slices)
      })
      flushed.catch(() => {})
    }
    let sides = 0
    let gathered = 0
    while (merge.heap.length > 0) {
      const cursor = merge.heap[0]!
      if (fold.isOther(cursor)) {
        if (sides >= mostSides) break
        fold.begin(cursor)
      }
      fold.add(cursor)
      sides++
      if (!merge.advance()) await merge.refill()
      const slices = fold.history.slices.length + fold.balances.slices.length
      if (slices === gathered) continue
      gathered = slices
      // What is on its way goes on: nothing is sent while this goes through sides.
      await turn()
      if (slices < slicesOfCopy) continue
      await flushed
      flush()
      gathered = 0
    }
    fold.end()
    const { token, holderSeq } = fold.count()
    flush()
    await flushed
    await storeCounts(session, fold.counts)
    const { positions } = merge
    const isDone = merge.heap.length === 0
    const next: BulkState = isDone
      ? { ...state, stage: "ids", positions, token: 0, holderSeq: 1 }
      : { ...state, positions, token, holderSeq }
    await storeStage(session, next)
    return next
  })
}
