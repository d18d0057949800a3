/** SQL of the ledger's figures of some tokens of one standard: which pairs and ids, and what the ledger says of each. */
import type { Fragment, Sql } from "postgres"
import { type Address, zeroAddress } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import { type AuditBreadth, type AuditRecord, fewBelowZero } from "../../../../ports/AuditStore.ts"
import { hexArray, numberArray } from "../../database/arrays.ts"
import type { ChainSql } from "../../database/chainSql.ts"

/** A token, and what its last record watches. */
export interface Wanted {
  readonly tokenId: number
  readonly firstBlock: number
  readonly watched: AuditRecord["watched"]
}

export interface FigureRow {
  /** Of the token in the list, from 1. */
  readonly place: number
  readonly holder?: Address
  readonly id?: string
  readonly ledger: string
  readonly touched: number
}

/** `w (token_id, first_block, place)` */
const listed = (sql: Sql, wanted: ReadonlyArray<Wanted>): Fragment => sql`
  unnest(${numberArray(wanted.map(({ tokenId }) => tokenId))}::text::int4[],
         ${numberArray(wanted.map(({ firstBlock }) => firstBlock))}::text::int4[])
    with ordinality as w (token_id, first_block, place)`

/** `v (place, holder, id)`: what the records watch; the zero address or id 0 where a figure has no such thing. */
const watchedOf = (sql: Sql, wanted: ReadonlyArray<Wanted>, of: "balance" | "owner" | "unit"): Fragment => {
  const all = wanted.flatMap(({ watched }, index) =>
    watched.filter((it) => it.of === of).map((it) => ({ place: index + 1, ...it })),
  )
  const holders = all.map((it) => ("holder" in it ? it.holder : zeroAddress))
  return sql`
    unnest(${numberArray(all.map(({ place }) => place))}::text::int4[], ${hexArray(holders)}::text::bytea[],
           ${numberArray(all.map((it) => ("tokenId" in it ? BigInt(it.tokenId) : 0n)))}::text::numeric[])
      as v (place, holder, id)`
}

/** The newest transfers of `w`, and at each place of its history the first there or after it. */
const rowsOf = (
  { sql, transfers, state }: ChainSql,
  standard: Standard,
  { recent, places }: AuditBreadth,
): Fragment => {
  const table = transfers[standard]
  const order = (direction: Fragment) =>
    standard === "erc20" ? sql`t.pos ${direction}` : sql`t.pos ${direction}, t.sub ${direction}`
  const id = standard === "erc20" ? sql`0::numeric` : sql`t.nft_id`
  return sql`
    (select ${id} as id, t.from_addr, t.to_addr from ${table} t where t.token_id = w.token_id
     order by ${order(sql`desc`)} limit ${recent})
    union all
    select r.* from unnest(${numberArray(places)}::text::float8[]) as p (share) cross join lateral (
      select ${id} as id, t.from_addr, t.to_addr from ${table} t
      where t.token_id = w.token_id
        and t.pos >= (w.first_block + floor(p.share * ((select s.next_block from ${state} s) - w.first_block)))::int8 << 24
      order by ${order(sql`asc`)} limit 1
    ) r`
}

/** Balances of an ERC-20 (the zero address's too) or an ERC-721, by holder. */
export const selectBalances = (
  chain: ChainSql,
  standard: "erc20" | "erc721",
  wanted: ReadonlyArray<Wanted>,
  breadth: AuditBreadth,
): Fragment => {
  const { sql } = chain
  return sql`
    select w.place::int4 as place, c.holder, coalesce(b.balance, 0)::text as ledger, coalesce(b.block_number, -1) as touched
    from ${listed(sql, wanted)} cross join lateral (
      (select b.holder from ${chain.balance} b
       where b.token_id = w.token_id and b.balance > 0 and octet_length(b.holder) = 20
       order by b.balance desc, b.holder limit ${breadth.top})
      union (select b.holder from ${chain.balance} b
       where b.token_id = w.token_id and b.balance < 0 and octet_length(b.holder) = 20
       order by b.balance, b.holder desc limit ${breadth.belowZero ?? fewBelowZero})
      union select unnest(array[r.from_addr, r.to_addr]) from (${rowsOf(chain, standard, breadth)}) r
      union select v.holder from ${watchedOf(sql, wanted, "balance")} where v.place = w.place
      ${standard === "erc20" ? sql`union select ${zeroAddress}::bytea` : sql``}
    ) c
    left join lateral (
      select b.balance, b.block_number from ${chain.balance} b
      where b.holder = c.holder and b.token_id = w.token_id limit 1
    ) b on true
    ${standard === "erc20" ? sql`` : sql`where c.holder <> ${zeroAddress}::bytea`}
    order by w.place, c.holder`
}

/** Owners of live ids, by id. */
export const selectOwners = (chain: ChainSql, wanted: ReadonlyArray<Wanted>, breadth: AuditBreadth): Fragment => {
  const { sql } = chain
  return sql`
    select w.place::int4 as place, c.id::text as id, n.owner as holder, '0' as ledger, (n.pos >> 24)::int4 as touched
    from ${listed(sql, wanted)} cross join lateral (
      select r.id from (${rowsOf(chain, "erc721", breadth)}) r
      union select v.id from ${watchedOf(sql, wanted, "owner")} where v.place = w.place
    ) c
    cross join lateral (
      select n.owner, n.pos from ${chain.nft} n
      where n.token_id = w.token_id and n.nft_id = c.id and n.owner is not null limit 1
    ) n
    order by w.place, c.id`
}

/** Amounts of ERC-1155 ids, by holder and id. */
export const selectUnits = (chain: ChainSql, wanted: ReadonlyArray<Wanted>, breadth: AuditBreadth): Fragment => {
  const { sql } = chain
  return sql`
    select w.place::int4 as place, c.holder, c.id::text as id, coalesce(b.balance, 0)::text as ledger,
      coalesce(b.block_number, -1) as touched
    from ${listed(sql, wanted)} cross join lateral (
      (select b.holder, b.nft_id as id from ${chain.unitBalance} b
       where b.token_id = w.token_id and b.balance > 0 order by b.balance desc, b.holder, b.nft_id limit ${breadth.top})
      union (select b.holder, b.nft_id from ${chain.unitBalance} b
       where b.token_id = w.token_id and b.balance < 0
       order by b.balance, b.holder desc, b.nft_id desc limit ${breadth.belowZero ?? fewBelowZero})
      union select unnest(array[r.from_addr, r.to_addr]), r.id from (${rowsOf(chain, "erc1155", breadth)}) r
      union select v.holder, v.id from ${watchedOf(sql, wanted, "unit")} where v.place = w.place
    ) c
    left join lateral (
      select b.balance, b.block_number from ${chain.unitBalance} b
      where b.holder = c.holder and b.token_id = w.token_id and b.nft_id = c.id limit 1
    ) b on true
    where c.holder <> ${zeroAddress}::bytea
    order by w.place, c.holder, c.id`
}
