/** SQL of a page of a ranked list, now or as of a block. */
import type { Fragment } from "postgres"
import type { HolderKey } from "../../../../model/holder.ts"
import { seekOf } from "../common/page.ts"
import { isNarrowed, selectByRank, selectNarrowedTotal, type Wanted } from "./byRank.ts"
import { type At, selectPageFar, selectPageNear } from "./rankedPageAt.ts"
import { keyJson, type RankedTable, rankOrder } from "./rankedTable.ts"

/** What a statement gives: rows in the order read, and the total where it was asked for (null for an unknown token). */
export interface RankedPage<Key> {
  readonly rows: Array<Key>
  /** In place of the rows, where they were asked for as lines: by commas. */
  readonly lines?: string
  readonly total?: number | null
}

/** The rows, however they came. */
export const rowsOf = <Key>({ rows, lines }: RankedPage<Key>, read: (line: string) => Key): ReadonlyArray<Key> =>
  lines === undefined ? rows : lines === "" ? [] : lines.split(",").map(read)

/** `RankedPage<Key>`. */
export const selectPage = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  wanted: Wanted<Key>,
  at: At | undefined,
): Fragment => {
  if (at === undefined) return selectPageNow(table, tokenId, wanted)
  return at.way === "near"
    ? selectPageNear(table, tokenId, wanted, at.blockNumber)
    : selectPageFar(table, tokenId, wanted, at.blockNumber)
}

/** The ledger keeps the number of rows that are above zero now. */
const selectPageNow = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  { place, limit, offset = 0, count, narrowed, asLines = false }: Wanted<Key>,
): Fragment => {
  const { sql, tokenStat } = table.chain
  const { key, reading } = seekOf(place, "desc")
  const rows = selectByRank(table, tokenId, { key, reading, limit: limit + offset, condition: sql``, narrowed })
  const all = isNarrowed(narrowed)
    ? selectNarrowedTotal(table, tokenId, narrowed, sql``)
    : sql`select s.${table.total} from ${tokenStat} s where s.token_id = (${tokenId})`
  const total = sql`, 'total', (${all})`
  const form = asLines
    ? sql`'lines', (select coalesce(string_agg(${table.line}, ','), '')`
    : sql`'rows', (select coalesce(json_agg(${keyJson(table)}), '[]')`
  return sql`
    select json_build_object(${form}
      from (select * from (${rows}) b order by ${rankOrder(table, reading)} limit ${limit} offset ${offset}) b
    ) ${count ? total : sql``})`
}
