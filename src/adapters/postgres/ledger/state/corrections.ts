/** The journal of rows that went or came behind the backs of consumers of events: written in the rollback's or the heal's own transaction. */
import type { Fragment, Sql } from "postgres"
import { numberArray, optionalHexArray } from "../../database/arrays.ts"
import type { Session } from "../wire/session.ts"

/** A row as consumers know it. */
export interface CorrectedRow {
  /** An int8 as text: it may be beyond 2⁵³. */
  readonly pos: string
  readonly place: number
  readonly kind: number
  readonly standard: number
  readonly block_hash?: string
  readonly tx_hash: string
  readonly token: string
  readonly token_out?: string
  readonly from_addr?: string
  readonly to_addr?: string
  readonly nft_id?: string
  readonly amount?: string
  readonly amount_out?: string
}

/** Rows of an insert: a long reorg has many. */
const rowsAtOnce = 5000

/** What block `fromBlock` and all above it hold, as consumers know it. Before any of it is removed. */
export const findRows = (session: Session, fromBlock: number): Promise<ReadonlyArray<CorrectedRow>> =>
  session.run((sql) => {
    const low = sql`${fromBlock}::int8 << 24`
    return sql<Array<CorrectedRow>>`
      select r.pos::text as pos, r.place, r.kind, r.standard, b.hash as block_hash, r.tx_hash, r.token, r.token_out,
             r.from_addr, r.to_addr, r.nft_id::text as nft_id, r.amount::text as amount, r.amount_out::text as amount_out
      from (
        select k.first_pos as pos, 0 as place, 0 as kind, k.standard::int4, coalesce(k.first_tx, '\\x') as tx_hash,
               k.address as token, null::bytea as token_out, null::bytea as from_addr, null::bytea as to_addr,
               null::numeric as nft_id, null::numeric as amount, null::numeric as amount_out
        from token k where k.first_pos >= ${low}
        union all
        select t.pos, 1, 1, 20, t.tx_hash, k.address, null, t.from_addr, t.to_addr, null, t.amount, null
        from erc20_transfer t, token k where t.pos >= ${low} and k.token_id = t.token_id
        union all
        select t.pos, t.sub + 1, 1, 721, t.tx_hash, k.address, null, t.from_addr, t.to_addr, t.nft_id, null, null
        from erc721_transfer t, token k where t.pos >= ${low} and k.token_id = t.token_id
        union all
        select t.pos, t.sub + 1, 1, 1155, t.tx_hash, k.address, null, t.from_addr, t.to_addr, t.nft_id, t.amount, null
        from erc1155_transfer t, token k where t.pos >= ${low} and k.token_id = t.token_id
        union all
        select t.pos, 1, 2, 20, t.tx_hash, i.address, o.address, null, null, null, t.qty_in, t.qty_out
        from swap t, asset i, asset o
        where t.pos >= ${low} and i.asset_no = t.in_no and o.asset_no = t.out_no
      ) r left join block b on b.number = (r.pos >> 24)::int4`
  })

/** The contracts of these tokens as consumers know them, by their first places. */
export const findBirths = (session: Session, tokenIds: ReadonlyArray<number>): Promise<ReadonlyArray<CorrectedRow>> =>
  session.run(
    (sql) => sql<Array<CorrectedRow>>`
      select k.first_pos::text as pos, 0 as place, 0 as kind, k.standard::int4 as standard, b.hash as block_hash,
             coalesce(k.first_tx, '\\x') as tx_hash, k.address as token
      from token k left join block b on b.number = (k.first_pos >> 24)::int4
      where k.token_id = any(${numberArray(tokenIds)}::text::int4[])`,
  )

export interface Corrected {
  readonly number: number
  readonly isHeal: boolean
  readonly removed: ReadonlyArray<CorrectedRow>
  readonly added: ReadonlyArray<CorrectedRow>
}

/** Keeps the rows of a correction for `keptDays`; those of older ones go. */
export const keepCorrection = async (
  session: Session,
  { number, isHeal, removed, added }: Corrected,
  keptDays: number,
): Promise<void> => {
  await session.run(
    (sql) => sql`
      insert into correction (rollback_no, is_heal, at) values (${number}, ${isHeal}, extract(epoch from now())::int8)`,
  )
  const rows = [...removed.map((row) => ({ ...row, added: false })), ...added.map((row) => ({ ...row, added: true }))]
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const some = rows.slice(start, start + rowsAtOnce)
    await session.run((sql) => sql`insert into corrected_row ${insertedRows(sql, number, some)}`)
  }
  await forgetOld(session, keptDays)
}

const insertedRows = (
  sql: Sql,
  number: number,
  rows: ReadonlyArray<CorrectedRow & { readonly added: boolean }>,
): Fragment => {
  const numbers = (of: (row: CorrectedRow) => string | undefined) =>
    `{${rows.map((row) => of(row) ?? "null").join(",")}}`
  const hex = (of: (row: CorrectedRow) => string | undefined) => optionalHexArray(rows.map(of))
  return sql`
    (rollback_no, pos, place, added, kind, standard, block_hash, tx_hash, token, token_out, from_addr, to_addr,
     nft_id, amount, amount_out)
    select ${number}::int4, r.* from unnest(
      ${numbers(({ pos }) => pos)}::text::int8[], ${numberArray(rows.map(({ place }) => place))}::text::int4[],
      ${`{${rows.map((row) => row.added).join(",")}}`}::text::boolean[],
      ${numberArray(rows.map(({ kind }) => kind))}::text::int2[],
      ${numberArray(rows.map(({ standard }) => standard))}::text::int2[],
      ${hex((row) => row.block_hash)}::text::bytea[], ${hex((row) => row.tx_hash)}::text::bytea[],
      ${hex((row) => row.token)}::text::bytea[], ${hex((row) => row.token_out)}::text::bytea[],
      ${hex((row) => row.from_addr)}::text::bytea[], ${hex((row) => row.to_addr)}::text::bytea[],
      ${numbers((row) => row.nft_id)}::text::numeric[], ${numbers((row) => row.amount)}::text::numeric[],
      ${numbers((row) => row.amount_out)}::text::numeric[]) r`
}

/** Corrections themselves stay: that one was forgotten must be known. */
const forgetOld = async (session: Session, keptDays: number): Promise<void> => {
  const old = await session.run(
    (sql) => sql<Array<{ rollback_no: number }>>`
      update correction set forgotten = true
      where not forgotten and at < extract(epoch from now())::int8 - ${keptDays * 86_400}::int8 returning rollback_no`,
  )
  if (old.length === 0) return
  const numbers = numberArray(old.map(({ rollback_no }) => rollback_no))
  await session.run((sql) => sql`delete from corrected_row where rollback_no = any(${numbers}::text::int4[])`)
}

/** Whoever waits for the chain's events hears of it with the commit. */
export const notify = (session: Session): Promise<unknown> =>
  // The channel has the schema's name: that is as long as a name may be.
  session.run((sql) => sql`select pg_notify(current_schema()::text, '')`)
