/** Finds the facts of pools as their swaps are met: asked of the contracts once, kept in memory. */
import { Effect } from "effect"
import { Pools } from "../../ports/Pools.ts"
import type { PoolFacts, PoolKey, SwapMovement } from "../model/event.ts"
import { type Address, type ChainId, zeroAddress } from "../model/primitives.ts"
import type { NewPool } from "./sorting.ts"

/** Facts without the block they are known from. */
export type PoolTokens = Omit<PoolFacts, "since">

export interface PoolFinder {
  /**
   * Facts of those swaps' pools that are contracts of their own and tell them, and of the pools initialized here, each
   * once. A pool manager's other pools are the ledger's to know.
   */
  readonly find: (
    swaps: ReadonlyArray<SwapMovement>,
    initialized: ReadonlyArray<NewPool>,
  ) => ReturnType<typeof findPools>
  /** After a rollback: another contract may come to stand at an address. */
  readonly forget: () => void
}

/** Contracts remembered, pools or not: about 300 bytes each. */
const mostKnown = 100_000

export const makePoolFinder = Effect.fnUntraced(function* (chainId: ChainId) {
  const pools = yield* Pools
  const known: Known = { contracts: new Map(), decimals: new Map() }
  return {
    find: (swaps, initialized) => findPools(pools, chainId, known, swaps, initialized),
    forget: () => {
      known.contracts.clear()
      known.decimals.clear()
    },
  } satisfies PoolFinder
})

interface Known {
  /** undefined = no pool. */
  readonly contracts: Map<Address, PoolTokens | undefined>
  readonly decimals: Map<Address, number>
}

const findPools = Effect.fnUntraced(function* (
  pools: Pools["Service"],
  chainId: ChainId,
  { contracts, decimals }: Known,
  swaps: ReadonlyArray<SwapMovement>,
  initialized: ReadonlyArray<NewPool>,
) {
  /** Of each pool that is a contract, the block of its first swap. */
  const first = new Map<PoolKey, number>()
  for (const { pool, blockNumber } of swaps) if (!pool.includes("/") && !first.has(pool)) first.set(pool, blockNumber)
  if (contracts.size > mostKnown) contracts.clear()
  const unknown = [...first.keys()].filter((pool) => !contracts.has(pool))
  if (unknown.length > 0) {
    const described = yield* pools.describe(chainId, unknown)
    for (const [place, pool] of unknown.entries()) contracts.set(pool, described[place])
  }
  const facts: Array<PoolFacts> = []
  for (const [pool, since] of first) {
    const found = contracts.get(pool)
    if (found !== undefined) facts.push({ ...found, since })
  }
  const tokens = new Set(initialized.flatMap(({ token0, token1 }) => [token0, token1]))
  if (decimals.size > mostKnown) decimals.clear()
  const untold = [...tokens].filter((token) => !decimals.has(token))
  if (untold.length > 0) {
    const told = yield* pools.decimals(chainId, untold)
    for (const [place, token] of untold.entries()) decimals.set(token, told[place]!)
  }
  for (const { pool, token0, token1, blockNumber } of initialized) {
    facts.push({
      pool,
      token0,
      token1,
      decimals0: decimals.get(token0)!,
      decimals1: decimals.get(token1)!,
      factory: pool.slice(0, zeroAddress.length),
      since: blockNumber,
    })
  }
  return facts
})
