/** Chains of swaps that the swaps' contract is asked about, and what their feeds hold, straight from the events. */
import type { PoolFacts } from "../../../src/model/event.ts"
import { isManaged, managedPool, managerOf, type PoolKey } from "../../../src/model/poolKey.ts"
import { type Address, type ChainId, zeroAddress } from "../../../src/model/primitives.ts"
import type { StoredSwap, SwapFilter } from "../../../src/model/swap.ts"
import type { FeedKey } from "../../../src/model/transfer.ts"
import {
  address,
  hash,
  initialize,
  managedSwap,
  swap,
  TestChain,
  type TestEvent,
} from "../../support/chain/testChain.ts"
import { isInRange } from "./feeds.truth.ts"

/** Two that are in most swaps, one that is in some, one in one; the native currency is one of the pools' as well. */
export const [usd, weth, coin, rare] = [address(0x6000), address(0x6001), address(0x6002), address(0x6003)] as [
  Address,
  Address,
  Address,
  Address,
]
export const native = zeroAddress
export const decimals = new Map([
  [usd, 6],
  [weth, 18],
  [coin, 0],
  [rare, 255],
  [native, 18],
])
export const manager = address(0x4000)
export const [factory, otherFactory] = [address(0xf001), address(0xf002)] as [Address, Address]
export const idOf = (number: number) => hash(`pool ${number}`)

export const factsOf = (
  pool: PoolKey,
  token0: Address,
  token1: Address,
  madeBy?: Address,
): Omit<PoolFacts, "since"> => ({
  pool,
  token0,
  token1,
  decimals0: decimals.get(token0)!,
  decimals1: decimals.get(token1)!,
  ...(madeBy === undefined ? {} : { factory: madeBy }),
})

/** Two pools of one pair, the tokens the other way round in one; one whose factory is not known; two of Uniswap V4. */
export const pools = [
  factsOf(address(0x5001), usd, weth, factory),
  factsOf(address(0x5002), weth, usd, otherFactory),
  factsOf(address(0x5003), weth, coin),
  factsOf(managedPool(manager, idOf(1)), native, usd, manager),
  factsOf(managedPool(manager, idOf(2)), coin, usd, manager),
]
const rarePool = factsOf(address(0x5004), usd, rare, factory)
/** Not described: what is there is no pool. */
export const noPool = address(0x5005)
export const unknownId = idOf(99)

export const swapChain = (facts: ReadonlyArray<Omit<PoolFacts, "since">> = [...pools, rarePool]): TestChain => {
  const chain = new TestChain(new Set(), 0, undefined, new Set([manager]))
  for (const pool of facts) chain.pools.set(pool.pool, pool)
  return chain
}

const sidesOf = (next: (below: number) => number) => ({
  paid0: next(3) > 0,
  paid: BigInt(1 + next(1000)),
  got: BigInt(1 + next(1000)),
})
export const swapAt = (pool: PoolKey, sides: ReturnType<typeof sidesOf>): TestEvent =>
  isManaged(pool) ? managedSwap(managerOf(pool), pool.slice(43), sides) : swap(pool, sides)
export const initialized = (pool: Omit<PoolFacts, "since">): TestEvent =>
  initialize(manager, pool.pool.slice(43), pool.token0, pool.token1)

/** Some fifty blocks of swaps in known pools and unknown ones, many of one pair; several blocks share a time. */
export const swapChatter = (seedNumber: number): TestChain => {
  let state = seedNumber
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
  const chain = swapChain()
  chain.block(pools.filter(({ pool }) => pool.startsWith(manager)).map(initialized))
  chain.block([swapAt(rarePool.pool, { paid0: true, paid: 2n ** 256n - 1n, got: 2n ** 255n })])
  for (let block = 0; block < 50; block++) {
    const events = Array.from({ length: next(5) }, (): TestEvent => {
      const sides = sidesOf(next)
      const place = next(10)
      if (place === 9) return next(2) === 0 ? swap(noPool, sides) : managedSwap(manager, unknownId, sides)
      return swapAt(pools[place < 4 ? place % 2 : place - 4]!.pool, sides)
    })
    chain.block(events, { time: chain.blocks.at(-1)!.header.time + next(3) })
  }
  return chain
}

export interface TrueSwap {
  readonly item: StoredSwap
  readonly key: FeedKey
}

/** In the order of the chain. */
export const swapsOf = (chainId: ChainId, chain: TestChain): ReadonlyArray<TrueSwap> =>
  chain.blocks.flatMap(({ swaps }) =>
    swaps.flatMap(({ pool, paid0, paid, got, blockNumber, logIndex, time, txHash }) => {
      const facts = chain.pools.get(pool)
      if (facts === undefined) return []
      const [tokenIn, tokenOut] = paid0 ? [facts.token0, facts.token1] : [facts.token1, facts.token0]
      const item = {
        ...{ chainId, txHash, time, tokenIn, tokenOut, tokenInQty: String(paid), tokenOutQty: String(got) },
        tokenInDecimals: decimals.get(tokenIn)!,
        tokenOutDecimals: decimals.get(tokenOut)!,
        ...(facts.factory === undefined ? {} : { factory: facts.factory }),
      }
      return { item, key: { time, chainId, blockNumber, logIndex, sub: 0 } }
    }),
  )

export const ascending = ({ key: a }: TrueSwap, { key: b }: TrueSwap): number =>
  a.time - b.time || Number(a.chainId) - Number(b.chainId) || a.blockNumber - b.blockNumber || a.logIndex - b.logIndex

/** Which tokens lists vouch for on a chain, by its place among those of the contract. */
export const vouchedFor: ReadonlyArray<ReadonlyArray<Address>> = [
  [usd, weth],
  [usd, weth, coin],
  [usd, rare],
]

export const passes = (
  { item: { tokenIn, tokenOut }, key }: TrueSwap,
  filter: SwapFilter,
  trusted: ReadonlyArray<Address> = [],
): boolean =>
  isInRange(key, filter) &&
  (filter.trusted !== true || [tokenIn, tokenOut].every((it) => it === native || trusted.includes(it))) &&
  (filter.token?.some((it) => it === tokenIn || it === tokenOut) ?? true) &&
  (filter.tokenIn?.some((it) => it === tokenIn) ?? true) &&
  (filter.tokenOut?.some((it) => it === tokenOut) ?? true)
