/** SQL of what is stored of a contract's own movements in a range of blocks. */
import type { Fragment } from "postgres"
import { topics } from "../../../../domain/ingest/decode/topics.ts"
import type { Address } from "../../../../model/primitives.ts"
import { standards } from "../../../../model/token.ts"
import type { BlockRange, StoredRow } from "../../../../ports/AuditStore.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"

/** Amounts beyond 2⁵³ are texts in JSON. */
export type TextRow = Omit<StoredRow, "tokenId" | "amount"> & { readonly tokenId: string; readonly amount: string }

export const storedRowOf = ({ tokenId, amount, ...row }: TextRow): StoredRow => ({
  ...row,
  tokenId: BigInt(tokenId),
  amount: BigInt(amount),
})

/** A JSON list of `TextRow`s, each part read off the index of its token's rows; wraps off that of all of them. Of more than `most`, one more. */
export const selectStoredRows = (
  { sql, token, transfers, wrap, oddLog }: ChainSql,
  address: Address,
  { from, to }: BlockRange,
  most?: number,
): Fragment => {
  const within = sql`t.pos >= ${from}::int8 << 24 and t.pos < (${to}::int8 + 1) << 24`
  const parts = standards.map((standard) => {
    const isNft = standard !== "erc20"
    return sql`(
      select ${standard}::text as kind, t.pos, ${isNft ? sql`t.sub` : sql`0`} as sub, t.from_addr, t.to_addr,
        ${isNft ? sql`t.nft_id` : sql`0::numeric`} as nft_id,
        ${standard === "erc721" ? sql`1::numeric` : sql`t.amount`} as amount
      from ${token} k cross join lateral (
        select * from ${transfers[standard]} t where t.token_id = k.token_id and ${within}
      ) t where k.address = ${address}::bytea and k.standard = ${standardNumbers[standard]})`
  })
  const wraps = sql`(
    select 'wrap', t.pos, 0, t.holder, t.holder, 0::numeric, t.amount
    from ${token} k cross join lateral (select * from ${wrap} t where t.token_id = k.token_id and ${within}) t
    where k.address = ${address}::bytea and k.standard = 20)`
  const withoutRoom = sql`(
    select 'withoutRoom', t.pos, 0, t.contract, t.contract, 0::numeric, 0::numeric from ${oddLog} t
    where t.contract = ${address}::bytea and ${within} and not t.has_rows
      and t.topic0 = ${topics.consecutiveTransfer}::bytea)`
  return sql`(
    select coalesce(json_agg(json_build_object('kind', r.kind, 'blockNumber', (r.pos >> 24)::int4,
      'logIndex', (r.pos & 16777215)::int4, 'sub', r.sub, 'from', '0x' || encode(r.from_addr, 'hex'),
      'to', '0x' || encode(r.to_addr, 'hex'), 'tokenId', r.nft_id::text, 'amount', r.amount::text)
      order by r.pos, r.sub), '[]')
    from (select * from (${unionAll(sql, [...parts, wraps, withoutRoom])}) it ${most === undefined ? sql`` : sql`limit ${most + 1}`}) r)`
}
