/** One chain's feed of rows in log order, and how a row's position in it is written: what the statements of feeds differ by. */
import type { Fragment, Sql } from "postgres"
import type { Standard } from "../../../../model/token.ts"
import type { TransferExtra } from "../../../../model/transfer.ts"
import type { ChainSql } from "../../database/chainSql.ts"

/** What a feed is of: transfers of a standard, or swaps. */
export type FeedKind = Standard | "swap"

/** Whether a log may have several rows, told apart by `sub`: a batch, an ERC-2309 range. */
export const hasSub = (kind: FeedKind): boolean => kind === "erc721" || kind === "erc1155"

export interface Feed {
  readonly sql: Sql
  readonly chain: ChainSql
  readonly kind: FeedKind
  /** Columns pos and time; and sub where a log may have several rows. */
  readonly rows: ChainSql["swap"]
}

export interface TransferFeed extends Feed {
  readonly kind: Standard
  /** Columns pos, time, token_id, tx_hash, from_addr, to_addr; and sub, nft_id, amount where the standard has them. */
  readonly rows: ChainSql["transfers"][Standard]
  /** What its rows show beside the rest. */
  readonly include: ReadonlyArray<TransferExtra | "blockHash">
}

export const transferFeed = (chain: ChainSql, kind: Standard, include: TransferFeed["include"] = []): TransferFeed => ({
  sql: chain.sql,
  chain,
  kind,
  rows: chain.transfers[kind],
  include,
})

export const swapFeed = (chain: ChainSql): Feed => ({ sql: chain.sql, chain, kind: "swap", rows: chain.swap })

export type Direction = "asc" | "desc"

/** The first rows of a feed within bounds (conditions on `t`, see `within`), going in a direction. */
export interface FeedSlice {
  readonly bounds: Array<Fragment>
  readonly direction: Direction
  readonly limit: number
  /** Rows passed over before the first; default none. */
  readonly skip?: number
}

export const orderWord = (sql: Sql, direction: Direction): Fragment => (direction === "asc" ? sql`asc` : sql`desc`)

/** `t.pos`, or `t.pos, t.sub`. */
export const positionColumns = ({ sql, kind }: Feed, alias: string): Fragment =>
  hasSub(kind) ? sql`${sql(alias)}.pos, ${sql(alias)}.sub` : sql`${sql(alias)}.pos`

/** `t.pos desc`, or `t.pos desc, t.sub desc`. */
export const positionOrder = ({ sql, kind }: Feed, alias: string, direction: Direction): Fragment => {
  const way = orderWord(sql, direction)
  return hasSub(kind) ? sql`${sql(alias)}.pos ${way}, ${sql(alias)}.sub ${way}` : sql`${sql(alias)}.pos ${way}`
}

/** Conditions that the rows `t` and `other` are one. */
export const isSameRow = ({ sql, kind }: Feed, other: string): Fragment =>
  hasSub(kind) ? sql`t.pos = ${sql(other)}.pos and t.sub = ${sql(other)}.sub` : sql`t.pos = ${sql(other)}.pos`
