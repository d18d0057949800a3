/** Positions of transfers in feed order, read off an index. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import type { TransferFilter } from "../../../../model/transfer.ts"
import { standardNumbers } from "../../database/chainSql.ts"
import { type FeedSlice, positionColumns, positionOrder, type TransferFeed } from "./feed.ts"

/** What an index gives in order: all of a feed, some tokens, or some ids of tokens. */
export interface Subject extends Pick<TransferFilter, "tokenId"> {
  /** A fragment is the address of one token. */
  readonly tokenAddress?: ReadonlyArray<Address> | Fragment
}

/** The ids of tokens. */
export const selectTokenIds = (
  { sql, chain, kind }: TransferFeed,
  tokens: ReadonlyArray<Address> | Fragment,
): Fragment =>
  sql`select k.token_id from ${chain.token} k
    where k.address = ${isSeveral(tokens) ? sql`any(${tokens as Array<Address>}::bytea[])` : tokens}
      and k.standard = ${standardNumbers[kind]}`

const isSeveral = (tokens: ReadonlyArray<Address> | Fragment): tokens is ReadonlyArray<Address> => Array.isArray(tokens)

/** A slice of a feed; of some tokens or ids together, each one's from its own end of the index. */
export const selectPositions = (
  feed: TransferFeed,
  { tokenAddress, tokenId }: Subject,
  { bounds, direction, limit, skip = 0 }: FeedSlice,
): Fragment => {
  const { sql, rows } = feed
  const order = positionOrder(feed, "t", direction)
  const passed = skip === 0 ? sql`` : sql`offset ${skip}`
  if (tokenAddress === undefined) {
    return sql`select ${positionColumns(feed, "t")} from ${rows} t where true ${bounds} order by ${order} limit ${limit} ${passed}`
  }
  const tokens = selectTokenIds(feed, tokenAddress)
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
