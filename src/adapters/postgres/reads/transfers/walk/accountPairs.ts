/** The pairs of accounts: which tokens each has ever touched. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../../model/primitives.ts"
import type { TransferFilter } from "../../../../../model/transfer.ts"
import { standardNumbers } from "../../../database/chainSql.ts"
import type { TransferFeed } from "../../feed/feed.ts"
import { selectTokenIds, whereTrusted } from "../../feed/positions.ts"

/** Which tokens: those named, of these or of all those that stand on a list. */
type TokensOf = Pick<TransferFilter, "tokenAddress" | "trusted">

/**
 * (token_id, holder_no, block_number of the last touch) of the accounts' pairs: of some tokens, or of all, those of
 * other standards too. For some, each pair is looked up by its whole key: for two lists the planner may read a large
 * token's every pair.
 */
export const selectPairs = (
  feed: TransferFeed,
  accounts: ReadonlyArray<Address>,
  { tokenAddress: tokens, trusted }: TokensOf,
): Fragment => {
  const { sql } = feed
  const { balance } = feed.chain
  const holders = sql`${accounts as Array<Address>}::bytea[]`
  if (tokens === undefined) {
    return sql`select b.token_id, b.holder_no, b.block_number from ${balance} b where b.holder = any(${holders})`
  }
  return sql`
    select pair.* from unnest(${holders}) account (holder) cross join (${selectTokenIds(feed, tokens, trusted)}) wanted
    cross join lateral (
      select b.token_id, b.holder_no, b.block_number from ${balance} b
      where b.holder = account.holder and b.token_id = wanted.token_id limit 1
    ) pair`
}

/**
 * To follow `p`: lets through what is of a token of the feed's standard, on a list where that is wanted. One look-up each, as they are asked for, so
 * that of an account with many thousand pairs only those are looked up that come first.
 */
export const ofStandard = (feed: TransferFeed, { tokenAddress, trusted }: TokensOf): Fragment => {
  const { sql, chain, kind } = feed
  if (tokenAddress !== undefined) return sql``
  return sql`cross join lateral (
    select from ${chain.token} k
    where k.token_id = p.token_id and k.standard = ${standardNumbers[kind]} ${whereTrusted(feed, trusted)} limit 1
  ) of_standard`
}
