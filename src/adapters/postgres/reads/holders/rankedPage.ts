/** SQL of a page of a ranked list, now or as of a block. */
import type { Fragment } from "postgres"
import type { HolderKey } from "../../../../model/holder.ts"
import type { Pin } from "../../../../model/page.ts"
import { seekOf } from "../common/page.ts"
import { isNarrowed, selectByRank, selectNarrowedTotal, type Wanted } from "./byRank.ts"
import { type At, selectPageFar, selectPageNear } from "./rankedPageAt.ts"
import { keyJson, type RankedTable, rankOrder } from "./rankedTable.ts"

/** What a statement gives: rows in the order read, and the total where it was asked for (null for an unknown token). */
export interface RankedPage<Key> {
  readonly rows: Array<Key>
  readonly total?: number | null
}

/** What a list's statement gives. */
export interface PageRow<Key> {
  readonly page: RankedPage<Key>
  /** In place of the page: its rows as lines, and the total where it was asked for. */
  readonly lines?: string
  readonly total?: number
  readonly ahead?: Array<number | null>
  readonly supply?: string
  readonly pin?: Pin
}

/** Rows of `selectLines`. */
export const rowsOfLines = <Key>(lines: string, read: (line: string) => Key): ReadonlyArray<Key> =>
  lines === "" ? [] : lines.split(",").map(read)

/** `RankedPage<Key>`. */
export const selectPage = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  wanted: Wanted<Key>,
  at: At | undefined,
): Fragment => {
  if (at === undefined) return selectPageNow(table, tokenId, wanted)
  return at.way === "near" && wanted.narrowed?.addresses === undefined
    ? selectPageNear(table, tokenId, wanted, at.blockNumber)
    : selectPageFar(table, tokenId, wanted, at.blockNumber)
}

const selectPageNow = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  wanted: Wanted<Key>,
): Fragment => {
  const { sql } = table.chain
  const total = sql`, 'total', (${selectTotal(table, tokenId, wanted)})`
  return sql`
    select json_build_object('rows', (
      select coalesce(json_agg(${keyJson(table)}), '[]') from (${selectRows(table, tokenId, wanted)}) b
    ) ${wanted.count ? total : sql``})`
}

/** The rows now as one text, by commas, in the order read: it is a column of its own, as in JSON every character is looked at for what to escape. */
export const selectLines = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  wanted: Wanted<Key>,
): Fragment =>
  table.chain.sql`
    select coalesce(string_agg(${table.line}, ','), '') from (${selectRows(table, tokenId, wanted)}) b`

/** How many there are in all. The ledger keeps the number of rows that are above zero now. */
export const selectTotal = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  { narrowed }: Pick<Wanted<Key>, "narrowed">,
): Fragment => {
  const { sql, tokenStat } = table.chain
  return isNarrowed(narrowed)
    ? selectNarrowedTotal(table, tokenId, narrowed, sql``)
    : sql`select s.${table.total} from ${tokenStat} s where s.token_id = (${tokenId})`
}

const selectRows = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  { place, limit, offset = 0, narrowed }: Wanted<Key>,
): Fragment => {
  const { sql } = table.chain
  const { key, reading } = seekOf(place, "desc")
  const rows = selectByRank(table, tokenId, { key, reading, limit: limit + offset, condition: sql``, narrowed })
  return sql`
    select * from (${rows}) b order by ${rankOrder(table, reading)} limit ${limit} offset ${offset}`
}
