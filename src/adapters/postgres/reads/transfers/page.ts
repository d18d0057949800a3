/** SQL of a page of transfers: each chain's branch of it, and all together. */
import type { Fragment, Sql } from "postgres"
import type { Standard } from "../../../../model/token.ts"
import type { TransferExtra } from "../../../../model/transfer.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import {
  type Direction,
  type FeedSlice,
  isSameRow,
  orderWord,
  positionColumns,
  positionOrder,
  type TransferFeed,
} from "../feed/feed.ts"

/** What a standard's rows have beside what all have. */
export const ownColumns: Readonly<Record<Standard, ReadonlyArray<"sub" | "nft_id" | "amount">>> = {
  erc20: ["amount"],
  erc721: ["sub", "nft_id"],
  erc1155: ["sub", "nft_id", "amount"],
}

const extraColumns: Readonly<Record<TransferExtra, string>> = { transactionIndex: "tx_index", operator: "operator" }

/** Columns of `t`. */
const selectColumns = ({ sql, kind, include, wraps }: TransferFeed): Array<Fragment> => [
  sql`t.pos, t.time, t.token_id, t.tx_hash, t.from_addr, t.to_addr`,
  ...ownColumns[kind].map((column) => sql`, t.${sql(column)}`),
  ...include.flatMap((extra) => (extra === "blockHash" ? [] : [sql`, t.${sql(extraColumns[extra])}`])),
  ...(wraps ? [sql`, t.wrap`] : []),
]

/** One chain's branch of a page: a slice of its feed. */
export const selectRows = (feed: TransferFeed, { bounds, direction, limit }: FeedSlice): Fragment => {
  const { sql, chain, rows } = feed
  return sql`(
    select ${chain.chainId}::int8 as chain_id, ${selectColumns(feed)}
    from ${rows} t where true ${bounds} order by ${positionOrder(feed, "t", direction)} limit ${limit})`
}

/** One chain's branch of a page: the rows at `positions`. */
export const selectRowsAt = (feed: TransferFeed, positions: Fragment): Fragment => {
  const { sql, chain, rows } = feed
  return sql`(
    select ${chain.chainId}::int8 as chain_id, here.* from (${positions}) place cross join lateral (
      select ${selectColumns(feed)} from ${rows} t where ${isSameRow(feed, "place")} limit 1
    ) here)`
}

/** One chain's branch of a page: a slice of one token's rows, off the index that has them in order. `tokenIds`: its id, or none. */
export const selectRowsOf = (feed: TransferFeed, tokenIds: Fragment, { direction, limit }: FeedSlice): Fragment => {
  const { sql, chain, rows } = feed
  return sql`(
    select ${chain.chainId}::int8 as chain_id, of_one.* from (${tokenIds}) wanted cross join lateral (
      select ${selectColumns(feed)} from ${rows} t where t.token_id = wanted.token_id
      order by ${positionOrder(feed, "t", direction)} limit ${limit}
    ) of_one)`
}

/** The same without what a row is beside its place. */
export const selectPlaces = (feed: TransferFeed, { bounds, direction, limit }: FeedSlice): Fragment => {
  const { sql, chain, rows } = feed
  return sql`(
    select ${chain.chainId}::int8 as chain_id, t.time, ${positionColumns(feed, "t")}
    from ${rows} t where true ${bounds} order by ${positionOrder(feed, "t", direction)} limit ${limit})`
}

export const selectPlacesAt = (feed: TransferFeed, positions: Fragment): Fragment => {
  const { sql, chain, rows } = feed
  return sql`(
    select ${chain.chainId}::int8 as chain_id, here.* from (${positions}) place cross join lateral (
      select t.time, ${positionColumns(feed, "t")} from ${rows} t where ${isSameRow(feed, "place")} limit 1
    ) here)`
}

/** How rows `page` of many chains follow each other; `compareFeedRows` says the same. */
export const pageOrder = (sql: Sql, standard: Standard, direction: Direction): Fragment => {
  const way = orderWord(sql, direction)
  return sql`order by page.time ${way}, page.chain_id ${way}, page.pos ${way}
    ${ownColumns[standard].includes("sub") ? sql`, page.sub ${way}` : sql``}`
}

export interface Page {
  readonly standard: Standard
  readonly branches: ReadonlyArray<Fragment>
  readonly direction: Direction
  readonly limit: number
  /** As the branches have it. */
  readonly include: TransferFeed["include"]
  readonly wraps: boolean
}

/**
 * `TransferRow`s of a page as one JSON array: the branches' rows in feed order, cut at `limit`. What is known of a token is
 * looked up for the page's rows only.
 */
export const selectPage = (
  sql: Sql,
  chains: ReadonlyArray<ChainSql>,
  { standard, branches, direction, limit, include, wraps }: Page,
): Fragment => {
  const own = ownColumns[standard]
  const order = pageOrder(sql, standard, direction)
  return sql`
    select coalesce(json_agg(r), '[]') from (
      select page.chain_id::text as chain_id, page.pos >> 24 as block_number, page.pos & 16777215 as log_index,
        page.time, '0x' || encode(page.tx_hash, 'hex') as tx_hash, '0x' || encode(page.from_addr, 'hex') as from_addr,
        '0x' || encode(page.to_addr, 'hex') as to_addr,
        ${own.map((column) => (column === "sub" ? sql`page.sub,` : sql`page.${sql(column)}::text as ${sql(column)},`))}
        ${[sql``, ...include.map((extra) => (extra === "blockHash" ? windowHashes(sql, chains) : shownExtra(sql, extra)))]}
        ${wraps && standard === "erc20" ? sql`page.wrap,` : sql``}
        case page.chain_id ${chains.map(
          (chain) => sql`when ${chain.chainId}::int8 then (
            select json_build_array('0x' || encode(k.address, 'hex'), k.name, k.symbol, k.decimals
              ${standard === "erc20" ? sql`, (${selectPrice(chain, sql`page.token_id`, sql`page.time / 3600`)})` : sql``})
            from ${chain.token} k where k.token_id = page.token_id)`,
        )} end as token
      from (select * from (${unionAll(sql, branches)}) page ${order} limit ${limit}) page ${order}
    ) r`
}

const shownExtra = (sql: Sql, extra: TransferExtra): Fragment =>
  extra === "operator" ? sql`'0x' || encode(page.operator, 'hex') as operator,` : sql`page.tx_index,`

const windowHashes = (sql: Sql, chains: ReadonlyArray<ChainSql>): Fragment => sql`
  case page.chain_id ${chains.map((chain) => sql`when ${chain.chainId}::int8 then (${windowHash(chain)})`)} end as block_hash,`

/** Of a page's row: null where no reorg takes the block back any more. */
export const windowHash = ({ sql, block }: ChainSql): Fragment =>
  sql`select '0x' || encode(b.hash, 'hex') from ${block} b where b.number = (page.pos >> 24)::int4`

/** The newest price point of a token at or before an hour, if it speaks for it: one look-up of an index. */
export const selectPrice = ({ sql, pricePoint }: ChainSql, tokenId: Fragment, hour: Fragment): Fragment => sql`
  select case when p.until_hour >= ${hour} then p.price::text end from ${pricePoint} p
  where p.token_id = ${tokenId} and p.hour <= ${hour} order by p.hour desc limit 1`
