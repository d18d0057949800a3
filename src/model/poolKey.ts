/** What a pool is known by: the address of its contract, or of a Uniswap V4 pool its manager and its id. */
import type { Brand } from "effect"
import { type Address, addressOfHex, zeroAddress } from "./primitives.ts"

/** A pool that a pool manager holds, which is no contract of its own: `<pool manager>/<pool id>`. */
export type ManagedPool = Brand.Branded<string, "ManagedPool">

export type PoolKey = Address | ManagedPool

/** Unchecked. `id`: 32 bytes in lower-case hex with `0x`. */
export const managedPool = (manager: Address, id: string): ManagedPool => `${manager}/${id}` as ManagedPool

export const isManaged = (pool: PoolKey): pool is ManagedPool => pool.length > zeroAddress.length

export const managerOf = (pool: ManagedPool): Address => addressOfHex(pool.slice(0, zeroAddress.length))
