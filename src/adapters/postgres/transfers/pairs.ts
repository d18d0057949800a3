/** The pairs of accounts: which tokens each has ever touched. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../domain/model/primitives.ts"
import type { ChainTables } from "../tables.ts"
import { selectTokenIds } from "./positions.ts"

/**
 * (token_id, holder_no, block_number of the last touch) of the accounts' pairs, of all tokens or some. For some, each
 * pair is looked up by its whole key: for two lists the planner may read a large token's every pair.
 */
export const selectPairs = (
  sql: Sql,
  chain: ChainTables,
  accounts: ReadonlyArray<Address>,
  tokens: ReadonlyArray<Address> | undefined,
): Fragment => {
  const holders = sql`${accounts as Array<Address>}::bytea[]`
  if (tokens === undefined) {
    return sql`select b.token_id, b.holder_no, b.block_number from ${chain.balance} b where b.holder = any(${holders})`
  }
  return sql`
    select pair.* from unnest(${holders}) account (holder) cross join (${selectTokenIds(sql, chain, tokens)}) wanted
    cross join lateral (
      select b.token_id, b.holder_no, b.block_number from ${chain.balance} b
      where b.holder = account.holder and b.token_id = wanted.token_id limit 1
    ) pair`
}
