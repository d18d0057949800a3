/** An append's end: the newest versions of all touched pairs go into `balance`. */
import type { Fragment, Sql } from "postgres"
import { byteaArray, numberArray } from "../../database/arrays.ts"
import { CopyRows, copyIn } from "../wire/copy.ts"
import { copyChanged } from "../wire/copyChanged.ts"
import type { Session } from "../wire/session.ts"
import type { Folding } from "./fold.ts"
import { sortedByHolder } from "./lookup.ts"
import { writeBalance, writePair } from "./pairRows.ts"
import { flag, type Pairs } from "./pairs.ts"

const columns = "token_id, holder, holder_no, block_number, balance"

/** New pairs by COPY straight into the table, changed ones by COPY and one update, both in the order of the key. */
export const storePairs = async (session: Session, folding: Folding): Promise<void> => {
  const { pairs } = folding
  const { created, changed } = sortPairs(folding)
  if (created.length > 0) await copyIn(session, `balance (${columns})`, encodePairs(pairs, created))
  if (changed.length > 0) {
    await copyChanged(session, "changed", columns, encodePairs(pairs, changed))
    await updatePairs(session, (sql) => sql`changed`)
  }
}

/** The same of a few, as two statements that are sent one behind the other. They are put together by this call, and sent by what it gives. */
export const encodeFewPairs = (folding: Folding): ((session: Session) => Promise<unknown>) => {
  const { created, changed } = sortPairs(folding)
  const [rowsCreated, rowsChanged] = [rowsOf(folding.pairs, created), rowsOf(folding.pairs, changed)]
  return (session) =>
    Promise.all([
      created.length > 0 &&
        session.run(
          (sql) => sql`
        insert into balance (${sql.unsafe(columns)}) select ${sql.unsafe(columns)} from ${rowsCreated(sql)}`,
        ),
      changed.length > 0 && updatePairs(session, rowsChanged),
    ])
}

/** Rows of these pairs in a statement. */
const rowsOf = (pairs: Pairs, indexes: ReadonlyArray<number>) => {
  const of = (field: "holderNo" | "block") => numberArray(indexes.map((index) => pairs.get(index, field)))
  const tokens = numberArray(indexes.map((index) => Math.abs(pairs.get(index, "token"))))
  const holders = byteaArray(indexes.map((index) => pairs.accountHex(index)))
  const [numbers, blocks] = [of("holderNo"), of("block")]
  const balances = numberArray(indexes.map((index) => pairs.balanceOf(index)))
  return (sql: Sql) => sql`
    unnest(${tokens}::text::int4[], ${holders}::text::bytea[], ${numbers}::text::int4[], ${blocks}::text::int4[],
           ${balances}::text::numeric[])
      as c (${sql.unsafe(columns)})`
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

/** Of pairs that are stored. The conflict names the key, so that no planner chooses an index (see `byKey.ts`). */
const updatePairs = (session: Session, changed: (sql: Sql) => Fragment) =>
  session.run(
    (sql) => sql`
      insert into balance (${sql.unsafe(columns)}) select ${sql.unsafe(columns)} from ${changed(sql)}
      on conflict (holder, token_id) do update set block_number = excluded.block_number, balance = excluded.balance`,
  )

/** Slice by slice, as they are sent: hundreds of thousands of rows are never in memory at once. */
function* encodePairs(pairs: Pairs, indexes: ReadonlyArray<number>): Iterable<Uint8Array> {
  const rows = new CopyRows(5)
  for (const index of indexes) {
    rows.row()
    writePair(rows, pairs, index)
    rows.int4(pairs.get(index, "holderNo"))
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
