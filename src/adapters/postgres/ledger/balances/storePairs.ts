/** An append's end: the newest versions of all touched pairs go into `balance`. */
import type { Fragment, Sql } from "postgres"
import { byteaArray, numberArray } from "../../database/arrays.ts"
import { isKey } from "../wire/byKey.ts"
import { CopyRows, copyIn } from "../wire/copy.ts"
import type { Session } from "../wire/session.ts"
import type { Folding } from "./fold.ts"
import { sortedByHolder } from "./lookup.ts"
import { writeBalance, writePair } from "./pairRows.ts"
import { flag, type Pairs } from "./pairs.ts"

/** New pairs by COPY straight into the table, changed ones by COPY and one update, both in the order of the key. */
export const storePairs = async (session: Session, folding: Folding): Promise<void> => {
  const { pairs } = folding
  const { created, changed } = sortPairs(folding)
  if (created.length > 0) {
    const target = "balance (token_id, holder, holder_no, block_number, balance)"
    await copyIn(session, target, encodePairs(pairs, created, true))
  }
  if (changed.length > 0) {
    await copyIn(session, "changed (token_id, holder, block_number, balance)", encodePairs(pairs, changed, false))
    await updatePairs(session, (sql) => sql`changed c`)
  }
}

/** The same of a few, as two statements that are sent one behind the other. */
export const storeFewPairs = async (session: Session, folding: Folding): Promise<void> => {
  const { pairs } = folding
  const { created, changed } = sortPairs(folding)
  const columns = (indexes: ReadonlyArray<number>) => ({
    tokens: numberArray(indexes.map((index) => Math.abs(pairs.get(index, "token")))),
    holders: byteaArray(indexes.map((index) => pairs.accountHex(index))),
    blocks: numberArray(indexes.map((index) => pairs.get(index, "block"))),
    balances: numberArray(indexes.map((index) => pairs.balanceOf(index))),
  })
  const sent: Array<Promise<unknown>> = []
  if (created.length > 0) {
    const { tokens, holders, blocks, balances } = columns(created)
    const numbers = numberArray(created.map((index) => pairs.get(index, "holderNo")))
    sent.push(
      session.run(
        (sql) => sql`
          insert into balance (token_id, holder, holder_no, block_number, balance)
          select * from unnest(${tokens}::text::int4[], ${holders}::text::bytea[], ${numbers}::text::int4[],
                               ${blocks}::text::int4[], ${balances}::text::numeric[])`,
      ),
    )
  }
  if (changed.length > 0) {
    const { tokens, holders, blocks, balances } = columns(changed)
    const rows = (sql: Sql) => sql`
      unnest(${tokens}::text::int4[], ${holders}::text::bytea[], ${blocks}::text::int4[], ${balances}::text::numeric[])
        as c (token_id, holder, block_number, balance)`
    sent.push(updatePairs(session, rows))
  }
  await Promise.all(sent)
}

/** In the order of the key: those that are new, and those that are stored. */
const sortPairs = ({ pairs, dirty }: Folding) => {
  const created: Array<number> = []
  const changed: Array<number> = []
  for (const place of sortedByHolder(pairs, dirty)) {
    const index = dirty[place]!
    if (pairs.hasFlag(index, flag.stored)) changed.push(index)
    else created.push(index)
  }
  return { created, changed }
}

const updatePairs = (session: Session, changed: (sql: Sql) => Fragment) =>
  session.run(
    (sql) => sql`
      update balance b set block_number = c.block_number, balance = c.balance
      from ${changed(sql)} where ${isKey(sql, sql`b.holder, b.token_id`, sql`c.holder, c.token_id`)}`,
  )

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
