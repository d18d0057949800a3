/** SQL of holder lists: a token's pairs by rank, an address's pairs by contract. */
import type { Fragment, Sql } from "postgres"
import type { HolderKey } from "../../domain/model/holder.ts"
import type { PageRequest } from "../../domain/model/page.ts"
import type { Address } from "../../domain/model/primitives.ts"
import type { Window } from "../../ports/HolderStore.ts"
import { selectTokenId } from "./balances.ts"
import { placeOf } from "./page.ts"
import type { ChainTables } from "./tables.ts"

/** Conditions on `b`: what a holder is. Reserved accounts are no addresses. */
const isHolder = (sql: Sql): Fragment => sql`b.balance > 0 and octet_length(b.holder) = 20`

/**
 * `{address, balance}` rows in the order read, one more than the limit. Equal balances are their own branch, so that
 * a page inside a long tie starts at its place in the index.
 */
export const selectHolders = (sql: Sql, chain: ChainTables, token: Address, page: PageRequest<HolderKey>): Fragment => {
  const { key, reading } = placeOf(page, "desc")
  const order = reading === "desc" ? sql`order by b.balance desc, b.holder` : sql`order by b.balance, b.holder desc`
  const branch = (condition: Fragment): Fragment => sql`(
    select b.holder, b.balance from ${chain.balance} b
    where b.token_id = (${selectTokenId(sql, chain, token)}) and ${isHolder(sql)} ${condition} ${order} limit ${page.limit + 1})`
  const rows =
    key === undefined
      ? branch(sql``)
      : reading === "desc"
        ? sql`${branch(sql`and b.balance = ${key.balance}::numeric and b.holder > ${key.address}::bytea`)}
              union all ${branch(sql`and b.balance < ${key.balance}::numeric`)}`
        : sql`${branch(sql`and b.balance = ${key.balance}::numeric and b.holder < ${key.address}::bytea`)}
              union all ${branch(sql`and b.balance > ${key.balance}::numeric`)}`
  return sql`${listed(sql)} (select * from (${rows}) b ${order} limit ${page.limit + 1}) b`
}

/** `{address, balance}` rows by rank, by page and offset. */
export const selectHolderWindow = (
  sql: Sql,
  chain: ChainTables,
  token: Address,
  { page, offset }: Window,
): Fragment => sql`
  ${listed(sql)} (
    select b.holder, b.balance from ${chain.balance} b
    where b.token_id = (${selectTokenId(sql, chain, token)}) and ${isHolder(sql)}
    order by b.balance desc, b.holder limit ${offset} offset ${(page - 1) * offset}
  ) b`

const listed = (sql: Sql): Fragment => sql`
  select coalesce(json_agg(json_build_object('address', '0x' || encode(b.holder, 'hex'), 'balance', b.balance::text)), '[]') from`

/** Addresses with a balance above zero, as the ledger keeps the number; no row for an unknown token. */
export const selectHolderCount = (sql: Sql, chain: ChainTables, token: Address): Fragment =>
  sql`select s.holders from ${chain.tokenStat} s where s.token_id = (${selectTokenId(sql, chain, token)})`

/** `{address, name, symbol, decimals, balance}` of the tokens an address holds, by contract address. */
export const selectHoldings = (
  sql: Sql,
  { balance, token }: ChainTables,
  holder: Address,
  { page, offset }: Window,
): Fragment => sql`
  select coalesce(json_agg(json_build_object('address', '0x' || encode(held.address, 'hex'), 'name', held.name,
    'symbol', held.symbol, 'decimals', held.decimals, 'balance', held.balance::text)), '[]') from (
    select known.*, b.balance from ${balance} b cross join lateral (
      select k.address, k.name, k.symbol, k.decimals from ${token} k
      where k.token_id = b.token_id and k.standard = 20 limit 1
    ) known
    where b.holder = ${holder}::bytea and b.balance > 0
    order by known.address limit ${offset} offset ${(page - 1) * offset}
  ) held`
