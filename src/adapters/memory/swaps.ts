/** Swaps into the ledger in memory. */
import type { Segment, SwapMovement } from "../../model/event.ts"
import type { MemoryChain } from "./state.ts"

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
