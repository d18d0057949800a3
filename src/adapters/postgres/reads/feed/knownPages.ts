/** Pages of a feed over chains, behind its first: rows that pages before have met are not searched for again, and only the page's chains are asked for theirs. */
import { Effect } from "effect"
import type { Fragment, Sql } from "postgres"
import type { StoreError } from "../../../../model/errors.ts"
import type { Snapshot } from "../../../../model/page.ts"
import { type ChainId, hashOfHex } from "../../../../model/primitives.ts"
import type { FeedKey } from "../../../../model/transfer.ts"
import { numberArray } from "../../database/arrays.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { asOfPoints } from "../common/asOf.ts"
import { makeKeptPlans } from "../common/keptPlans.ts"
import { makeAsk, makeKeptTexts } from "../common/keptTexts.ts"
import type { ListRead } from "../common/lists.ts"
import { readPoints, selectPoints } from "../common/points.ts"
import { rendered } from "../common/rendered.ts"
import type { PageStart } from "./bounds.ts"
import { type FeedKind, hasSub } from "./feed.ts"
import { isTrueOf, type KnownChains, type LedgerPoint, type Lot, makeKnownFeeds, shortened, withLot } from "./lots.ts"
import { beginReading, mergeLots, type Reading, told } from "./mergeLots.ts"
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
  /** Scalar over all chains; absent = nobody asks for it. */
  readonly total: ((sql: Sql, chains: ReadonlyArray<ChainSql>) => Fragment) | undefined
  readonly compare: (a: Row, b: Row) => number
}

type PlaceRow = readonly [time: number, pos: string, sub?: number]

/** Chains that are asked one by one; of more it is one statement over all. */
const mostAlone = 12
/** Places that a chain is asked for at a time: those behind the page are met by the next ones. */
const [fewestAhead, mostAhead] = [64, 1024]
/** Plans over many chains, in parts of one, on each connection that keeps them. */
const mostParts = 1600

export type ReadKnownPage = <Row>(
  chains: ReadonlyArray<ChainId>,
  page: KnownPage<Row>,
) => Effect.Effect<Snapshot<ListRead<Row>>, StoreError>

export const makeKnownPages = (across: AcrossChains["Service"]): ReadKnownPage => {
  const { database } = across
  const feeds = makeKnownFeeds()
  const plans = makeKeptPlans(mostParts)
  const statements = makeKeptTexts()

  const read = <Row>(chains: ReadonlyArray<ChainSql>, page: KnownPage<Row>) =>
    database.wide.snapshot(async (transaction, run): Promise<Snapshot<ListRead<Row>>> => {
      const { sql } = database
      const { start, kind, limit } = page
      const ask = makeAsk({ transaction, run, statements, plans })
      const feed = JSON.stringify(page.feed)
      const before = feeds.find(feed)
      const ids = chains.map(({ chainId }) => chainId)
      const [{ points, total }] = await ask<[{ points: string | null; total?: number }]>(
        ["state", page.total && page.feed, ids],
        chains.length,
        ids.map((chainId) => before.get(chainId)?.ledger.head.toFixed(0) ?? null),
        (marks) => sql`
          select (${selectPoints(sql, chains, (chain, index) => selectLedger(chain, marks[index]!))}) as points
            ${page.total === undefined ? sql`` : sql`, (${page.total(sql, chains)}) as total`}`,
      )
      const found = readPoints(points)
      const states = new Map(found.map((point) => [point.state.chain_id, ledgerOf(point)]))
      const chainOf = new Map(chains.map((chain) => [chain.chainId, chain]))
      const readings = ids.flatMap((chainId) => {
        const state = states.get(chainId)
        if (state === undefined) return []
        const { now, knownHash } = state
        const known = before.get(chainId)
        const lots = known !== undefined && isTrueOf(known, now, knownHash) ? known.lots : []
        return [beginReading({ ...start, chainId, kind }, now, lots)]
      })

      /** What follows a chain's lot, or the page's start. */
      const askOne = async (reading: Reading) => {
        const { seek, lot } = reading
        const most = lot === undefined ? fewestAhead : Math.min(Math.max(lot.keys.length, fewestAhead), mostAhead)
        const from = lot === undefined ? start : { ...start, key: keyOfLast(seek, lot) }
        const places = page.places(chainOf.get(seek.chainId)!, from, most)
        const statement = transaction<
          [{ places: Array<PlaceRow> }]
        >`select (${selectArrays(sql, kind, places)}) as places`
        const [found] = await run(plans.prepared(statement))
        told(reading, lotOf(reading, found.places, most))
      }
      const askAll = async (missing: ReadonlyArray<Reading>) => {
        const most = Math.min(limit, fewestAhead)
        const branches = chains.map((chain) => page.steadyPlaces(chain, start, most))
        const statement = rendered(sql`
          select json_object_agg(each.chain_id, each.places) as places from (
            select place.chain_id, json_agg(${placeArray(sql, kind)}) as places
            from (${unionAll(sql, branches)}) place group by place.chain_id) each`)
        const prepare = plans.keeps(statement.text, chains.length)
        const [{ places }] = (await run(
          transaction.unsafe(statement.text, statement.values as Array<string>, { prepare }),
        )) as unknown as [{ places: Readonly<Record<string, Array<PlaceRow>>> | null }]
        for (const reading of missing) told(reading, lotOf(reading, places?.[reading.seek.chainId] ?? [], most))
      }

      let merged = mergeLots(readings, limit)
      while ("missing" in merged) {
        const isWide = merged.missing.length > mostAlone && merged.missing.every(({ lot }) => lot === undefined)
        await (isWide ? askAll(merged.missing) : Promise.all(merged.missing.map(askOne)))
        merged = mergeLots(readings, limit)
      }
      const rows = await Promise.all(
        merged.taken.map(async ({ reading: { seek }, keys }) => {
          const parts = keys.map((key) => partsOf(kind, key))
          const places = [parts.map(({ pos }) => pos), ...(hasSub(kind) ? [parts.map(({ sub }) => sub)] : [])]
          const [found] = await ask<[{ rows: Array<Row> }]>(
            ["rows", page.shown, seek.chainId],
            1,
            places.map(numberArray),
            (marks) => sql`select (${page.rowsAt(chainOf.get(seek.chainId)!, unnestMarks(sql, marks))}) as rows`,
          )
          return found.rows
        }),
      )
      feeds.keep(feed, learned(feeds.find(feed), readings))
      return {
        asOf: asOfPoints(
          chains,
          found.map(({ state }) => state),
        ),
        value: { rows: rows.flat().sort(page.compare), ...(page.total !== undefined && { total: total ?? 0 }) },
      }
    })

  return (ids, page) =>
    across.retryIfDropped(
      Effect.flatMap(across.opened(ids), (chains) =>
        chains.length === 0 ? Effect.succeed({ asOf: [], value: { rows: [] } }) : read(chains, page),
      ),
    )
}

