/** An append's end for swaps: the pools and assets that are new go into their tables. */
import { byteaArray, hexArray, numberArray } from "../../database/arrays.ts"
import type { Session } from "../wire/session.ts"
import { hexOfKey, type Pools } from "./pools.ts"

/** Writes the pools and assets that are new. */
export const storePools = async (session: Session, { born: { pools, assets } }: Pools): Promise<void> => {
  if (pools.length === 0) return
  const of = <Row>(rows: ReadonlyArray<Row>, value: (row: Row) => number) => numberArray(rows.map(value))
  const sent: Array<Promise<unknown>> = []
  if (assets.length > 0) {
    sent.push(
      session.run(
        (sql) => sql`
        insert into asset (asset_no, address, decimals, since)
        select * from unnest(${of(assets, ({ no }) => no)}::text::int4[],
          ${hexArray(assets.map(({ address }) => address))}::text::bytea[],
          ${of(assets, ({ decimals }) => decimals)}::text::int2[], ${of(assets, ({ since }) => since)}::text::int4[])`,
      ),
    )
  }
  sent.push(
    session.run(
      (sql) => sql`
      insert into pool (pool_no, key, asset0, asset1, factory, since)
      select no, key, asset0, asset1, nullif(factory, ''), since
      from unnest(${of(pools, ({ no }) => no)}::text::int4[], ${byteaArray(pools.map(({ pool }) => hexOfKey(pool)))}::text::bytea[],
        ${of(pools, ({ asset0 }) => asset0)}::text::int4[], ${of(pools, ({ asset1 }) => asset1)}::text::int4[],
        ${hexArray(pools.map(({ factory }) => factory ?? ""))}::text::bytea[],
        ${of(pools, ({ since }) => since)}::text::int4[])
        as born (no, key, asset0, asset1, factory, since)`,
    ),
  )
  await Promise.all(sent)
}

/** After the commit: what was new is stored; forgets all when there are too many. */
export const settlePools = ({ known, assets, born }: Pools, maxPools: number): void => {
  born.pools.length = 0
  born.assets.length = 0
  if (known.size > maxPools) known.clear()
  if (assets.size > maxPools) assets.clear()
}
