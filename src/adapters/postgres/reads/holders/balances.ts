/** Balances and supply as SQL scalars, now and after any block. */
import type { Fragment } from "postgres"
import { type Account, burnAccount, mintAccount } from "../../../../model/event.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import type { BlockSql } from "../common/atBlock.ts"
import { holderTable } from "./rankedTable.ts"
import { balanceAt } from "./versions.ts"

/** Balance of an account after `blockNumber` (absent = now); no row for an unknown pair, null before its first touch. */
export const selectBalance = (
  chain: ChainSql,
  tokenId: Fragment,
  account: Account | Fragment,
  blockNumber: BlockSql | undefined,
): Fragment => {
  const { sql } = chain
  return sql`
    select ${balanceAt(holderTable(chain), blockNumber)} as balance
    from ${chain.balance} b where b.holder = ${account}::bytea and b.token_id = (${tokenId})`
}

/** −(mint account) − (burn account) of a token id, now. Two look-ups by the whole key: for a list of holders some planners read the token's every pair. */
export const selectTokenSupply = ({ sql, balance }: ChainSql, tokenId: Fragment): Fragment => {
  const of = (account: Account) =>
    sql`coalesce((select b.balance from ${balance} b where b.holder = ${account}::bytea and b.token_id = ${tokenId}), 0)`
  return sql`select -${of(mintAccount)} - ${of(burnAccount)}`
}

/** −(mint account) − (burn account) after `blockNumber` (absent = now); no row where there is no such token. */
export const selectSupply = (chain: ChainSql, tokenId: Fragment, blockNumber?: BlockSql): Fragment => {
  const { sql } = chain
  const balance = (account: Account) => sql`coalesce((${selectBalance(chain, tokenId, account, blockNumber)}), 0)`
  return sql`select -${balance(mintAccount)} - ${balance(burnAccount)} where exists (${tokenId})`
}
