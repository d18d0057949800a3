/** An append's end: the newest versions of all touched pairs go into `balance`. */
import { isKey } from "../wire/byKey.ts"
import { CopyRows, copyIn } from "../wire/copy.ts"
import type { Session } from "../wire/session.ts"
import type { Folding } from "./fold.ts"
import { sortedByHolder } from "./lookup.ts"
import { writeBalance, writePair } from "./pairRows.ts"
import { flag, type Pairs } from "./pairs.ts"

/** New pairs by COPY straight into the table, changed ones by COPY and one update, both in the order of the key. */
export const storePairs = async (session: Session, folding: Folding): Promise<void> => {
  const { pairs, dirty } = folding
  const created: Array<number> = []
  const changed: Array<number> = []
  for (const place of sortedByHolder(pairs, dirty)) {
    const index = dirty[place]!
    if (pairs.hasFlag(index, flag.stored)) changed.push(index)
    else created.push(index)
  }
  if (created.length > 0) {
    const target = "balance (token_id, holder, holder_no, block_number, balance)"
    await copyIn(session, target, encodePairs(pairs, created, true))
  }
  if (changed.length > 0) {
    await copyIn(session, "changed (token_id, holder, block_number, balance)", encodePairs(pairs, changed, false))
    await session.run(
      (sql) => sql`
        update balance b set block_number = c.block_number, balance = c.balance
        from changed c where ${isKey(sql, sql`b.holder, b.token_id`, sql`c.holder, c.token_id`)}`,
    )
  }
}

/** Slice by slice, as they are sent: hundreds of thousands of rows are never in memory at once. */
function* encodePairs(pairs: Pairs, indexes: ReadonlyArray<number>, numbered: boolean): Iterable<Uint8Array> {
  const rows = new CopyRows(numbered ? 5 : 4)
  for (const index of indexes) {
    rows.row()
    writePair(rows, pairs, index)
    if (numbered) rows.int4(pairs.get(index, "holderNo"))
    rows.int4(pairs.get(index, "block"))
    writeBalance(rows, pairs, index)
    if (rows.slices.length > 0) yield* rows.slices.splice(0)
  }
  yield* rows.take()
}

/** After the commit: what was written is stored. The cache may hold `maxPairs`. */
export const settlePairs = ({ pairs, dirty }: Folding, maxPairs: number): void => {
  for (const index of dirty) {
    pairs.set(index, "flags", (pairs.get(index, "flags") & ~flag.dirty) | flag.stored)
  }
  pairs.evict(maxPairs)
}
