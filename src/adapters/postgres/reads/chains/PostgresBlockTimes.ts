/** The BlockTimes port in PostgreSQL: the clock, the window of reorgs, the head, and the times that rows have. */
import { Effect, Layer } from "effect"
import type { Fragment } from "postgres"
import type { Hash } from "../../../../model/primitives.ts"
import { standards } from "../../../../model/token.ts"
import {
  type Around,
  type BlockTime,
  BlockTimes,
  type NewestBlocks,
  type WhenBlock,
} from "../../../../ports/BlockTimes.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { blockOf, endOf } from "../common/atBlock.ts"
import { selectFirstBlockAt } from "../feed/blockAtTime.ts"
import { type Feed, swapFeed, transferFeed, wrapFeed } from "../feed/feed.ts"

interface AroundRow {
  readonly around?: {
    readonly before: BlockTime | null
    readonly after: BlockTime | null
    readonly is_quiet: boolean
    readonly rollbacks: number
  }
}

interface WhenRow {
  readonly found?: {
    readonly before: BlockTime | null
    readonly after: BlockTime | null
    readonly hash: Hash | null
    readonly rollbacks: number
  } | null
}

interface NewestRow {
  readonly newest?: {
    readonly finalized_block: number
    readonly finalized_time: number | null
    readonly of_hash: number | null
    readonly birth: string | null
    readonly rollbacks: number
  } | null
}

