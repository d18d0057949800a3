/** Where the feed of a standard is stored, and how a row's place in it is written: what the statements differ by. */
import type { Fragment, Sql } from "postgres"
import type { Standard } from "../../../../model/token.ts"
import type { ChainTables } from "../../database/tables.ts"

/** Whether a log may have several rows, told apart by `sub`: a batch, an ERC-2309 range. */
export const hasSub = (kind: FeedKind): boolean => kind === "erc721" || kind === "erc1155"

/** What a feed is of: transfers of a standard, or swaps. */
export type FeedKind = Standard | "swap"

/** One chain's feed of any kind. */
export interface AnyFeed {
  readonly chain: ChainTables
  readonly standard: FeedKind
  /** Columns pos and time; and sub where a log may have several rows. */
  readonly rows: ChainTables["swap"]
}

/** One chain's feed of one standard. */
export interface FeedTable extends AnyFeed {
  readonly standard: Standard
  /** Columns pos, time, token_id, tx_hash, from_addr, to_addr; and sub, nft_id, amount where the standard has them. */
  readonly rows: ChainTables["transfers"][Standard]
}

export const feedTable = (chain: ChainTables, standard: Standard): FeedTable => ({
  chain,
  standard,
  rows: chain.transfers[standard],
})

export const orderWord = (sql: Sql, direction: "asc" | "desc"): Fragment => (direction === "asc" ? sql`asc` : sql`desc`)

/** `t.pos`, or `t.pos, t.sub`. */
export const placeOf = (sql: Sql, { standard }: AnyFeed, alias: string): Fragment =>
  hasSub(standard) ? sql`${sql(alias)}.pos, ${sql(alias)}.sub` : sql`${sql(alias)}.pos`

/** `t.pos desc`, or `t.pos desc, t.sub desc`. */
export const orderOf = (sql: Sql, { standard }: AnyFeed, alias: string, direction: "asc" | "desc"): Fragment => {
  const way = orderWord(sql, direction)
  return hasSub(standard) ? sql`${sql(alias)}.pos ${way}, ${sql(alias)}.sub ${way}` : sql`${sql(alias)}.pos ${way}`
}

/** Conditions that the rows `t` and `other` are one. */
export const isSame = (sql: Sql, { standard }: FeedTable, other: string): Fragment =>
  hasSub(standard) ? sql`t.pos = ${sql(other)}.pos and t.sub = ${sql(other)}.sub` : sql`t.pos = ${sql(other)}.pos`