/** Beside a chain's state: which ledger it is, and its hash of the block that is known. */
const selectLedger = ({ sql, rollback, block }: ChainSql, knownHead: string): ReadonlyArray<Fragment> => [
  sql`tableoid::int8`,
  sql`(select coalesce(max(r.rollback_no), 0) from ${rollback} r)`,
  sql`coalesce((select encode(b.hash, 'hex') from ${block} b where b.number = ${knownHead}::text::int4), '')`,
]

const ledgerOf = ({ state, more: [table, rollbacks, hash] }: ReturnType<typeof readPoints>[number]) => {
  const now: LedgerPoint = {
    table: Number(table),
    rollbacks: Number(rollbacks),
    head: state.next_block - 1,
    headTime: state.head_time,
    hash: state.head_hash,
  }
  return { now, knownHash: hash ? hashOfHex(`0x${hash}`) : null }
}

const placeArray = (sql: Sql, kind: FeedKind): Fragment =>
  sql`json_build_array(place.time, place.pos::text ${hasSub(kind) ? sql`, place.sub` : sql``})`

const selectArrays = (sql: Sql, kind: FeedKind, places: Fragment): Fragment =>
  sql`select coalesce(json_agg(${placeArray(sql, kind)}), '[]') from (${places}) place`

const unnestMarks = (sql: Sql, [positions, subs]: ReadonlyArray<string>): Fragment =>
  subs === undefined
    ? sql`select unnest(${positions!}::text::int8[]) as pos`
    : sql`select * from unnest(${positions!}::text::int8[], ${subs}::text::int4[]) place (pos, sub)`

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

/** What is known of the chains now. A snapshot that is older than what another has found since teaches nothing. */
const learned = (before: KnownChains, readings: ReadonlyArray<Reading>): KnownChains => {
  const chains = new Map(before)
  for (const { seek, now, lots, lot, first, origin } of readings) {
    const known = chains.get(seek.chainId)
    const isSame = known?.ledger.table === now.table
    const isOlder = isSame && (known.ledger.rollbacks - now.rollbacks || known.ledger.head - now.head) > 0
    if (lot === undefined || isOlder) continue
    const others = isSame && known.ledger.rollbacks === now.rollbacks && lots.length > 0 ? known.lots : []
    chains.set(seek.chainId, { ledger: now, lots: withLot(others, shortened(lot, first), origin) })
  }
  return chains
}
