/** Tokens by words: each place of a text is an index, read from the text on, and the next one only where a page is not full yet. */
import { Effect } from "effect"
import type { Fragment, Sql } from "postgres"
import { type Count, countCap, type Rows } from "../../../../model/page.ts"
import { type ChainId, compareChainIds } from "../../../../model/primitives.ts"
import { type SearchKey, type SearchText, searchPlaces, searchRuns } from "../../../../model/search/searchText.ts"
import type { Standard, TokenRecords } from "../../../../model/token.ts"
import type { TokenSearch } from "../../../../ports/TokenStore.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { joined, unionAll } from "../../database/fragments.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { cut, seekOf } from "../common/page.ts"
import { isSupplyKnown, selectDetails, type TokenDetails, tokenOf } from "./record.ts"

interface FoundRow {
  readonly chain_id: ChainId
  readonly run: number
  readonly text: string
  readonly first_pos: string
  readonly details: TokenDetails
}

interface Reading {
  readonly standard: Standard
  readonly text: SearchText
  readonly runs: ReadonlyArray<number>
  readonly key: SearchKey | undefined
  /** `asc` = the order of display. */
  readonly way: "asc" | "desc"
  readonly limit: number
}

export const readFound = Effect.fnUntraced(function* <S extends Standard>(
  across: AcrossChains["Service"],
  { standard, chains, text, trusted, page, count }: TokenSearch<S>,
) {
  const none: { rows: Array<FoundRow>; total?: number } = { rows: [] }
  const { key, reading: way } = seekOf(page, "asc")
  const runs = runsOf(text, trusted === true)
  const reading: Reading = { standard, text, runs, key, way, limit: page.limit + 1 }
  const { asOf, value } = yield* across.read(chains, none, (sql, opened) => {
    if (runs.length === 0) return sql`'[]'::json as rows ${count ? sql`, 0 as total` : sql``}`
    const counted = { ...reading, key: undefined, way: "asc" as const, limit: countCap + 1 }
    const total = sql`select count(*) from (${unionAll(
      sql,
      opened.map((chain) => sql`(select token_id from (${selectPlaces(chain, counted)}) p)`),
    )} limit ${countCap + 1}) counted`
    return sql`(${selectFoundPage(sql, opened, reading)}) as rows ${count ? sql`, (${total}) as total` : sql``}`
  })
  const { rows, hasMore } = cut(page, value.rows)
  const found: Rows<TokenRecords[S], SearchKey> = {
    items: rows.map((row) => tokenOf(row.chain_id, row.details) as TokenRecords[S]),
    keys: rows.map(({ run, text, chain_id, first_pos }) => ({ run, text, chainId: chain_id, firstPos: first_pos })),
    hasMore,
    ...(count ? { count: countOf(value.total ?? 0) } : {}),
  }
  return { asOf, value: found }
})

const countOf = (total: number): Count =>
  total > countCap ? { count: countCap, countType: "lowerBound" } : { count: total, countType: "exact" }

const runsOf = ({ fold, digits }: SearchText, trusted: boolean): ReadonlyArray<number> =>
  Array.from({ length: trusted ? searchPlaces.length : searchRuns }, (_, run) => run).filter((run) =>
    placeOf(run) === "address" ? digits !== undefined : fold !== "",
  )

const placeOf = (run: number) => searchPlaces[run % searchPlaces.length]!

const columns = {
  symbol: (sql: Sql) => sql`x.symbol_fold`,
  name: (sql: Sql) => sql`x.name_fold`,
  name2: (sql: Sql) => sql`x.name_fold2`,
  name3: (sql: Sql) => sql`x.name_fold3`,
  name4: (sql: Sql) => sql`x.name_fold4`,
  address: (sql: Sql) => sql`x.address`,
}

/** Above every text that begins with it: no code point is higher, and folded texts do not have this one. */
const endOf = (fold: string): string => `${fold}\u{10ffff}`

