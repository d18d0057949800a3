/** Positions of transfers in feed order, read off an index. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import type { TransferFilter } from "../../../../model/transfer.ts"
import { standardNumbers } from "../../database/chainSql.ts"
import { type FeedSlice, positionColumns, positionOrder, type TransferFeed } from "./feed.ts"

/** What an index gives in order: all of a feed, some tokens, or some ids of tokens. */
export interface Subject extends Pick<TransferFilter, "tokenId" | "trusted"> {
  /** A fragment is the address of one token. */
  readonly tokenAddress?: ReadonlyArray<Address> | Fragment
}

/** The ids of tokens; `trusted`: of those that are. */
export const selectTokenIds = (
  feed: TransferFeed,
  tokens: ReadonlyArray<Address> | Fragment,
  trusted?: true,
): Fragment => {
  const { sql, chain, kind } = feed
  return sql`select k.token_id from ${chain.token} k
    where k.address = ${isSeveral(tokens) ? sql`any(${tokens as Array<Address>}::bytea[])` : tokens}
      and k.standard = ${standardNumbers[kind]} ${whereTrusted(feed, trusted)}`
}

/** A condition on token `k`: it stands on a list. Notes are of addresses, and mark ERC-20 alone. */
export const whereTrusted = ({ sql, chain, kind }: TransferFeed, trusted: true | undefined): Fragment => {
  if (trusted === undefined) return sql``
  if (kind === "erc20") return sql`and k.trusted`
  return sql`and exists (select from ${chain.tokenNote} n where n.address = k.address and n.trusted offset 0)`
}

/** The ids of all tokens of the feed that stand on a list: as many as the lists name. */
export const selectTrustedIds = ({ sql, chain, kind }: TransferFeed): Fragment =>
  kind === "erc20"
    ? sql`select s.token_id from ${chain.tokenStat} s where s.trusted order by s.holders_step desc, s.address`
    : sql`
      select k.token_id from ${chain.tokenNote} n cross join lateral (
        select k.token_id from ${chain.token} k
        where k.address = n.address and k.standard = ${standardNumbers[kind]} limit 1
      ) k where n.trusted`

const isSeveral = (tokens: ReadonlyArray<Address> | Fragment): tokens is ReadonlyArray<Address> => Array.isArray(tokens)

/** A slice of a feed; of some tokens or ids together, each one's from its own end of the index. */
export const selectPositions = (
  feed: TransferFeed,
  { tokenAddress, tokenId, trusted }: Subject,
  { bounds, direction, limit, skip = 0 }: FeedSlice,
): Fragment => {
  const { sql, rows } = feed
  const order = positionOrder(feed, "t", direction)
  const passed = skip === 0 ? sql`` : sql`offset ${skip}`
  if (tokenAddress === undefined && trusted === undefined) {
    return sql`select ${positionColumns(feed, "t")} from ${rows} t where true ${bounds} order by ${order} limit ${limit} ${passed}`
  }
  // Of many tokens only those can have one of the first rows whose own first row is among the first.
  const tokens =
    tokenAddress !== undefined
      ? selectTokenIds(feed, tokenAddress, trusted)
      : sql`
        select of_list.token_id from (${selectTrustedIds(feed)}) of_list cross join lateral (
          select ${positionColumns(feed, "t")} from ${rows} t
          where t.token_id = of_list.token_id ${bounds} order by ${order} limit 1
        ) newest order by ${positionOrder(feed, "newest", direction)} limit ${limit + skip}`
  const wanted =
    tokenId === undefined
      ? tokens
      : sql`select token.token_id, id.nft_id from (${tokens}) token
          cross join unnest(${[...new Set(tokenId)]}::numeric[]) id (nft_id)`
  return sql`
    select ${positionColumns(feed, "of_one")} from (${wanted}) wanted cross join lateral (
      select ${positionColumns(feed, "t")} from ${rows} t
      where t.token_id = wanted.token_id ${tokenId === undefined ? sql`` : sql`and t.nft_id = wanted.nft_id`} ${bounds}
      order by ${order} limit ${limit + skip}
    ) of_one
    order by ${positionOrder(feed, "of_one", direction)} limit ${limit} ${passed}`
}
