/** The TokenNotes port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment, Sql } from "postgres"
import type { AddressedNote } from "../../domain/model/tokenNote.ts"
import { TokenNotes } from "../../ports/TokenNotes.ts"
import * as AcrossChains from "./acrossChains.ts"
import { byteaArray } from "./ledger/arrays.ts"
import { type ChainTables, standardNumbers } from "./tables.ts"

export const layer = Layer.effect(
  TokenNotes,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    const { database } = across
    return TokenNotes.of({
      record: Effect.fn("PostgresTokenNotes.record")(function* (chainId, notes) {
        const [chain] = yield* across.opened([chainId])
        if (chain === undefined) return "absent"
        const [row] = yield* database.query(
          () => database.sql<[{ open: number }]>`${recordNotes(database.sql, chain, notes)}`,
        )
        return row.open === 0 ? "all" : "partly"
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/**
 * Gives how many tokens were left out because somebody is at work on them: neither waits for the other, so neither can
 * lock the other out.
 */
const recordNotes = (sql: Sql, chain: ChainTables, notes: ReadonlyArray<AddressedNote>): Fragment => sql`
  with wanted as materialized (
    select w.address, w.trusted, w.texts::jsonb as texts
    from unnest(${byteaArray(notes.map(({ address }) => address.slice(2)))}::text::bytea[],
                ${`{${notes.map(({ trusted }) => trusted).join(",")}}`}::text::boolean[],
                ${notes.map(({ texts }) => JSON.stringify(texts))}::text[]) as w (address, trusted, texts)
  ), gone as (
    delete from ${chain.tokenNote} n where n.address not in (select address from wanted) returning n.address
  ), put as (
    insert into ${chain.tokenNote} as n (address, trusted, texts)
    select address, trusted, texts from wanted
    on conflict (address) do update set trusted = excluded.trusted, texts = excluded.texts
      where n.trusted <> excluded.trusted or n.texts <> excluded.texts
    returning n.address
  ), differing as materialized (
    select t.token_id, true as trusted
    from wanted w join ${chain.token} t on t.address = w.address and t.standard = ${standardNumbers.erc20}
    where w.trusted and not t.trusted
    union all
    select t.token_id, false
    from ${chain.token} t where t.trusted and t.address not in (select address from wanted where trusted)
  ), free as (
    select t.token_id, d.trusted
    from differing d
    join ${chain.token} t on t.token_id = d.token_id
    join ${chain.tokenStat} s on s.token_id = d.token_id
    for no key update of t, s skip locked
  ), marked as (
    update ${chain.token} t set trusted = f.trusted from free f where t.token_id = f.token_id returning t.token_id
  ), ranked as (
    update ${chain.tokenStat} s set trusted = f.trusted from free f where s.token_id = f.token_id returning s.token_id
  ), moved as (
    update ${chain.state} set revision = revision + 1
    where exists (select from gone) or exists (select from put) or exists (select from marked) or exists (select from ranked)
  )
  select (select count(*) from differing) - (select count(*) from free) as open`
