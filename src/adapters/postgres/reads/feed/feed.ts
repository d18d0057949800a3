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
  readonly rows: ChainSql["swap"] | Fragment
}

export interface TransferFeed extends Feed {
  readonly kind: Standard
  /** Columns pos, time, token_id, tx_hash, from_addr, to_addr; and sub, nft_id, amount where the standard has them. */
  readonly rows: ChainSql["transfers"][Standard] | Fragment
  /** What its rows show beside the rest. */
  readonly include: ReadonlyArray<TransferExtra | "blockHash">
  /** A column `wrap` too. */
  readonly wraps: boolean
}

export const transferFeed = (
  chain: ChainSql,
  kind: Standard,
  include: TransferFeed["include"] = [],
  wraps = false,
): TransferFeed => ({
  sql: chain.sql,
  chain,
  kind,
  rows: wraps && kind === "erc20" ? withWraps(chain) : chain.transfers[kind],
  include,
  wraps: wraps && kind === "erc20",
})

/** Each side has its own indexes of every order, and the planner merges them: both are plain selects. */
const withWraps = (chain: ChainSql): Fragment => {
  const { sql, transfers, wrap } = chain
  const zero = sql`'\\x0000000000000000000000000000000000000000'::bytea`
  const deposited = sql`coalesce(w.is_deposit, w.amount > 0)`
  return sql`(
    select e.pos, e.time, e.token_id, e.tx_hash, e.from_addr, e.to_addr, e.amount, e.tx_index, null::text as wrap
    from ${transfers.erc20} e
    union all
    select w.pos, w.time, w.token_id, w.tx_hash, case when ${deposited} then ${zero} else w.holder end,
      case when ${deposited} then w.holder else ${zero} end, abs(w.amount), w.tx_index,
      case when ${deposited} then 'deposit' else 'withdrawal' end
    from ${wrap} w where w.pos >= ${timedFrom(chain)})`
}

/** The first place from which on Deposits and Withdrawals have their time. */
const timedFrom = ({ sql, state }: ChainSql): Fragment => sql`((select s.wraps_from from ${state} s)::int8 << 24)`

/** Those, in log order. */
export const wrapFeed = (chain: ChainSql): Pick<Feed, "sql" | "chain" | "rows"> => ({
  sql: chain.sql,
  chain,
  rows: chain.sql`(select w.pos, w.time from ${chain.wrap} w where w.pos >= ${timedFrom(chain)})`,
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
