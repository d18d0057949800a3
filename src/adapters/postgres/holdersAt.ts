/** SQL of holder lists as of a block: near the head those by rank that were not touched since, else all pairs of the token, sorted. */
import type { Fragment, Sql } from "postgres"
import type { Erc1155HolderKey, HolderKey } from "../../domain/model/holder.ts"
import type { PageRequest } from "../../domain/model/page.ts"
import type { Window } from "../../ports/HolderStore.ts"
import { blockOf, selectHoldersAt, selectUnitsAt } from "./atBlock.ts"
import { changedHolders, changedUnits, isNear } from "./changedSince.ts"
import { placeOf } from "./page.ts"
import { holderOrder, selectRankedHolders, selectRankedUnits, unitOrder } from "./ranks.ts"
import type { ChainTables } from "./tables.ts"

/** Rows `b` of a token's accounts, or of its units, as they were after a block: which, in what order, as what JSON. */
interface Ranked {
  /** All of them. */
  readonly held: Fragment
  /** The tables of what changed since, see `changedSince`. */
  readonly changes: Fragment
  /** Those by rank that were not touched since, if that is near; so many at most, in branches. */
  readonly unchanged: (limit: number) => Array<Fragment>
  /** All columns but the balance. */
  readonly columns: Fragment
  /** How many there are now, a column of `near`. */
  readonly now: Fragment
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
  page: Omit<PageRequest<HolderKey>, "limit">,
  blockNumber: number,
): Ranked => {
  const { key, reading } = placeOf(page, "desc")
  const [less, ahead] = reading === "desc" ? [sql`<`, sql`>`] : [sql`>`, sql`<`]
  const beyond =
    key &&
    sql`b.balance ${less} ${key.balance}::numeric or b.balance = ${key.balance}::numeric
      and b.holder ${ahead} ${key.address}::bytea`
  const untouched = isUntouched(sql, blockNumber)
  return {
    held: selectHoldersAt(sql, chain, tokenId, blockNumber),
    changes: changedHolders(sql, chain, tokenId, blockNumber),
    unchanged: (limit) => selectRankedHolders(sql, chain, tokenId, { key, reading, limit }, untouched),
    columns: sql`b.holder`,
    now: sql`near.holders`,
    row: sql`json_build_object('address', '0x' || encode(b.holder, 'hex'), 'balance', b.balance::text)`,
    beyond,
    order: holderOrder(sql, reading),
  }
}

/** Of `Erc1155HolderKey`s. */
export const rankedUnitsAt = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  page: Omit<PageRequest<Erc1155HolderKey>, "limit">,
  blockNumber: number,
): Ranked => {
  const { key, reading } = placeOf(page, "desc")
  const [less, ahead] = reading === "desc" ? [sql`<`, sql`>`] : [sql`>`, sql`<`]
  const beyond =
    key &&
    sql`b.balance ${less} ${key.balance}::numeric or b.balance = ${key.balance}::numeric
      and (b.holder, b.nft_id) ${ahead} (${key.address}::bytea, ${key.tokenId}::numeric)`
  const untouched = isUntouched(sql, blockNumber)
  return {
    held: selectUnitsAt(sql, chain, tokenId, blockNumber),
    changes: changedUnits(sql, chain, tokenId, blockNumber),
    unchanged: (limit) => selectRankedUnits(sql, chain, tokenId, { key, reading, limit }, untouched),
    columns: sql`b.holder, b.nft_id`,
    now: sql`near.ids`,
    row: sql`json_build_object('address', '0x' || encode(b.holder, 'hex'), 'tokenId', b.nft_id::text, 'balance', b.balance::text)`,
    beyond,
    order: unitOrder(sql, reading),
  }
}

/** Condition on a pair or unit `b`; none passes where the block is not near. */
const isUntouched = (sql: Sql, blockNumber: number): Fragment =>
  sql`and b.block_number <= ${blockOf(sql, blockNumber)} and ${isNear(sql)}`

/** What comes before the rows: `held` has those that were touched since where the block is near, else all. */
const selectTables = (sql: Sql, { changes, held, columns }: Ranked): Fragment => sql`
  with ${changes},
  held as materialized (
    select ${columns}, b.balance_then as balance from changed b where b.balance_then > 0
    union all
    select ${columns}, b.balance from (${held}) b where not ${isNear(sql)}
  )`

/** A JSON array of rows: so many, behind so many. */
const selectRows = (sql: Sql, ranked: Ranked, limit: number, offset = 0): Fragment => {
  const { unchanged, columns, beyond, order, row } = ranked
  return sql`
    select coalesce(json_agg(${row}), '[]') from (
      select * from (
        ${unchanged(limit + offset)} union all (
          select ${columns}, b.balance from held b ${beyond === undefined ? sql`` : sql`where ${beyond}`}
          order by ${order} limit ${limit + offset})
      ) b order by ${order} limit ${limit} offset ${offset}
    ) b`
}

/** Those that held now, less those of the touched that do, and those of the touched that did. */
const selectTotal = (sql: Sql, { now }: Ranked): Fragment => sql`
  select (select count(*) from held) + case when ${isNear(sql)} then
    (select ${now} from near) - (select count(*) from changed b where b.balance > 0) else 0 end`

/** `HolderPage` of the first `limit` rows. */
export const selectPageAt = (sql: Sql, ranked: Ranked, limit: number, count: boolean): Fragment => sql`
  ${selectTables(sql, ranked)}
  select json_build_object('rows', (${selectRows(sql, ranked, limit)})
    ${count ? sql`, 'total', (${selectTotal(sql, ranked)})` : sql``})`

/** All rows, as a column `row`. */
export const selectAllAt = (sql: Sql, { held, beyond, order, row }: Ranked): Fragment =>
  sql`select ${row} as row from (${held}) b ${beyond === undefined ? sql`` : sql`where ${beyond}`} order by ${order}`

/** Rows by rank, by page and offset. */
export const selectHolderWindowAt = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  { page, offset }: Window,
  blockNumber: number,
): Fragment => {
  const ranked = rankedHoldersAt(sql, chain, tokenId, {}, blockNumber)
  return sql`${selectTables(sql, ranked)} ${selectRows(sql, ranked, offset, (page - 1) * offset)}`
}

export const selectHolderCountAt = (sql: Sql, chain: ChainTables, tokenId: Fragment, blockNumber: number): Fragment => {
  const ranked = rankedHoldersAt(sql, chain, tokenId, {}, blockNumber)
  return sql`${selectTables(sql, ranked)} ${selectTotal(sql, ranked)}`
}
