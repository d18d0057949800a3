/** Finds the facts of pools as their swaps are met: asked of the contracts once, kept in memory. */
import { Effect } from "effect"
import type { PoolFacts, SwapMovement } from "../../../model/event.ts"
import { isManaged, managerOf } from "../../../model/poolKey.ts"
import type { Address, ChainId } from "../../../model/primitives.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { type AskedState, Pools } from "../../../ports/Pools.ts"
import type { NewPool } from "../decode/sorting.ts"
import { askOnce } from "./askOnce.ts"

/** Facts without the block they are known from. */
export type PoolTokens = Omit<PoolFacts, "since">

export interface FoundPools {
  /** Those given, but for swaps at contracts that are no pools. A pool manager's pools are the ledger's to know. */
  readonly swaps: ReadonlyArray<SwapMovement>
  /** Facts of the swaps' pools that are contracts of their own, and of the pools initialized here, each once. */
  readonly pools: ReadonlyArray<PoolFacts>
  /** How many swaps are left out. */
  readonly unknownPool: number
}

export interface PoolFinder {
  /** `at`: a state that has all of their blocks. */
  readonly find: (
    swaps: ReadonlyArray<SwapMovement>,
    initialized: ReadonlyArray<NewPool>,
    at: AskedState,
  ) => Effect.Effect<FoundPools, SourceUnavailable>
  /** After a rollback: another contract may come to stand at an address. */
  readonly forget: () => void
}

export const makePoolFinder = Effect.fnUntraced(function* (chainId: ChainId) {
  const pools = yield* Pools
  let poolOf = askOnce<PoolTokens | undefined>((addresses, at) => pools.describe(chainId, addresses, at))
  let decimalsOf = askOnce<number>((addresses, at) => pools.decimals(chainId, addresses, at))
  const forget = () => {
    poolOf = poolOf.afresh()
    decimalsOf = decimalsOf.afresh()
  }
  const find: PoolFinder["find"] = Effect.fnUntraced(function* (swaps, initialized, at) {
    /** Of each pool that is a contract, the block of its first swap. */
    const first = new Map<Address, number>()
    for (const { pool, blockNumber } of swaps) if (!isManaged(pool) && !first.has(pool)) first.set(pool, blockNumber)
    const described = yield* poolOf.ask([...first.keys()], at)
    const decimals = yield* decimalsOf.ask([...new Set(initialized.flatMap(tokensOf))], at)
    const facts: Array<PoolFacts> = []
    for (const [pool, since] of first) {
      const found = described.get(pool)
      if (found !== undefined) facts.push({ ...found, since })
    }
    for (const { pool, token0, token1, blockNumber } of initialized) {
      facts.push({
        pool,
        token0,
        token1,
        decimals0: decimals.get(token0)!,
        decimals1: decimals.get(token1)!,
        factory: managerOf(pool),
        since: blockNumber,
      })
    }
    const kept = swaps.filter(({ pool }) => isManaged(pool) || described.get(pool) !== undefined)
    return { swaps: kept, pools: facts, unknownPool: swaps.length - kept.length }
  })
  return { find, forget } satisfies PoolFinder
})

const tokensOf = ({ token0, token1 }: NewPool): ReadonlyArray<Address> => [token0, token1]
