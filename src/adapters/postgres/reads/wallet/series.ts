/** SQL of what an address held at many moments, and of what it cost then. */
import type { Fragment } from "postgres"
import type { Address, BigIntString, Hash } from "../../../../model/primitives.ts"
import type { Moments, SeriesStandard } from "../../../../ports/TokenHistories.ts"
import { numberArray } from "../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { type DoubtRow, selectDoubt } from "./doubts.ts"
import { selectBlockAt, selectHourOf, selectNextKnown, selectTimeOf } from "./times.ts"

/** The newest price point of `token` at or before `hour`, if it speaks for it: one look-up of an index. */
export const selectPriceIn = ({ sql, pricePoint }: ChainSql, token: Fragment, hour: Fragment): Fragment => sql`
  select case when p.until_hour >= ${hour} then p.price::text end from ${pricePoint} p
  where p.token_id = ${token} and p.hour <= ${hour} order by p.hour desc limit 1`

/** JSON of a series: what the token is, the versions, prices of the hours (see `selectExact`, `selectOthers`). */
export type TokenRow = readonly [
  facts: {
    readonly tokenAddress: Address
    readonly name: string | null
    readonly symbol: string | null
    readonly decimals: number | null
    readonly logoUri: string | null
    readonly doubt: DoubtRow | null
  },
  /** `block balance`, newest first, by commas; those that were in force at no point may be among them. */
  versions: string,
  exact: string | null,
  /** null = all that were asked. */
  exactHours: ReadonlyArray<number> | null,
  others: ReadonlyArray<readonly [hour: number, price: string]> | null,
]

/** The last three where the native currency is asked; `since` and `next` of times alone: see the port. */
type PointRow = readonly [
  block: number,
  time: number | null,
  hour: number,
  hash: Hash | null,
  since: number | null,
  next: readonly [block: number, time: number] | null,
]

export interface SeriesRow {
  readonly points: ReadonlyArray<PointRow> | null
  /** Of the points: each once, ascending. */
  readonly hours: ReadonlyArray<number> | null
  readonly tokens: ReadonlyArray<TokenRow>
}

/**
 * JSON of a `SeriesRow`. A pair that has fewer versions between the first point and the last than there are points: all of them,
 * read in one go, and the one before. Of another the walk goes from each version to the one in force at the nearest older point. So
 * it reads no more than some two versions a point of each token.
 */
export const selectSeries = (
  chain: ChainSql,
  {
    holder,
    moments,
    onlyTrusted,
    standards = ["erc20"],
  }: {
    readonly holder: Address
    readonly moments: Moments
    readonly onlyTrusted: boolean
    readonly standards?: ReadonlyArray<SeriesStandard> | undefined
  },
): Fragment => {
  const { sql, balance, block, history, token, tokenNote } = chain
  const hash = standards.includes("native")
    ? sql`(select '0x' || encode(b.hash, 'hex') from ${block} b where b.number = p.block)`
    : sql`null`
  const around =
    standards.includes("native") && "times" in moments
      ? sql`${selectTimeOf(chain, sql`p.block`)}, (${selectNextKnown(chain, sql`p.block`)})`
      : sql`null, null`
  const upTo = "times" in moments && moments.upTo !== undefined ? sql`${moments.upTo}::int4` : sql`null`
  const points =
    "times" in moments
      ? sql`select m.place, least(coalesce((${selectBlockAt(chain, sql`m.time`)}), -1), ${upTo}) as block, (m.time / 3600)::int4 as hour,
            null::int8 as time
          from unnest(${numberArray(moments.times)}::text::int8[]) with ordinality m (time, place)`
      : sql`select m.place, m.block, (${selectHourOf(chain, sql`m.block`)}) as hour,
            ${selectTimeOf(chain, sql`m.block`)} as time
          from unnest(${numberArray(moments.blocks)}::text::int4[]) with ordinality m (block, place)`
  const areDays = "times" in moments && moments.times.every((time) => Math.floor(time / 3600) % 24 === 0)
  return sql`
    with recursive point as materialized (${points}),
    edge as materialized (select array_agg(p.block order by p.place) as blocks, max(p.block) as last from point p),
    asked as materialized (select array_agg(distinct p.hour order by p.hour) as hours, count(distinct p.hour) as number from point p),
    pair as materialized (
      select b.token_id, b.holder_no, b.block_number, b.balance, k.decimals, k.address, k.name, k.symbol from ${balance} b
      cross join lateral (
        select k.decimals, k.address, k.name, k.symbol from ${token} k where k.token_id = b.token_id and k.standard = ${standardNumbers.erc20}
          ${onlyTrusted ? sql`and k.trusted` : sql``} limit 1) k
      where b.holder = ${holder}::bytea ${standards.includes("erc20") ? sql`` : sql`and false`}
    ),
    ranged as materialized (
      select p.*, r.number < cardinality(edge.blocks) as is_whole, r.versions, r.is_held from pair p cross join edge
      cross join lateral (
        select count(*) as number, string_agg(h.block_number || ' ' || h.balance, ',') as versions, bool_or(h.balance > 0) as is_held from (
          select h.block_number, h.balance from ${history} h
          where h.token_id = p.token_id and h.holder_no = p.holder_no
            and h.block_number > edge.blocks[1] and h.block_number <= edge.last
          order by h.block_number desc limit (select cardinality(e.blocks) from edge e)) h) r
    ),
    seen (token_id, holder_no, block_number, balance) as (
      select r.token_id, r.holder_no, r.block_number, r.balance from ranged r where not r.is_whole
      union all
      select s.token_id, s.holder_no, h.block_number, h.balance from seen s cross join edge
      cross join lateral (
        select h.block_number, h.balance from ${history} h
        where h.token_id = s.token_id and h.holder_no = s.holder_no
          and h.block_number <= edge.blocks[width_bucket(s.block_number - 1, edge.blocks)]
        order by h.block_number desc limit 1) h
      where s.block_number > edge.blocks[1]
    ),
    held as materialized (
      select r.token_id, concat_ws(',', case when r.block_number <= edge.last then r.block_number || ' ' || r.balance end,
        r.versions, f.version) as versions
      from ranged r cross join edge left join lateral (
        select h.block_number || ' ' || h.balance as version, h.balance > 0 as is_held from ${history} h
        where h.token_id = r.token_id and h.holder_no = r.holder_no and h.block_number <= edge.blocks[1]
        order by h.block_number desc limit 1) f on true
      where r.is_whole and (r.is_held or f.is_held or (r.balance > 0 and r.block_number <= edge.last))
      union all
      select s.token_id, string_agg(s.block_number || ' ' || s.balance, ',' order by s.block_number desc)
      from seen s cross join edge where s.block_number <= edge.last
      group by s.token_id having bool_or(s.balance > 0)
    )
    select json_build_object(
      'points', (select json_agg(json_build_array(p.block, p.time, p.hour, ${hash}, ${around}) order by p.place) from point p),
      'hours', (select a.hours from asked a),
      'tokens', (
        select coalesce(json_agg(json_build_array(json_build_object(
            'tokenAddress', '0x' || encode(p.address, 'hex'), 'name', p.name, 'symbol', p.symbol, 'decimals', p.decimals,
            'doubt', (${selectDoubt(chain, sql`p.token_id`)}),
            'logoUri', (select n.texts ->> 'image' from ${tokenNote} n where n.address = p.address)), h.versions, x.exact,
          case when x.number < a.number then coalesce(x.hours, '{}') end, (${selectOthers(chain)}))), '[]')
        from held h join pair p on p.token_id = h.token_id cross join asked a
        cross join lateral (${selectExact(chain, areDays)}) x))`
}

