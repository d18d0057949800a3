/** The TokenHistories port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment } from "postgres"
import { countCap, countUpTo, type PageRequest, type Pin, type Rows } from "../../../../model/page.ts"
import type { Address, Hash } from "../../../../model/primitives.ts"
import { standards } from "../../../../model/token.ts"
import type { Partiality } from "../../../../ports/AuditStore.ts"
import { type StoredPoint, TokenHistories } from "../../../../ports/TokenHistories.ts"
import { numberArray } from "../../database/arrays.ts"
import { type ChainSql, forEver, standardNumbers } from "../../database/chainSql.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { cut, seekOf } from "../common/page.ts"
import { pinColumn, pinOf } from "../common/pin.ts"
import { selectTokenId } from "../common/tokenIds.ts"
import { selectDiff } from "./diff.ts"
import { doubtOf } from "./doubts.ts"
import { pricesAtPoints, type SeriesRow, selectPriceIn, selectSeries, versionsInForce } from "./series.ts"
import { selectTouched, selectVersions } from "./versions.ts"

interface Listed<Row, Beside = unknown> {
  readonly found?: Beside & { readonly rows: ReadonlyArray<Row>; readonly total?: number }
  readonly pin?: Pin
}

interface VersionRow {
  readonly block: number
  readonly time: number | null
  readonly balance: string
  readonly before: string
  readonly transactions: ReadonlyArray<Hash>
}

interface PartialRow {
  readonly partial: Partiality | null
}

const partialOf = (row: PartialRow | undefined): { readonly partial?: Partiality } =>
  row === undefined || row.partial === null ? {} : { partial: row.partial }

export const layer = Layer.effect(
  TokenHistories,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return TokenHistories.of({
      versions: Effect.fnUntraced(function* (query) {
        const { chainId, page, count } = query
        const none: Listed<VersionRow, PartialRow & { readonly standards: ReadonlyArray<number> }> = {}
        const { asOf, value } = yield* across.readOne(
          chainId,
          none,
          (chain) => chain.sql`(${selectVersions(chain, query)}) as found ${walkPin(chain, page)}`,
        )
        const { rows, hasMore } = cut(page, value.found?.rows ?? [])
        const items = rows.map(({ block, time, ...row }) => ({
          blockNumber: block,
          ...(time === null ? {} : { time }),
          ...row,
        }))
        const keys = items.map(({ blockNumber }) => ({ blockNumber }))
        const emitted = value.found?.standards ?? []
        return {
          asOf,
          value: {
            items,
            keys,
            hasMore,
            standards: standards.filter((standard) => emitted.includes(standardNumbers[standard])),
            ...partialOf(value.found),
            ...countOf(count, value.found?.total),
            ...pinOf(value.pin),
          },
        }
      }),
      prices: Effect.fnUntraced(function* ({ chainId, token, from, to, direction, page, count }) {
        const none: Listed<readonly [number, number, string]> = {}
        const { asOf, value } = yield* across.readOne(chainId, none, (chain) => {
          const { sql, pricePoint } = chain
          const { key, reading } = seekOf(page, direction)
          const way = reading === "asc" ? sql`asc` : sql`desc`
          const place = reading === "asc" ? sql`p.hour >` : sql`p.hour <`
          const range = sql`p.token_id = (${selectTokenId(chain, "erc20", token)})
            and p.hour >= ${from ?? 0}::int4 and p.hour <= ${to ?? forEver}::int4 and p.until_hour >= p.hour`
          const total = sql`, 'total', (
            select count(*) from (select from ${pricePoint} p where ${range} limit ${countCap + 1}) p)`
          return sql`(select json_build_object('rows', (
            select coalesce(json_agg(json_build_array(p.hour, p.until_hour, p.price::text) order by p.hour ${way}), '[]') from (
              select p.hour, least(p.until_hour, (
                  select case when n.until_hour < n.hour then n.hour - 1 end from ${pricePoint} n
                  where n.token_id = p.token_id and n.hour > p.hour order by n.hour limit 1)) as until_hour, p.price
              from ${pricePoint} p
              where ${range} ${key === undefined ? sql`` : sql`and ${place} ${key.hour}::int4`}
              order by p.hour ${way} limit ${page.limit + 1}) p) ${count ? total : sql``})) as found`
        })
        const { rows, hasMore } = cut(page, value.found?.rows ?? [])
        const items = rows.map(
          ([hour, untilHour, price]): StoredPoint => ({
            hour,
            ...(untilHour === forEver ? {} : { untilHour }),
            price,
          }),
        )
        const keys = items.map(({ hour }) => ({ hour }))
        return { asOf, value: { items, keys, hasMore, ...countOf(count, value.found?.total) } }
      }),
      pricesAt: Effect.fnUntraced(function* (chainId, token, hours) {
        const none: { readonly found?: readonly [number | null, ReadonlyArray<string | null> | null] } = {}
        const { value } = yield* across.readOne(chainId, none, (chain) => {
          const { sql } = chain
          return sql`(
            select json_build_array(k.decimals, (
              select json_agg((${selectPriceIn(chain, sql`k.token_id`, sql`m.hour`)}) order by m.place)
              from unnest(${numberArray(hours)}::text::int4[]) with ordinality m (hour, place)))
            from ${chain.token} k where k.token_id = (${selectTokenId(chain, "erc20", token)})) as found`
        })
        const [decimals, prices] = value.found ?? [null, null]
        return { ...(decimals === null ? {} : { decimals }), prices: prices ?? hours.map(() => null) }
      }),
      diff: Effect.fnUntraced(function* (query) {
        const { chainId, page, count, to = 2 ** 31 - 1 } = query
        const none: Listed<readonly [Address, string, string], PartialRow> = {}
        const { asOf, value } = yield* across.readOne(
          chainId,
          none,
          (chain) => chain.sql`(${selectDiff(chain, query)}) as found ${pinColumn(chain, to, page)}`,
        )
        const { rows, hasMore } = cut(page, value.found?.rows ?? [])
        const items = rows.map(([address, before, after]) => ({ address, before, after }))
        const keys = items.map(({ address }) => ({ address }))
        const total = value.found?.total
        const exact = count ? { count: { count: total ?? 0, countType: "exact" as const } } : {}
        return { asOf, value: { items, keys, hasMore, ...partialOf(value.found), ...exact, ...pinOf(value.pin) } }
      }),
      touched: Effect.fnUntraced(function* ({ chainId, page, ...query }) {
        const none: { readonly found?: ReadonlyArray<number>; readonly pin?: Pin } = {}
        const { asOf, value } = yield* across.readOne(
          chainId,
          none,
          (chain) => chain.sql`(${selectTouched(chain, { ...query, page })}) as found ${walkPin(chain, page)}`,
        )
        const { rows, hasMore } = cut(page, value.found ?? [])
        const keys = rows.map((blockNumber) => ({ blockNumber }))
        return { asOf, value: { items: rows, keys, hasMore, ...pinOf(value.pin) } }
      }),
      series: Effect.fnUntraced(function* ({ chainId, page, ...query }) {
        const none: { readonly found?: SeriesRow; readonly pin?: Pin } = {}
        const { asOf, value } = yield* across.readOne(chainId, none, (chain) => {
          const pin = pinColumn(chain, page.key?.blockNumber ?? 0, {
            limit: 1,
            ...(page.rollbacks === undefined ? {} : { rollbacks: page.rollbacks }),
          })
          return chain.sql`(${selectSeries(chain, query)}) as found ${pin}`
        })
        const points = (value.found?.points ?? []).map(([blockNumber, time, hour, hash, since, next]) => ({
          ...{ blockNumber, hour },
          ...(time === null ? {} : { time }),
          ...(hash === null ? {} : { hash }),
          ...(since === null ? {} : { since }),
          ...(next === null ? {} : { next: { blockNumber: next[0], time: next[1] } }),
        }))
        const { found = { points: null, hours: null, tokens: [] } } = value
        const pricesOf = pricesAtPoints(found)
        const blocks = points.map(({ blockNumber }) => blockNumber)
        const tokens = found.tokens.flatMap((row) => {
          const [{ tokenAddress, name, symbol, decimals, logoUri, doubt: told }, listed] = row
          const doubt = doubtOf(told)
          const versions = versionsInForce(listed, blocks)
          if (versions.length === 0) return []
          return {
            tokenAddress,
            ...(name === null ? {} : { name }),
            ...(symbol === null ? {} : { symbol }),
            ...(decimals === null ? {} : { decimals }),
            ...(logoUri === null ? {} : { logoUri }),
            ...(doubt === undefined ? {} : { doubt }),
            versions,
            prices: pricesOf(row),
          }
        })
        return { asOf, value: { points, tokens, ...pinOf(value.pin) } }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** Whether the rows behind a place are of the same fork as those before it. */
const walkPin = (chain: ChainSql, page: PageRequest<{ readonly blockNumber: number }>): Fragment =>
  pinColumn(chain, (page.after ?? page.before)?.blockNumber ?? 0, page)

const countOf = (count: boolean, total = 0): Pick<Rows<unknown, unknown>, "count"> =>
  count ? { count: countUpTo(total) } : {}
