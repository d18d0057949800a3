/** A segment's end: the newest versions of all touched pairs go into `balance`. */
import { CopyRows, copyIn } from "./copy.ts"
import { type Folding, writeBalance, writePair } from "./fold.ts"
import { sortedByHolder } from "./lookup.ts"
import { flag } from "./pairs.ts"
import type { Session } from "./session.ts"

/** Once a session; emptied by each commit. */
export const prepareChanges = (session: Session): Promise<unknown> =>
  session.run((sql) =>
    sql.unsafe(`
      create temporary table changed (token_id int4, holder bytea, block_number int4, balance numeric)
      on commit delete rows`),
  )

/** New pairs by COPY straight into the table, changed ones by COPY and one update, both in the order of the key. */
export const storeBalances = async (session: Session, folding: Folding): Promise<void> => {
  const { pairs, dirty } = folding
  const created = new CopyRows(5)
  const changed = new CopyRows(4)
  for (const place of sortedByHolder(pairs, dirty)) {
    const index = dirty[place]!
    const stored = pairs.hasFlag(index, flag.stored)
    const rows = stored ? changed : created
    rows.row()
    writePair(rows, pairs, index)
    if (!stored) rows.int4(pairs.get(index, "holderNo"))
    rows.int4(pairs.get(index, "block"))
    writeBalance(rows, pairs, index)
  }
  if (created.rows > 0) {
    await copyIn(session, "balance (token_id, holder, holder_no, block_number, balance)", created.take())
  }
  if (changed.rows > 0) {
    await copyIn(session, "changed (token_id, holder, block_number, balance)", changed.take())
    await session.run(
      (sql) => sql`
        update balance b set block_number = c.block_number, balance = c.balance
        from changed c where b.holder = c.holder and b.token_id = c.token_id`,
    )
  }
}

/** After the commit: what was written is stored. The cache may hold `maxPairs`. */
export const settlePairs = ({ pairs, dirty }: Folding, maxPairs: number): void => {
  for (const index of dirty) {
    pairs.set(index, "flags", (pairs.get(index, "flags") & ~flag.dirty) | flag.stored)
  }
  pairs.evict(maxPairs)
}
