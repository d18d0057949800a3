/** Pages of a feed over chains, behind its first: rows that pages before have met are not searched for again, and only the page's chains are asked for theirs. */
import { Effect } from "effect"
import type { Fragment, Sql } from "postgres"
import type { StoreError } from "../../../../model/errors.ts"
import type { Snapshot } from "../../../../model/page.ts"
import { type ChainId, hashOfHex } from "../../../../model/primitives.ts"
import { numberArray } from "../../database/arrays.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { mostPlans } from "../../database/client.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { asOfPoints } from "../common/asOf.ts"
import { makeKeptPlans } from "../common/keptPlans.ts"
import { makeAsk, makeKeptTexts } from "../common/keptTexts.ts"
import type { ListRead } from "../common/lists.ts"
import { readPoints, selectPoints } from "../common/points.ts"
import { type KnownPage, makeAskPlaces } from "./askPlaces.ts"
import { hasSub } from "./feed.ts"
import { isTrueOf, type KnownChains, type LedgerPoint, makeKnownFeeds, shortened, withLot } from "./lots.ts"
import { beginReading, mergeLots, type Reading } from "./mergeLots.ts"
import { partsOf } from "./positionKey.ts"

/** Chains that are asked one by one; of more it is one statement over all. */
const mostAlone = 12

export type ReadKnownPage = <Row>(
  chains: ReadonlyArray<ChainId>,
  page: KnownPage<Row>,
) => Effect.Effect<Snapshot<ListRead<Row>>, StoreError>

export const makeKnownPages = (across: AcrossChains["Service"]): ReadKnownPage => {
  const { database } = across
  const feeds = makeKnownFeeds()
  const plans = makeKeptPlans(mostPlans.ofKnownPages)
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

      const { askOne, askAll } = makeAskPlaces({ transaction, run, plans, sql, chains, page })

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
          return page.rowsOf === undefined ? found.rows : page.rowsOf(seek.chainId, found.rows)
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

const unnestMarks = (sql: Sql, [positions, subs]: ReadonlyArray<string>): Fragment =>
  subs === undefined
    ? sql`select unnest(${positions!}::text::int8[]) as pos`
    : sql`select * from unnest(${positions!}::text::int8[], ${subs}::text::int4[]) place (pos, sub)`

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