export const layer = Layer.effect(
  BlockTimes,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return BlockTimes.of({
      around: Effect.fn("PostgresBlockTimes.around")(function* (chainId, time) {
        const none: AroundRow = {}
        const { asOf, value } = yield* across.readOne(
          chainId,
          none,
          (chain) => chain.sql`(${selectAround(chain, time)}) as around`,
        )
        const { before, after, is_quiet, rollbacks } = value.around ?? {
          ...{ before: null, after: null, is_quiet: true, rollbacks: 0 },
        }
        const around: Around = { ...(before && { before }), ...(after && { after }), isQuiet: is_quiet, rollbacks }
        return { asOf, value: around }
      }),
      when: Effect.fn("PostgresBlockTimes.when")(function* (chainId, block) {
        const none: WhenRow = {}
        const { asOf, value } = yield* across.readOne(
          chainId,
          none,
          (chain) => chain.sql`(${selectWhen(chain, block)}) as found`,
        )
        const { before, after, hash, rollbacks } = value.found ?? {
          ...{ before: null, after: null, hash: null, rollbacks: 0 },
        }
        const when: WhenBlock = { ...(before && { before }), ...(after && { after }), ...(hash && { hash }), rollbacks }
        return { asOf, value: when }
      }),
      newest: Effect.fn("PostgresBlockTimes.newest")(function* (chainId, hash) {
        const none: NewestRow = {}
        const { asOf, value } = yield* across.readOne(
          chainId,
          none,
          (chain) => chain.sql`(${selectNewest(chain, hash)}) as newest`,
        )
        const { finalized_block, finalized_time, of_hash, birth, rollbacks } = value.newest ?? {
          ...{ finalized_block: -1, finalized_time: null, of_hash: null, birth: null, rollbacks: 0 },
        }
        const newest: NewestBlocks = {
          finalizedBlock: finalized_block,
          rollbacks,
          ...(finalized_time === null ? {} : { finalizedTime: finalized_time }),
          ...(of_hash === null ? {} : { ofHash: of_hash }),
          ...(birth === null ? {} : { birth }),
        }
        return { asOf, value: newest }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** Whatever tells the time of its block. */
const feedsOf = (chain: ChainSql): ReadonlyArray<Pick<Feed, "sql" | "chain" | "rows">> => [
  ...standards.map((standard) => transferFeed(chain, standard)),
  ...[swapFeed(chain), wrapFeed(chain)],
]

const selectRollbacks = ({ sql, rollback }: ChainSql): Fragment =>
  sql`select coalesce(max(r.rollback_no), 0) from ${rollback} r`

/** The window is small enough to be looked through. The header of the newest final block is kept. */
const selectNewest = (chain: ChainSql, hash: Hash | undefined): Fragment => {
  const { sql, block, state } = chain
  const wanted = sql`${hash ?? null}::bytea`
  return sql`
    select json_build_object('finalized_block', s.finalized_block, 'birth', s.birth, 'rollbacks', (${selectRollbacks(chain)}),
      'finalized_time', case when s.finalized_block >= s.next_block - 1 then s.head_time else (
        select b.time from ${block} b where b.number = s.finalized_block) end,
      'of_hash', case when s.head_hash = ${wanted} then s.next_block - 1 else (
        select b.number from ${block} b where b.hash = ${wanted} order by b.number desc limit 1) end)
    from ${state} s where s.head_hash is not null`
}

/** A look-up or two of an index in each place that knows times. */
const selectWhen = (chain: ChainSql, number: number): Fragment => {
  const { sql, clock, block, state } = chain
  const asked = blockOf(sql, number)
  const feeds = feedsOf(chain)
  const nearest = (side: "before" | "after") => {
    const [operator, order] = side === "before" ? [sql`<=`, sql`desc`] : [sql`>=`, sql`asc`]
    const bound = side === "before" ? sql`< ${endOf(sql, number)}` : sql`>= ${asked}::int8 << 24`
    const rows = feeds.map(
      ({ rows }) =>
        sql`(select (t.pos >> 24)::int4, t.time from ${rows} t where t.pos ${bound} order by t.pos ${order} limit 1)`,
    )
    return sql`
      select json_build_object('block', near.block, 'time', near.time) from (
        (select c.block, c.time from ${clock} c where c.block ${operator} ${asked} order by c.block ${order} limit 1)
        union all
        (select b.number, b.time from ${block} b where b.number ${operator} ${asked} order by b.number ${order} limit 1)
        union all
        (select s.next_block - 1, s.head_time from ${state} s where s.next_block - 1 ${operator} ${asked})
        union all ${unionAll(sql, rows)}
      ) near order by near.block ${order} limit 1`
  }
  return sql`
    select json_build_object('before', (${nearest("before")}), 'after', (${nearest("after")}), 'hash', '0x' || encode(
        case when s.next_block - 1 = ${asked} then s.head_hash else (
          select b.hash from ${block} b where b.number = ${asked}) end, 'hex'),
      'rollbacks', (${selectRollbacks(chain)}))
    from ${state} s where s.head_hash is not null`
}

/** Time never falls along a chain: the highest older block is the youngest of the older ones. */
const selectAround = (chain: ChainSql, time: number): Fragment => {
  const { sql, clock, block, state, wrap } = chain
  const feeds = feedsOf(chain)
  const partings = feeds.map(
    (feed, index) => sql`select ${index}::int4 as feed, (${selectFirstBlockAt(feed, time)}) as block`,
  )
  const known = (side: "before" | "after") => {
    const [condition, order] = side === "before" ? [sql`< ${time}::int8`, sql`desc`] : [sql`>= ${time}::int8`, sql`asc`]
    const operator = side === "before" ? sql`<` : sql`>=`
    const rows = feeds.map(
      ({ rows }, index) => sql`(
        select (t.pos >> 24)::int4, t.time from ${rows} t
        where t.pos ${operator} (select p.block::int8 << 24 from parting p where p.feed = ${index}::int4)
        order by t.pos ${order} limit 1)`,
    )
    return sql`
      select near.block, near.time from (
        (select c.block, c.time from ${clock} c where c.time ${condition} order by c.time ${order}, c.block ${order} limit 1)
        union all
        (select b.number, b.time from ${block} b where b.time ${condition} order by b.number ${order} limit 1)
        union all
        (select s.next_block - 1, s.head_time from ${state} s where s.head_time ${condition})
        union all ${unionAll(sql, rows)}
      ) near order by near.block ${order} limit 1`
  }
  return sql`
    with parting as materialized (${unionAll(sql, partings)}),
    older as materialized (${known("before")}),
    younger as materialized (${known("after")})
    select json_build_object(
      'before', (select json_build_object('block', o.block, 'time', o.time) from older o),
      'after', (select json_build_object('block', y.block, 'time', y.time) from younger y),
      'is_quiet', not exists (
        select from ${wrap} w
        where w.pos >= (coalesce((select o.block from older o), -1)::int8 + 1) << 24
          and w.time is null and w.pos < coalesce((select y.block from younger y), 2147483647)::int8 << 24),
      'rollbacks', (${selectRollbacks(chain)}))`
}