/** Places `(run, text, first_pos, token_id)` of a chain in their order, `limit` at most. */
const selectPlaces = (chain: ChainSql, reading: Reading): Fragment => {
  const { sql } = chain
  const { runs, key, way, limit } = reading
  const asked = way === "asc" ? runs : runs.toReversed()
  const going = asked.filter((run) => key === undefined || (way === "asc" ? run >= key.run : run <= key.run))
  const name = (run: number) => sql(`run_${run}`)
  const tables = going.map((run, index) => {
    const before = going.slice(0, index).map((it) => sql`(select count(*) from ${name(it)})`)
    const left = sql`${limit}::int8 ${[sql``, ...before.map((number) => sql`- ${number}`)]}`
    return sql`${name(run)} as materialized (${selectRun(chain, reading, run, index === 0 ? sql`true` : sql`(${left}) > 0`)})`
  })
  if (tables.length === 0) return sql`select 0 as run, '' as text, 0::int8 as first_pos, 0 as token_id where false`
  return sql`with ${joined(tables, sql`,`)} ${unionAll(
    sql,
    going.map((run) => sql`select * from ${name(run)}`),
  )}`
}

/** What one index has from the text on, without what stands in an earlier run. */
const selectRun = (
  { sql, chainId, token }: ChainSql,
  { standard, text: { fold, digits = "" }, key, way, limit }: Reading,
  run: number,
  isWanted: Fragment,
): Fragment => {
  const place = placeOf(run)
  const isAddress = place === "address"
  const column = columns[place](sql)
  const range = isAddress
    ? sql`${column} between ${`\\x${digits.padEnd(40, "0")}`}::bytea and ${`\\x${digits.padEnd(40, "f")}`}::bytea`
    : sql`${column} >= ${fold} and ${column} < ${endOf(fold)}`
  const earlier = fold === "" ? [] : searchPlaces.slice(0, searchPlaces.indexOf(place))
  const isNew = [sql``, ...earlier.map((it) => sql`and not coalesce(starts_with(${columns[it](sql)}, ${fold}), false)`)]
  const order = way === "asc" ? sql`${column}, x.first_pos` : sql`${column} desc, x.first_pos desc`
  const shown = isAddress ? sql`encode(${column}, 'hex')` : column
  return sql`
    select ${run}::int4 as run, ${shown} as text, x.first_pos, x.token_id from ${token} x
    where x.standard = ${standardNumbers[standard]} and x.trusted = ${run < searchPlaces.length ? sql`true` : sql`false`}
      and ${range} ${isNew} ${beyond(sql, chainId, { column, isAddress, run, key, way })} and ${isWanted}
    order by ${order} limit ${limit}`
}

/** Behind the key in its own run: chains come in order within a text. */
const beyond = (
  sql: Sql,
  chainId: ChainId,
  {
    column,
    isAddress,
    run,
    key,
    way,
  }: Pick<Reading, "key" | "way"> & {
    readonly column: Fragment
    readonly isAddress: boolean
    readonly run: number
  },
): Fragment => {
  if (key === undefined || key.run !== run) return sql``
  const at = isAddress ? sql`${`\\x${key.text}`}::bytea` : sql`${key.text}::text`
  const side = compareChainIds(chainId, key.chainId) * (way === "asc" ? 1 : -1)
  const further = way === "asc" ? sql`>` : sql`<`
  if (side === 0) return sql`and (${column}, x.first_pos) ${further} (${at}, ${key.firstPos}::int8)`
  return sql`and ${column} ${further}${side > 0 ? sql`=` : sql``} ${at}`
}

/** `FoundRow`s in the order read as one JSON array. */
const selectFoundPage = (sql: Sql, chains: ReadonlyArray<ChainSql>, reading: Reading): Fragment => {
  const { way, limit } = reading
  const branches = chains.map(
    (chain) => sql`(select ${chain.chainId}::int8 as chain_id, p.* from (${selectPlaces(chain, reading)}) p)`,
  )
  const down = way === "asc" ? sql`` : sql`desc`
  const order = sql`order by place.run ${down}, place.text collate "C" ${down}, place.chain_id ${down}, place.first_pos ${down}`
  return sql`
    select coalesce(json_agg(r), '[]') from (
      select place.chain_id::text as chain_id, place.run, place.text, place.first_pos::text as first_pos,
        case place.chain_id ${chains.map(
          (chain) =>
            sql`when ${chain.chainId}::int8 then (${selectDetails(chain, sql`k.token_id = place.token_id`, sql`k.standard = 20 and ${isSupplyKnown(chain)}`)})`,
        )} end as details
      from (select * from (${unionAll(sql, branches)}) place ${order} limit ${limit}) place ${order}
    ) r`
}
