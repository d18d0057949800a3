/** The BlockTimes port in PostgreSQL: the clock, the window of reorgs, and the head. */
import { Effect, Layer } from "effect"
import type { Fragment } from "postgres"
import { type Around, type BlockTime, BlockTimes } from "../../../../ports/BlockTimes.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import * as AcrossChains from "../common/acrossChains.ts"

interface Row {
  readonly around?: { readonly before: BlockTime | null; readonly after: BlockTime | null }
}

export const layer = Layer.effect(
  BlockTimes,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return BlockTimes.of({
      around: Effect.fn("PostgresBlockTimes.around")(function* (chainId, time) {
        const none: Row = {}
        const { asOf, value } = yield* across.readOne(
          chainId,
          none,
          (chain) => chain.sql`(${selectAround(chain, time)}) as around`,
        )
        const { before, after } = value.around ?? { before: null, after: null }
        const around: Around = { ...(before && { before }), ...(after && { after }) }
        return { asOf, value: around }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** Time never falls along a chain: the highest older block is the youngest of the older ones. */
const selectAround = (chain: ChainSql, time: number): Fragment => {
  const { sql, clock, block, state } = chain
  const known = (condition: Fragment, order: Fragment) => sql`
    select json_build_object('block', near.block, 'time', near.time) from (
      (select c.block, c.time from ${clock} c where c.time ${condition} order by c.time ${order}, c.block ${order} limit 1)
      union all
      (select b.number, b.time from ${block} b where b.time ${condition} order by b.number ${order} limit 1)
      union all
      (select s.next_block - 1, s.head_time from ${state} s where s.head_time ${condition})
    ) near order by near.block ${order} limit 1`
  return sql`select json_build_object(
    'before', (${known(sql`< ${time}::int8`, sql`desc`)}), 'after', (${known(sql`>= ${time}::int8`, sql`asc`)}))`
}
