/** Balances and supply as SQL scalars, now and after any block. */
import type { Fragment, Sql } from "postgres"
import { type Account, burnAccount, mintAccount } from "../../../../model/event.ts"
import type { Address } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import { type ChainTables, standardNumbers } from "../../database/tables.ts"
import { balanceAt } from "../common/atBlock.ts"

/** The id of the standard's token at an address; no row if there is none. */
export const selectTokenId = (sql: Sql, { token }: ChainTables, standard: Standard, address: Address): Fragment =>
  sql`select k.token_id from ${token} k where k.address = ${address}::bytea and k.standard = ${standardNumbers[standard]}`

/** The id of what a contract is where no standard is named: of those it emits, the first. */
export const selectFirstTokenId = (sql: Sql, { token }: ChainTables, address: Address): Fragment =>
  sql`select k.token_id from ${token} k where k.address = ${address}::bytea order by k.standard limit 1`

/** As `selectFirstTokenId`; no row for an ERC-1155, which has no supply, whatever its reserved accounts hold. */
export const selectFirstSuppliedId = (sql: Sql, { token }: ChainTables, address: Address): Fragment => sql`
  select f.token_id from (
    select k.token_id, k.standard from ${token} k where k.address = ${address}::bytea order by k.standard limit 1
  ) f where f.standard <> 1155`

/** Balance of an account after `blockNumber` (absent = now); no row for an unknown pair, null before its first touch. */
export const selectBalance = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  account: Account,
  blockNumber: number | undefined,
): Fragment => sql`
  select ${balanceAt(sql, chain, blockNumber)} as balance
  from ${chain.balance} b where b.holder = ${account}::bytea and b.token_id = (${tokenId})`

/** −(mint account) − (burn account) of a token id, now. Two look-ups by the whole key: for a list of holders some planners read the token's every pair. */
export const selectTokenSupply = (sql: Sql, { balance }: ChainTables, tokenId: Fragment): Fragment => {
  const of = (account: Account) =>
    sql`coalesce((select b.balance from ${balance} b where b.holder = ${account}::bytea and b.token_id = ${tokenId}), 0)`
  return sql`select -${of(mintAccount)} - ${of(burnAccount)}`
}

/** −(mint account) − (burn account) after `blockNumber` (absent = now); no row where there is no such token. */
export const selectSupply = (sql: Sql, chain: ChainTables, tokenId: Fragment, blockNumber?: number): Fragment => {
  const balance = (account: Account) => sql`coalesce((${selectBalance(sql, chain, tokenId, account, blockNumber)}), 0)`
  return sql`select -${balance(mintAccount)} - ${balance(burnAccount)} where exists (${tokenId})`
}
