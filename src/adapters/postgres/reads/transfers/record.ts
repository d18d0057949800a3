/** A row of a feed, as statements give it → the transfer and its place. */
import type { Fragment, Sql } from "postgres"
import { amountInUsd } from "../../../../domain/prices/worth.ts"
import { type Address, type ChainId, dateTimeOf, type Hash } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import type { FeedKey, TransferRecords } from "../../../../model/transfer.ts"
import { unionAll } from "../common/acrossChains.ts"
import type { Direction } from "./bounds.ts"
import { type FeedTable, isSame, orderWord } from "./table.ts"

export interface TransferRow {
  readonly chain_id: ChainId
  readonly block_number: number
  readonly log_index: number
  /** ERC-721 and ERC-1155. */
  readonly sub?: number
  readonly time: number
  readonly tx_hash: Hash
  readonly from_addr: Address
  readonly to_addr: Address
  /** ERC-721 and ERC-1155. */
  readonly nft_id?: string
  /** ERC-20 and ERC-1155. */
  readonly amount?: string
  /** address, name, symbol, decimals; of ERC-20 the price at the time */
  readonly token: readonly [Address, string | null, string | null, number | null, (string | null)?]
}

/** What a standard's rows have beside what all have. */
const ownColumns: Readonly<Record<Standard, ReadonlyArray<"sub" | "nft_id" | "amount">>> = {
  erc20: ["amount"],
  erc721: ["sub", "nft_id"],
  erc1155: ["sub", "nft_id", "amount"],
}

/** Columns of `t` for a branch of `selectPage`. */
export const selectColumns = (sql: Sql, { standard }: FeedTable): Array<Fragment> => [
  sql`t.pos, t.time, t.token_id, t.tx_hash, t.from_addr, t.to_addr`,
  ...ownColumns[standard].map((column) => sql`, t.${sql(column)}`),
]

/**
 * `TransferRow`s of a page as one JSON array: branches of (chain_id, `selectColumns`), in feed order, cut at `limit`.
 * What is known of a token is looked up for the page's rows only. All feeds are of one standard.
 */
export const selectPage = (
  sql: Sql,
  feeds: ReadonlyArray<FeedTable>,
  branches: ReadonlyArray<Fragment>,
  direction: Direction,
  limit: number,
): Fragment => {
  const way = orderWord(sql, direction)
  const standard = feeds[0]?.standard ?? "erc20"
  const own = ownColumns[standard]
  const order = sql`order by page.time ${way}, page.chain_id ${way}, page.pos ${way}
    ${own.includes("sub") ? sql`, page.sub ${way}` : sql``}`
  return sql`
    select coalesce(json_agg(r), '[]') from (
      select page.chain_id::text as chain_id, page.pos >> 24 as block_number, page.pos & 16777215 as log_index,
        page.time, '0x' || encode(page.tx_hash, 'hex') as tx_hash, '0x' || encode(page.from_addr, 'hex') as from_addr,
        '0x' || encode(page.to_addr, 'hex') as to_addr,
        ${own.map((column) => (column === "sub" ? sql`page.sub,` : sql`page.${sql(column)}::text as ${sql(column)},`))}
        case page.chain_id ${feeds.map(
          ({ chain }) => sql`when ${chain.chainId}::int8 then (
            select json_build_array('0x' || encode(k.address, 'hex'), k.name, k.symbol, k.decimals
              ${standard === "erc20" ? sql`, (${selectPrice(sql, chain)})` : sql``})
            from ${chain.token} k where k.token_id = page.token_id)`,
        )} end as token
      from (select * from (${unionAll(sql, branches)}) page ${order} limit ${limit}) page ${order}
    ) r`
}

/** The newest price point of a page's row at or before its time, if it speaks for its hour: one look-up of an index. */
const selectPrice = (sql: Sql, { pricePoint }: FeedTable["chain"]): Fragment => sql`
  select case when p.until_hour >= page.time / 3600 then p.price::text end from ${pricePoint} p
  where p.token_id = page.token_id and p.hour <= page.time / 3600 order by p.hour desc limit 1`

/** One chain's branch of a page: the rows at `positions`. */
export const selectRowsAt = (sql: Sql, feed: FeedTable, positions: Fragment): Fragment => sql`(
  select ${feed.chain.chainId}::int8 as chain_id, here.* from (${positions}) place cross join lateral (
    select ${selectColumns(sql, feed)} from ${feed.rows} t where ${isSame(sql, feed, "place")} limit 1
  ) here)`

export const transferOf = <S extends Standard>(standard: S, row: TransferRow): TransferRecords[S] => {
  const [tokenAddress, tokenName, tokenSymbol, tokenDecimals, price] = row.token
  const time = dateTimeOf(row.time)
  const record = {
    chainId: row.chain_id,
    blockNumber: row.block_number,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    from: row.from_addr,
    to: row.to_addr,
    createdAt: time,
    timestamp: time,
    ...(row.nft_id === undefined
      ? { amount: row.amount, ...usdOf(row.amount, tokenDecimals, price), tokenAddress }
      : { tokenAddress, tokenId: row.nft_id }),
    ...(row.nft_id === undefined || row.amount === undefined ? {} : { amount: row.amount }),
    ...(tokenName === null ? {} : { tokenName }),
    ...(tokenSymbol === null ? {} : { tokenSymbol }),
    ...(standard !== "erc20" || tokenDecimals === null ? {} : { tokenDecimals }),
  }
  return record as unknown as TransferRecords[S]
}

const usdOf = (amount: string | undefined, decimals: number | null, price: string | null | undefined) =>
  amount === undefined || decimals === null || typeof price !== "string"
    ? {}
    : { amountInUsd: amountInUsd(BigInt(amount), decimals, BigInt(price)) }

export const feedKeyOf = (row: TransferRow): FeedKey => ({
  time: row.time,
  chainId: row.chain_id,
  blockNumber: row.block_number,
  logIndex: row.log_index,
  sub: row.sub ?? 0,
})
