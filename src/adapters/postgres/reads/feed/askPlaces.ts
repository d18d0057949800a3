/** What a chain's feed has behind a place, asked of the chains that a page cannot do without: of one, or of all in one statement. */
import type { Fragment, Sql, TransactionSql } from "postgres"
import type { ChainId } from "../../../../model/primitives.ts"
import type { FeedKey } from "../../../../model/transfer.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import type { Pending } from "../../database/Database.ts"
import { unionAll } from "../../database/fragments.ts"
import type { KeptPlans } from "../common/keptPlans.ts"
import { rendered } from "../common/rendered.ts"
import type { PageStart } from "./bounds.ts"
import { type FeedKind, hasSub } from "./feed.ts"
import type { Lot } from "./lots.ts"
import { type Reading, told } from "./mergeLots.ts"
import { keyOfParts, partsOf } from "./positionKey.ts"

/** A page, and how its feed is asked. */
export interface KnownPage<Row> {
  /** All that the statements are made of, but for the chains and the page's place: equal ones are one feed. */
  readonly feed: ReadonlyArray<unknown>
  readonly kind: FeedKind
  /** All that rows show: equal ones make equal statements. */
  readonly shown: ReadonlyArray<unknown>
  readonly start: PageStart
  /** Rows of the page. */
  readonly limit: number
  /** One chain's first places beyond a key: rows of `time`, `pos`, and `sub` where a log may have several. */
  readonly places: (chain: ChainSql, start: PageStart, limit: number) => Fragment
  /** The same with `chain_id`, in words that are the same wherever the page begins. */
  readonly steadyPlaces: (chain: ChainSql, start: PageStart, limit: number) => Fragment
  /** Scalar: the rows at places, as a JSON array. */
  readonly rowsAt: (chain: ChainSql, places: Fragment) => Fragment
  /** What `rowsAt` gives, as rows, where it is no array of them. */
  readonly rowsOf?: (chain: ChainId, found: unknown) => Array<Row>
  /** Scalar over all chains; absent = nobody asks for it. */
  readonly total: ((sql: Sql, chains: ReadonlyArray<ChainSql>) => Fragment) | undefined
  readonly compare: (a: Row, b: Row) => number
}

/** What is needed of a page that is being read. */
interface Asking {
  readonly transaction: TransactionSql
  readonly run: <B>(statement: Pending<B>) => Promise<B>
  readonly plans: KeptPlans
  readonly sql: Sql
  readonly chains: ReadonlyArray<ChainSql>
  readonly page: Pick<KnownPage<never>, "kind" | "start" | "limit" | "places" | "steadyPlaces">
}

type PlaceRow = readonly [time: number, pos: string, sub?: number]

/** Places that a chain is asked for at a time: those behind the page are met by the next ones. */
const [fewestAhead, mostAhead] = [64, 1024]
export const makeAskPlaces = ({ transaction, run, plans, sql, chains, page }: Asking) => {
  const { kind, start, limit } = page
  const chainOf = new Map(chains.map((chain) => [chain.chainId, chain]))
  return {
    /** What follows the chain's lot, or lies beyond the page's start. */
    askOne: async (reading: Reading): Promise<void> => {
      const { seek, lot } = reading
      const most = lot === undefined ? fewestAhead : Math.min(Math.max(lot.keys.length, fewestAhead), mostAhead)
      const from = lot === undefined ? start : { ...start, key: keyOfLast(seek, lot) }
      const places = page.places(chainOf.get(seek.chainId)!, from, most)
      const statement = transaction<
        [{ places: Array<PlaceRow> }]
      >`select (${selectArrays(sql, kind, places)}) as places`
      const [found] = await run(plans.prepared(statement))
      told(reading, lotOf(reading, found.places, most))
    },
    /** What lies beyond the page's start on all of them. */
    askAll: async (missing: ReadonlyArray<Reading>): Promise<void> => {
      const most = Math.min(limit, fewestAhead)
      const branches = chains.map((chain) => page.steadyPlaces(chain, start, most))
      const { text, values } = rendered(sql`
        select json_object_agg(each.chain_id, each.places) as places from (
          select place.chain_id, json_agg(${placeArray(sql, kind)}) as places
          from (${unionAll(sql, branches)}) place group by place.chain_id) each`)
      const prepare = plans.keeps(text, chains.length)
      const [{ places }] = (await run(transaction.unsafe(text, values as Array<string>, { prepare }))) as unknown as [
        { places: Readonly<Record<string, Array<PlaceRow>>> | null },
      ]
      for (const reading of missing) told(reading, lotOf(reading, places?.[reading.seek.chainId] ?? [], most))
    },
  }
}

const placeArray = (sql: Sql, kind: FeedKind): Fragment =>
  sql`json_build_array(place.time, place.pos::text ${hasSub(kind) ? sql`, place.sub` : sql``})`

const selectArrays = (sql: Sql, kind: FeedKind, places: Fragment): Fragment =>
  sql`select coalesce(json_agg(${placeArray(sql, kind)}), '[]') from (${places}) place`

/** In the order read: statements give a chain's places in it, and need not once they are joined. */
const lotOf = (
  { seek: { kind, direction }, now }: Reading,
  rows: ReadonlyArray<PlaceRow>,
  most: number,
): Pick<Lot, "times" | "keys" | "endedAt"> => {
  const places = rows.map(([time, pos, sub = 0]) => ({ time, key: keyOfParts(kind, BigInt(pos), BigInt(sub)) }))
  const sign = direction === "asc" ? 1 : -1
  places.sort((a, b) => (a.key < b.key ? -sign : sign))
  const lot = { times: places.map(({ time }) => time), keys: places.map(({ key }) => key) }
  return rows.length < most ? { ...lot, endedAt: now.head } : lot
}

const keyOfLast = ({ kind, chainId }: Reading["seek"], { times, keys }: Lot): FeedKey => {
  const { pos, sub } = partsOf(kind, keys.at(-1)!)
  const [blockNumber, logIndex] = [Number(pos >> 24n), Number(pos & 0xffffffn)]
  return { time: times.at(-1)!, chainId, blockNumber, logIndex, sub: Number(sub) }
}