/**
 * Columns of the price points that begin in just these hours: `number`, `hours` and `exact`, a text `{price,…}`. One that says there
 * is no price is left to `selectOthers`, which tells it by more than the price that the index has.
 */
const selectExact = ({ sql, pricePoint }: ChainSql, areDays: boolean): Fragment => sql`
  select count(*) as number, array_agg(p.hour order by p.hour) as hours, array_agg(p.price order by p.hour)::text as exact
  from ${pricePoint} p
  where p.token_id = h.token_id and p.hour = any(a.hours) and p.price > 0 ${areDays ? sql`and p.hour % 24 = 0` : sql``}`

/** JSON pairs of the other hours and what older points say of them. */
const selectOthers = (chain: ChainSql): Fragment => {
  const { sql, pricePoint } = chain
  return sql`
    select json_agg(json_build_array(m.hour, l.price))
    from (
      select u.hour from unnest(a.hours) u (hour)
      where u.hour >= (select p.hour from ${pricePoint} p where p.token_id = h.token_id order by p.hour limit 1)
      except select unnest(x.hours)
    ) m cross join lateral (${selectPriceIn(chain, sql`h.token_id`, sql`m.hour`)}) l (price)
    where x.number < a.number and p.decimals is not null and l.price is not null`
}

/** Of tokens in turn: the prices of each point, in their order; none where no point has one. */
export const pricesAtPoints = ({ points, hours }: SeriesRow): ((token: TokenRow) => ReadonlyArray<string | null>) => {
  const places = new Map((hours ?? []).map((hour, place) => [hour, place]))
  const wanted = (points ?? []).map(([, , hour]) => places.get(hour)!)
  return ([, , exact, exactHours, others]) => {
    if (exact === null && others === null) return []
    const listed = exact === null ? [] : exact.slice(1, -1).split(",")
    if (exactHours === null) return wanted.map((place) => listed[place] ?? null)
    const byPlace: Array<string | null> = places.size === 0 ? [] : [...places.keys()].map(() => null)
    for (let index = 0; index < listed.length; index++) byPlace[places.get(exactHours[index]!)!] = listed[index]!
    for (const [hour, price] of others ?? []) byPlace[places.get(hour)!] = price
    return wanted.map((place) => byPlace[place] ?? null)
  }
}

/** Of a token's versions those in force at some point, newest first; none where it was not held at any. `blocks`: of the points, ascending. */
export const versionsInForce = (
  versions: string,
  blocks: ReadonlyArray<number>,
): ReadonlyArray<readonly [blockNumber: number, balance: BigIntString]> => {
  const found: Array<readonly [number, BigIntString]> = []
  let isHeld = false
  // The last point that no newer version speaks for.
  let last = blocks.length - 1
  for (const version of versions.split(",")) {
    const space = version.indexOf(" ")
    const block = Number(version.slice(0, space))
    if (last < 0 || block > blocks[last]!) continue
    const balance = version.slice(space + 1) as BigIntString
    found.push([block, balance])
    if (balance !== "0" && !balance.startsWith("-")) isHeld = true
    while (last >= 0 && blocks[last]! >= block) last--
  }
  return isHeld ? found : []
}
