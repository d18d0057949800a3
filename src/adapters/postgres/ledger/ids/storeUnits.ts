/** An append's end for ERC-1155: the newest versions of all touched units go into `unit_balance`. */
import type { Fragment, Sql } from "postgres"
import { hexArray, numberArray } from "../../database/arrays.ts"
import { CopyRows, copyIn } from "../wire/copy.ts"
import { copyChanged } from "../wire/copyChanged.ts"
import type { Session } from "../wire/session.ts"
import { sortStored } from "./sortStored.ts"
import { byKey, type Unit, type Units } from "./units.ts"

const columns = "holder, token_id, nft_id, block_number, balance, unit_no"

/** New units by COPY straight into the table, changed ones by COPY and one update, in the order of the key. */
export const storeUnits = async (session: Session, { touched }: Units): Promise<void> => {
  const { created, changed } = sortStored(touched, byKey)
  if (created.length > 0) await copyIn(session, `unit_balance (${columns})`, encode(created))
  if (changed.length === 0) return
  await copyChanged(session, "changed_unit", columns, encode(changed))
  await updateUnits(session, (sql) => sql`changed_unit`)
}

/** The same of a few, as two statements that are sent one behind the other. */
export const storeFewUnits = async (session: Session, { touched }: Units): Promise<void> => {
  const { created, changed } = sortStored(touched, byKey)
  await Promise.all([
    created.length > 0 &&
      session.run(
        (sql) => sql`
          insert into unit_balance (${sql.unsafe(columns)}) select ${sql.unsafe(columns)} from ${rowsOf(sql, created)}`,
      ),
    changed.length > 0 && updateUnits(session, (sql) => rowsOf(sql, changed)),
  ])
}

const rowsOf = (sql: Sql, units: ReadonlyArray<Unit>): Fragment => {
  const of = (value: (unit: Unit) => number | bigint) => numberArray(units.map(value))
  return sql`
    unnest(${hexArray(units.map(({ holder }) => holder))}::text::bytea[], ${of(({ tokenId }) => tokenId)}::text::int4[],
           ${of(({ nftId }) => nftId)}::text::numeric[], ${of(({ blockNumber }) => blockNumber)}::text::int4[],
           ${of(({ balance }) => balance)}::text::numeric[], ${of(({ unitNo }) => unitNo)}::text::int4[])
      as c (${sql.unsafe(columns)})`
}

/** As of pairs: the conflict names the key. */
const updateUnits = (session: Session, changed: (sql: Sql) => Fragment) =>
  session.run(
    (sql) => sql`
      insert into unit_balance (${sql.unsafe(columns)}) select ${sql.unsafe(columns)} from ${changed(sql)}
      on conflict (holder, token_id, nft_id) do update
        set block_number = excluded.block_number, balance = excluded.balance`,
  )

function* encode(units: ReadonlyArray<Unit>): Iterable<Uint8Array> {
  const rows = new CopyRows(6)
  for (const { holder, tokenId, nftId, blockNumber, balance, unitNo } of units) {
    rows.row()
    rows.bytea(holder, 20)
    rows.int4(tokenId)
    rows.bigNumeric(nftId)
    rows.int4(blockNumber)
    rows.bigNumeric(balance)
    rows.int4(unitNo)
    if (rows.slices.length > 0) yield* rows.slices.splice(0)
  }
  yield* rows.take()
}

/** After the commit: what was written is stored. Beyond `maxIds` all are forgotten. */
export const settleUnits = (units: Units, maxIds: number): void => {
  for (const unit of units.touched) {
    unit.stored = true
    unit.touched = false
  }
  units.touched.length = 0
  if (units.known.size > maxIds) units.clear()
}
