/** The SwapHistory port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../domain/model/primitives.ts"
import { type HistoryQuestion, SwapHistory, sampleParts, samplePerPart, samplePools } from "../../ports/SwapHistory.ts"
import * as AcrossChains from "./acrossChains.ts"
import { byteaArray } from "./ledger/arrays.ts"
import { type ChainTables, standardNumbers } from "./tables.ts"
import type { AnyFeed } from "./transfers/table.ts"
import { selectFirstBlockAt } from "./transfers/times.ts"

interface PoolRow {
  readonly token: Address
  readonly anchor: Address
  readonly pool: Address
  readonly held: ReadonlyArray<string>
  /** block, log index, time, quantities of the token and of the anchor */
  readonly swaps: ReadonlyArray<readonly [number, number, number, string, string]>
}

export const layer = Layer.effect(
  SwapHistory,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    const scalar = <A>(chainId: string, none: A, select: (sql: Sql, chain: ChainTables) => Fragment) =>
      across
        .read<{ found?: A }>([chainId], {}, (sql, [chain]) => sql`(${select(sql, chain)}) as found`)
        .pipe(Effect.map(({ value }) => value.found ?? none))
    return SwapHistory.of({
      read: Effect.fn("PostgresSwapHistory.read")(function* (chainId, question) {
        const rows = yield* scalar<ReadonlyArray<PoolRow>>(chainId, [], (sql, chain) =>
          selectPools(sql, chain, question),
        )
        return rows.map(({ token, anchor, pool, held, swaps }) => ({
          token,
          anchor,
          pool,
          held: held.map(BigInt),
          swaps: swaps.map(([blockNumber, logIndex, time, tokenQty, anchorQty]) => ({
            ...{ blockNumber, logIndex, time },
            ...{ tokenQty: BigInt(tokenQty), anchorQty: BigInt(anchorQty) },
          })),
        }))
      }),
      listSwapped: (chainId, anchors, after, at) =>
        scalar<ReadonlyArray<Address>>(chainId, [], (sql, chain) => selectSwapped(sql, chain, anchors, after, at)),
      findNext: (chainId, after) =>
        scalar<number | undefined>(
          chainId,
          undefined,
          (sql, chain) => sql`
            select x.time from ${chain.swap} x where x.pos >= (${placeAfter(sql, chain, after)}) order by x.pos limit 1`,
        ),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** Rows of `asset` with these addresses. */
const isOneOf = (sql: Sql, column: Fragment, addresses: ReadonlyArray<Address>): Fragment =>
  sql`${column} = any(${byteaArray(addresses.map((it) => it.slice(2)))}::text::bytea[])`

/** `PoolRow`s as one JSON array: of each pool and each part of the stretch a few look-ups of an index. */
const selectPools = (
  sql: Sql,
  chain: ChainTables,
  { tokens, anchors, factories, at, seconds, newest }: HistoryQuestion,
): Fragment => {
  const { asset, pool, swap, token } = chain
  const part = Math.floor(seconds / sampleParts)
  const held = (block: Fragment | undefined) => selectHeld(sql, chain, block)
  return sql`
    select coalesce(json_agg(json_build_object(
      'token', '0x' || encode(w.address, 'hex'), 'anchor', '0x' || encode(n.address, 'hex'),
      'pool', '0x' || encode(p.key, 'hex'), 'swaps', s.swaps,
      'held', json_build_array(${held(sql`s.first_block`)}, ${held(sql`s.last_block`)}
        ${newest ? sql`, ${held(undefined)}` : sql``}))), '[]')
    from ${asset} w
    join ${asset} n on ${isOneOf(sql, sql`n.address`, anchors)} and n.asset_no <> w.asset_no
    left join ${token} k on k.address = n.address and k.standard = ${standardNumbers.erc20}
    cross join lateral (
      select * from (
        (select * from ${pool} l where l.asset0 = w.asset_no and l.asset1 = n.asset_no
           and length(l.key) = 20 and ${isOneOf(sql, sql`l.factory`, factories)} order by l.pool_no limit ${samplePools})
        union all
        (select * from ${pool} l where l.asset0 = n.asset_no and l.asset1 = w.asset_no
           and length(l.key) = 20 and ${isOneOf(sql, sql`l.factory`, factories)} order by l.pool_no limit ${samplePools})
      ) both_ways order by pool_no limit ${samplePools}
    ) p
    cross join lateral (
      select json_agg(json_build_array(x.pos >> 24, x.pos & 16777215, x.time, x.of_token::text, x.of_anchor::text)) as swaps,
             (min(x.pos) >> 24)::int4 as first_block, (max(x.pos) >> 24)::int4 as last_block
      from generate_series(0, ${sampleParts - 1}::int4) part
      cross join lateral (
        select t.pos, t.time, case when t.in_no = w.asset_no then t.qty_in else t.qty_out end as of_token,
               case when t.in_no = w.asset_no then t.qty_out else t.qty_in end as of_anchor
        from ${swap} t
        where t.pool_no = p.pool_no and t.time > ${at - seconds}::int8 + part * ${part}::int8
          and t.time <= ${at - seconds}::int8 + (part + 1) * ${part}::int8
        order by t.time desc, t.pos desc limit ${samplePerPart}
      ) x
    ) s
    where ${isOneOf(sql, sql`w.address`, tokens)} and s.swaps is not null`
}

/** What the pool `p` holds of the anchor `k` after a block (absent = now), as text. */
const selectHeld = (sql: Sql, { balance, history }: ChainTables, block: Fragment | undefined): Fragment => {
  const version =
    block === undefined
      ? sql`b.balance`
      : sql`case when b.block_number <= ${block} then b.balance else (
          select h.balance from ${history} h
          where h.token_id = b.token_id and h.holder_no = b.holder_no and h.block_number <= ${block}
          order by h.block_number desc limit 1) end`
  return sql`coalesce((select ${version} from ${balance} b where b.holder = p.key and b.token_id = k.token_id), 0)::text`
}

/** Addresses as a JSON array. */
const selectSwapped = (
  sql: Sql,
  chain: ChainTables,
  anchors: ReadonlyArray<Address>,
  after: number,
  at: number,
): Fragment => {
  const numbers = sql`array(select n.asset_no from ${chain.asset} n where ${isOneOf(sql, sql`n.address`, anchors)})`
  const stretch = sql`t.pos >= edge.low and t.pos < edge.high`
  return sql`
    with edge as materialized (
      select (${placeAfter(sql, chain, after)}) as low, (${placeAfter(sql, chain, at)}) as high, ${numbers} as anchors
    )
    select coalesce(json_agg('0x' || encode(a.address, 'hex') order by a.address), '[]')
    from (
      select t.in_no as asset_no from edge cross join ${chain.swap} t where ${stretch} and t.out_no = any(edge.anchors)
      union
      select t.out_no from edge cross join ${chain.swap} t where ${stretch} and t.in_no = any(edge.anchors)
    ) met join ${chain.asset} a on a.asset_no = met.asset_no`
}

/** A scalar, int8: swaps from this `pos` on are of blocks later than `time`, all others are not. */
const placeAfter = (sql: Sql, chain: ChainTables, time: number): Fragment => {
  const feed: AnyFeed = { chain, standard: "swap", rows: chain.swap }
  return sql`select (${selectFirstBlockAt(sql, feed, time + 1)})::int8 << 24`
}
