/** The pools that an append's swaps are made in, and what they hold: numbers by key, in memory and in the tables. */
import type { PoolFacts } from "../../../../model/event.ts"
import type { PoolKey } from "../../../../model/poolKey.ts"
import type { Address } from "../../../../model/primitives.ts"
import { byteaArray, hexArray } from "../../database/arrays.ts"
import type { Session } from "../wire/session.ts"

export interface Pool {
  readonly no: number
  /** asset_no */
  readonly asset0: number
  readonly asset1: number
  readonly since: number
}

export interface Pools {
  /** Pools looked for, by key; undefined = the ledger has none, as far as the open append has come. */
  readonly known: Map<PoolKey, Pool | undefined>
  /** Numbers of assets. */
  readonly assets: Map<Address, number>
  readonly sequence: PoolSequence
  /** What the open append has found first. */
  readonly born: { readonly pools: Array<BornPool>; readonly assets: Array<BornAsset> }
}

/** The last numbers given out. */
export interface PoolSequence {
  pool: number
  asset: number
}

type BornPool = Pool & Pick<PoolFacts, "pool" | "factory">
type BornAsset = { readonly no: number; readonly address: Address; readonly decimals: number; since: number }

export const newPools = (sequence: PoolSequence): Pools => ({
  known: new Map(),
  assets: new Map(),
  sequence: { ...sequence },
  born: { pools: [], assets: [] },
})

/** What they hold is not what the ledger holds: they begin anew, numbers after `sequence`. */
export const clearPools = ({ known, assets, born, sequence }: Pools, { pool, asset }: PoolSequence): void => {
  known.clear()
  assets.clear()
  born.pools.length = 0
  born.assets.length = 0
  sequence.pool = pool
  sequence.asset = asset
}

/** Looks the keys up, and numbers those of the facts that are new. The first facts of a pool count. */
export const resolvePools = async (
  session: Session,
  pools: Pools,
  keys: Iterable<PoolKey>,
  facts: ReadonlyArray<PoolFacts>,
): Promise<void> => {
  const { known } = pools
  const unknown = new Set<PoolKey>()
  for (const key of keys) if (!known.has(key)) unknown.add(key)
  for (const { pool } of facts) if (!known.has(pool)) unknown.add(pool)
  await loadPools(session, known, [...unknown])
  const found = facts.filter(({ pool }) => known.get(pool) === undefined)
  if (found.length === 0) return
  await loadAssets(
    session,
    pools,
    found.flatMap(({ token0, token1 }) => [token0, token1]),
  )
  for (const { pool: key, token0, token1, decimals0, decimals1, factory, since } of found) {
    if (known.get(key) !== undefined) continue
    const asset0 = assetNo(pools, token0, decimals0, since)
    const asset1 = assetNo(pools, token1, decimals1, since)
    const pool: Pool = { no: ++pools.sequence.pool, asset0, asset1, since }
    known.set(key, pool)
    pools.born.pools.push({ ...pool, pool: key, ...(factory === undefined ? {} : { factory }) })
  }
}

const loadPools = async (session: Session, known: Pools["known"], keys: ReadonlyArray<PoolKey>): Promise<void> => {
  if (keys.length === 0) return
  const rows = await session.run(
    (sql) => sql<Array<{ place: number; pool_no: number; asset0: number; asset1: number; since: number }>>`
      select wanted.place, p.pool_no, p.asset0, p.asset1, p.since
      from unnest(${byteaArray(keys.map(hexOfKey))}::text::bytea[]) with ordinality as wanted (key, place)
      join pool p on p.key = wanted.key`,
  )
  for (const key of keys) known.set(key, undefined)
  for (const { place, pool_no, ...pool } of rows) known.set(keys[place - 1]!, { no: pool_no, ...pool })
}

const loadAssets = async (session: Session, { assets }: Pools, tokens: ReadonlyArray<Address>): Promise<void> => {
  const wanted = [...new Set(tokens)].filter((token) => !assets.has(token))
  if (wanted.length === 0) return
  const rows = await session.run(
    (sql) => sql<Array<{ place: number; asset_no: number }>>`
      select wanted.place, a.asset_no
      from unnest(${hexArray(wanted)}::text::bytea[])
        with ordinality as wanted (address, place)
      join asset a on a.address = wanted.address`,
  )
  for (const { place, asset_no } of rows) assets.set(wanted[place - 1]!, asset_no)
}

/** An asset is as old as the oldest of its pools: facts of one append come in any order. */
const assetNo = ({ assets, born, sequence }: Pools, address: Address, decimals: number, since: number): number => {
  const no = assets.get(address)
  if (no === undefined) {
    assets.set(address, ++sequence.asset)
    born.assets.push({ no: sequence.asset, address, decimals, since })
    return sequence.asset
  }
  const asset = born.assets[no - (born.assets[0]?.no ?? 0)]
  if (asset !== undefined) asset.since = Math.min(asset.since, since)
  return no
}

/** `<manager>/<id>` is both, one after the other. */
export const hexOfKey = (key: PoolKey): string => key.slice(2).replace("/0x", "")
