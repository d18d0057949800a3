/** The statements that keep notes. Each is short, and moves the revision where it wrote something. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import { hexArray } from "../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import type { Transaction } from "../../database/Database.ts"
import type { Changes } from "./changes.ts"

/** In the caller's transaction: an insert stands in no part of another statement (see `distributed.ts`). */
export const putNotes = async (
  { tx, run }: Transaction,
  { tokenNote, state }: ChainSql,
  notes: Changes["put"],
): Promise<void> => {
  await run(tx`
    insert into ${tokenNote} (address, trusted, texts, digest)
    select w.address, w.trusted, w.texts::jsonb, w.digest
    from unnest(${hexArray(notes.map(({ address }) => address))}::text::bytea[],
                ${`{${notes.map(({ trusted }) => trusted).join(",")}}`}::text::boolean[],
                ${notes.map(({ texts }) => JSON.stringify(texts))}::text[],
                ${notes.map(({ digest }) => digest)}::text[]) as w (address, trusted, texts, digest)
    on conflict (address) do update
      set trusted = excluded.trusted, texts = excluded.texts, digest = excluded.digest`)
  await run(tx`update ${state} set revision = revision + 1`)
}

export const dropNotes = ({ sql, tokenNote, state }: ChainSql, addresses: ReadonlyArray<Address>): Fragment => sql`
  with gone as (
    delete from ${tokenNote} n using unnest(${hexArray(addresses)}::text::bytea[]) as w (address)
    where n.address = w.address returning n.address
  )
  update ${state} set revision = revision + 1 where exists (select from gone)`

export interface Marked {
  /** Tokens that were not marked as their notes say, at most the limit. */
  readonly found: number
  /** Of these, who was free to be written: neither waits for the other, so neither can lock the other out. */
  readonly marked: number
}

/**
 * One row, a `Marked`. Notes and tokens look each other up by their keys, one by one: a join of the two might be planned as
 * a walk through every token of the chain.
 */
export const markTokens = ({ sql, tokenNote, token, tokenStat, state }: ChainSql, limit: number): Fragment => sql`
  with differing as materialized (
    (select t.token_id, true as trusted
     from ${tokenNote} n cross join lateral (
       select t.token_id, t.trusted from ${token} t
       where t.address = n.address and t.standard = ${standardNumbers.erc20} limit 1) t
     where n.trusted and not t.trusted limit ${limit})
    union all
    (select t.token_id, false
     from ${token} t
     where t.trusted and not coalesce((select n.trusted from ${tokenNote} n where n.address = t.address), false)
     limit ${limit})
  ), free as materialized (
    select t.token_id, d.trusted
    from differing d
    join ${token} t on t.token_id = d.token_id
    join ${tokenStat} s on s.token_id = d.token_id
    for no key update of t, s skip locked
  ), marked as (
    update ${token} t set trusted = f.trusted from free f where t.token_id = f.token_id returning t.token_id
  ), ranked as (
    update ${tokenStat} s set trusted = f.trusted from free f where s.token_id = f.token_id returning s.token_id
  ), moved as (
    update ${state} set revision = revision + 1 where exists (select from marked) or exists (select from ranked)
  )
  select (select count(*) from differing) as found, (select count(*) from free) as marked`
