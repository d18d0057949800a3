/** Swaps into the ledger in memory. */
import type { Segment, SwapMovement } from "../../model/event.ts"
import type { Address } from "../../model/primitives.ts"
import type { StoredSwap } from "../../model/swap.ts"
import { type MemoryChain, tokenOf } from "./state.ts"

/** Of pools that are known, from where they begin on: the other swaps are left out. The first facts of a pool count. */
export const storeSwaps = (chain: MemoryChain, segment: Segment): void => {
  for (const facts of segment.pools) if (!chain.pools.has(facts.pool)) chain.pools.set(facts.pool, facts)
  for (const movement of inKnownPools(chain, [], segment.swaps)) chain.swaps.push(movement)
}

/** Those of the swaps whose pool the chain, or one of the segments that are to come to it, knows at that block. */
export const inKnownPools = (
  chain: MemoryChain,
  segments: ReadonlyArray<Segment>,
  swaps: ReadonlyArray<SwapMovement>,
): ReadonlyArray<SwapMovement> => {
  const known = new Map(
    [...segments.flatMap(({ pools }) => pools).toReversed(), ...chain.pools.values()].map((it) => [it.pool, it.since]),
  )
  return swaps.filter(({ pool, blockNumber }) => (known.get(pool) ?? Number.POSITIVE_INFINITY) <= blockNumber)
}

/** A swap as the port has it: the pool tells what was paid and got. */
export const swapRecord = (chain: MemoryChain, { pool, paid0, paid, got, time, txHash }: SwapMovement): StoredSwap => {
  const { settings, pools } = chain
  const { token0, token1, factory, ...told } = pools.get(pool)!
  const decimals0 = told.decimals0 || ownDecimals(chain, token0)
  const decimals1 = told.decimals1 || ownDecimals(chain, token1)
  const [tokenIn, tokenOut] = paid0 ? [token0, token1] : [token1, token0]
  const [tokenInDecimals, tokenOutDecimals] = paid0 ? [decimals0, decimals1] : [decimals1, decimals0]
  return {
    chainId: settings.chainId,
    txHash,
    time,
    tokenIn,
    tokenOut,
    tokenInQty: String(paid),
    tokenOutQty: String(got),
    tokenInDecimals,
    tokenOutDecimals,
    ...(factory === undefined ? {} : { factory }),
  }
}

/** What a token says of itself. A contract that is made after its pool has told that nothing. */
const ownDecimals = (chain: MemoryChain, token: Address): number =>
  tokenOf(chain, "erc20", token)?.description?.decimals ?? 0
