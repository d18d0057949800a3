/** SQL of holder lists as of a block: all pairs of a token once, sorted by what they held then. */
import type { Fragment, Sql } from "postgres"
import type { Erc1155HolderKey, HolderKey } from "../../domain/model/holder.ts"
import type { PageRequest } from "../../domain/model/page.ts"
import type { Window } from "../../ports/HolderStore.ts"
import { selectHoldersAt, selectUnitsAt } from "./atBlock.ts"
import { placeOf } from "./page.ts"
import type { ChainTables } from "./tables.ts"

/** Rows `b` of a token's accounts, or of its units, as they were after a block: which, in what order, as what JSON. */
interface Ranked {
  readonly held: Fragment
  readonly row: Fragment
  /** Undefined = from the start. */
  readonly beyond: Fragment | undefined
  readonly order: Fragment
}

/** Of `HolderKey`s. */
export const rankedHoldersAt = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  page: PageRequest<HolderKey>,
  blockNumber: number,
): Ranked => {
  const { key, reading } = placeOf(page, "desc")
  const down = reading === "desc"
  const beyond =
    key &&
    (down
      ? sql`b.balance < ${key.balance}::numeric or b.balance = ${key.balance}::numeric and b.holder > ${key.address}::bytea`
      : sql`b.balance > ${key.balance}::numeric or b.balance = ${key.balance}::numeric and b.holder < ${key.address}::bytea`)
  return {
    held: selectHoldersAt(sql, chain, tokenId, blockNumber),
    row: sql`json_build_object('address', '0x' || encode(b.holder, 'hex'), 'balance', b.balance::text)`,
    beyond,
    order: down ? sql`b.balance desc, b.holder` : sql`b.balance, b.holder desc`,
  }
}

/** Of `Erc1155HolderKey`s. */
export const rankedUnitsAt = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  page: PageRequest<Erc1155HolderKey>,
  blockNumber: number,
): Ranked => {
  const { key, reading } = placeOf(page, "desc")
  const down = reading === "desc"
  const [less, ahead] = down ? [sql`<`, sql`>`] : [sql`>`, sql`<`]
  const beyond =
    key &&
    sql`b.balance ${less} ${key.balance}::numeric or b.balance = ${key.balance}::numeric
      and (b.holder, b.nft_id) ${ahead} (${key.address}::bytea, ${key.tokenId}::numeric)`
  return {
    held: selectUnitsAt(sql, chain, tokenId, blockNumber),
    row: sql`json_build_object('address', '0x' || encode(b.holder, 'hex'), 'tokenId', b.nft_id::text, 'balance', b.balance::text)`,
    beyond,
    order: down ? sql`b.balance desc, b.holder, b.nft_id` : sql`b.balance, b.holder desc, b.nft_id desc`,
  }
}

/** The columns `what` of the rows among `from`, in their order. */
const selectRanked = (sql: Sql, what: Fragment, from: Fragment, { beyond, order }: Ranked): Fragment =>
  sql`select ${what} from ${from} b ${beyond === undefined ? sql`` : sql`where ${beyond}`} order by ${order}`

/** `HolderPage` of the first `limit` rows. */
export const selectPageAt = (sql: Sql, ranked: Ranked, limit: number, count: boolean): Fragment => {
  const rows = (from: Fragment) => sql`
    select coalesce(json_agg(${ranked.row}), '[]') from (${selectRanked(sql, sql`*`, from, ranked)} limit ${limit}) b`
  return count
    ? sql`with held as materialized (${ranked.held})
        select json_build_object('rows', (${rows(sql`held`)}), 'total', (select count(*) from held))`
    : sql`select json_build_object('rows', (${rows(sql`(${ranked.held})`)}))`
}

/** All rows, as a column `row`. */
export const selectAllAt = (sql: Sql, ranked: Ranked): Fragment =>
  selectRanked(sql, sql`${ranked.row} as row`, sql`(${ranked.held})`, ranked)

/** Rows by rank, by page and offset. */
export const selectHolderWindowAt = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  { page, offset }: Window,
  blockNumber: number,
): Fragment => sql`
  select coalesce(json_agg(json_build_object('address', '0x' || encode(b.holder, 'hex'), 'balance', b.balance::text)), '[]')
  from (
    select * from (${selectHoldersAt(sql, chain, tokenId, blockNumber)}) b
    order by b.balance desc, b.holder limit ${offset} offset ${(page - 1) * offset}
  ) b`

export const selectHolderCountAt = (sql: Sql, chain: ChainTables, tokenId: Fragment, blockNumber: number): Fragment =>
  sql`select count(*) from (${selectHoldersAt(sql, chain, tokenId, blockNumber)}) b`
