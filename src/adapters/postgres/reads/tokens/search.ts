/** Tokens by words: each place of a text is an index, read from the text on, and the next one only where a page is not full yet. */
import { Effect } from "effect"
import type { Fragment, Sql } from "postgres"
import { countCap, countUpTo, type Rows } from "../../../../model/page.ts"
import { type ChainId, compareChainIds } from "../../../../model/primitives.ts"
import {
  placeOf,
  type SearchKey,
  type SearchPlace,
  type SearchText,
  searchPlaces,
  searchRuns,
} from "../../../../model/search/searchText.ts"
import type { Standard, TokenRecords } from "../../../../model/token.ts"
import type { TokenSearch } from "../../../../ports/TokenStore.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { joined, unionAll } from "../../database/fragments.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { everywhere, selectShares } from "../common/lists.ts"
import { cut, seekOf } from "../common/page.ts"
import { selectDetails, type TokenDetails, tokenOf } from "./record.ts"

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
  const { key, reading: way } = seekOf(page, "asc")
  const runs = runsOf(text, trusted === true)
  const reading: Reading = { standard, text, runs, key, way, limit: page.limit + 1 }
  const { asOf, value } = yield* across.list<FoundRow>(chains, {
    question: ["search", standard, text, runs, page],
    isKept: false,
    limit: reading.limit,
    rows: (chain, limit) =>
      runs.length === 0 ? chain.sql`select '[]'::json` : selectFoundRows(chain, { ...reading, limit }),
    stages: everywhere((sql, opened) =>
      runs.length === 0 ? sql`select '{}'::json` : selectShares(sql, selectPagePlaces(sql, opened, reading)),
    ),
    total: count ? (sql, opened) => selectTotal(sql, opened, reading) : undefined,
    compare: compareFound(way),
  })
  const { rows, hasMore } = cut(page, value.rows)
  const found: Rows<TokenRecords[S], SearchKey> = {
    items: rows.map((row) => tokenOf(row.chain_id, row.details) as TokenRecords[S]),
    keys: rows.map(({ run, text, chain_id, first_pos }) => ({ run, text, chainId: chain_id, firstPos: first_pos })),
    hasMore,
    ...(count ? { count: countUpTo(value.total ?? 0) } : {}),
  }
  return { asOf, value: found }
})

const runsOf = ({ fold, digits }: SearchText, trusted: boolean): ReadonlyArray<number> =>
  Array.from({ length: trusted ? searchPlaces.length : searchRuns }, (_, run) => run).filter((run) =>
    placeOf(run) === "address" ? digits !== undefined : fold !== "",
  )

const columns = {
  symbol: (sql: Sql) => sql`x.symbol_fold`,
  name: (sql: Sql) => sql`x.name_fold`,
  name2: (sql: Sql) => sql`x.name_fold2`,
  name3: (sql: Sql) => sql`x.name_fold3`,
  name4: (sql: Sql) => sql`x.name_fold4`,
  address: (sql: Sql) => sql`x.address`,
}

/** What the text of a place begins with. */
const beginningAt = (place: SearchPlace, { fold, symbol }: SearchText): string => (place === "symbol" ? symbol : fold)

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
  { standard, text, key, way, limit }: Reading,
  run: number,
  isWanted: Fragment,
): Fragment => {
  const place = placeOf(run)
  const isAddress = place === "address"
  const { fold, digits = "" } = text
  const beginning = beginningAt(place, text)
  const column = columns[place](sql)
  const range = isAddress
    ? sql`${column} between ${`\\x${digits.padEnd(40, "0")}`}::bytea and ${`\\x${digits.padEnd(40, "f")}`}::bytea`
    : sql`${column} >= ${beginning} and ${column} < ${endOf(beginning)}`
  const earlier = fold === "" ? [] : searchPlaces.slice(0, searchPlaces.indexOf(place))
  const isNew = [
    sql``,
    ...earlier.map((it) => sql`and not coalesce(starts_with(${columns[it](sql)}, ${beginningAt(it, text)}), false)`),
  ]
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

/** Scalar: all that the text finds on these chains, up to one more than the cap. */
const selectTotal = (sql: Sql, chains: ReadonlyArray<ChainSql>, reading: Reading): Fragment => {
  if (reading.runs.length === 0) return sql`select 0`
  const all: Reading = { ...reading, key: undefined, way: "asc", limit: countCap + 1 }
  const branches = chains.map((chain) => sql`(select token_id from (${selectPlaces(chain, all)}) p)`)
  return sql`select count(*) from (${unionAll(sql, branches)} limit ${countCap + 1}) counted`
}

/** The page's places on all of these chains, in the order read. */
const selectPagePlaces = (sql: Sql, chains: ReadonlyArray<ChainSql>, reading: Reading): Fragment => {
  const branches = chains.map(
    (chain) => sql`(select ${chain.chainId}::int8 as chain_id, p.* from (${selectPlaces(chain, reading)}) p)`,
  )
  return sql`select * from (${unionAll(sql, branches)}) place ${orderOf(sql, reading)} limit ${reading.limit}`
}

/** `compareFound` says the same. */
const orderOf = (sql: Sql, { way }: Reading): Fragment => {
  const down = way === "asc" ? sql`` : sql`desc`
  return sql`order by place.run ${down}, place.text collate "C" ${down}, place.chain_id ${down}, place.first_pos ${down}`
}

const compareFound =
  (way: Reading["way"]) =>
  (a: FoundRow, b: FoundRow): number => {
    const ascending =
      a.run - b.run ||
      Buffer.compare(Buffer.from(a.text), Buffer.from(b.text)) ||
      compareChainIds(a.chain_id, b.chain_id) ||
      Number(BigInt(a.first_pos) - BigInt(b.first_pos))
    return way === "asc" ? ascending : -ascending
  }

/** `FoundRow`s of a chain in the order read as one JSON array. */
const selectFoundRows = (chain: ChainSql, reading: Reading): Fragment => {
  const { sql } = chain
  const details = selectDetails(chain, sql`k.token_id = place.token_id`)
  return sql`
    select coalesce(json_agg(r), '[]') from (
      select place.chain_id::text as chain_id, place.run, place.text, place.first_pos::text as first_pos, (${details}) as details
      from (${selectPagePlaces(sql, [chain], reading)}) place ${orderOf(sql, reading)}
    ) r`
}
