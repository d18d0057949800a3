/** The price of a token from swaps in pools, as of a time, in US dollars. */
import type { AnchorWorth, PoolHistory, Quote, Usd } from "../../model/price.ts"
import type { Address } from "../../model/primitives.ts"
import { extraDecimals, type PoolPrice, type PoolPricing, poolPrice } from "./poolPrice.ts"
import { weightedMedian } from "./weightedMedian.ts"
import { distance } from "./wholeNumbers.ts"

export type { PriceRule } from "./poolPrice.ts"

export interface Pricing extends Omit<PoolPricing, "anchor"> {
  readonly anchors: ReadonlyMap<Address, AnchorWorth>
}

/**
 * Undefined = no pool says anything that can be trusted. The whole rule:
 *
 * 1. Anchors are the chain's stablecoins, each one dollar, and its wrapped native, which is priced by this same rule
 *    against the stablecoins alone. A stablecoin that the others, by this same rule over a day, price more than a
 *    twentieth off a dollar is no anchor, but a token like any other (of two that differ neither is one). A token is priced against all of them: directly, or by way of the wrapped native.
 * 2. Pools are contracts of their own (not those of a Uniswap V4 manager, whose shares of the manager's balance nobody
 *    can tell) that a configured factory made: a contract of one's own can claim any swap.
 * 3. A pool speaks by its swaps of the last hour; one that does not, by those of the last day. All that speak by either
 *    stand side by side. The stretch is read in 24 equal parts, the newest 8 swaps of each: no flood of swaps in one part
 *    takes the place of another.
 * 4. A swap counts where it is worth a dollar or more, and 100 subunits or more of both tokens changed hands. In a pool of
 *    Uniswap V2 kind its price must also be within a tenth of the ratio of what the pool held of both after the block, as
 *    the ledger has it: such a pool takes any overpayment, and logs it. One of concentrated liquidity logs what its curve
 *    says, not what was paid. Pools that look like V2 and have another curve do not speak: Solidly's say so (`stable()`),
 *    of others no swaps count but near parity. Nor do V2 pools of a token whose transfers are not all that moves balances,
 *    by what the audit found, nor those that may be older than a ledger that begins behind block 0: it does not know all
 *    that they hold.
 * 5. A pool speaks where it held the least depth (PRICE_MIN_DEPTH dollars of the anchor) after each block of those swaps,
 *    also where they do not count, and now; where swaps in at least five blocks count; and where they are worth a hundredth
 *    of the least depth. One of concentrated liquidity is no deeper than it is near its price (nearDepth.ts): than the
 *    largest Uniswap V2 pool that is, on the way to any price up to a tenth below or above, no harder to move. So dollars
 *    count that stand behind the price, not those parked elsewhere. That is read from its contract: now and some minutes
 *    ago, of an hour after the newest of the swaps and after one in the middle. Where it cannot be told the pool does not
 *    speak, nor where the price there is more than a half off that of the swaps: they were made where the depth is not.
 *    While it cannot be read its tokens wait, and those with pools against such a token where that is an anchor; how long,
 *    is at depthReads.ts.
 * 6. The price of a block is, in a V2 pool, that ratio: what was paid too much within the tenth does not move it either. In
 *    another it is the median of its swaps' prices, by how much of the anchor changed hands. It stands until the next block
 *    with a swap, though that may say nothing. The pool's price is the median of the blocks' prices by the time they stood,
 *    no block counting for more than a third.
 * 7. The token's price is the median of the pools' prices by depth. Pools within a fifth of it must hold more than half
 *    of the depth of all: else they contradict, and there is no price.
 * 8. A price that is nothing in 18 decimals is no price.
 *
 * So neither a block, nor a pool with less than half of the depth, moves a price anywhere but among the prices of the
 * others. Who owns the depth, and holds a price for half of the stretch against everybody who would trade on it, makes
 * it: that is what a price is.
 */
export const priceOf = (pools: ReadonlyArray<PoolHistory>, { anchors, ...pricing }: Pricing): Quote | undefined => {
  const prices = pools.flatMap((pool): ReadonlyArray<PoolPrice> => {
    const anchor = anchors.get(pool.anchor)
    const price = anchor && poolPrice(pool, { ...pricing, anchor })
    return price === undefined ? [] : [price]
  })
  if (prices.length === 0) return undefined
  const median = weightedMedian(prices.map(({ price, depth }) => ({ value: price, weight: depth })))
  const depthOf = (some: ReadonlyArray<PoolPrice>): Usd => some.reduce((sum, { depth }) => sum + depth, 0n)
  const depth = depthOf(prices)
  const near = prices.filter(({ price }) => distance(price, median) * 5n <= median)
  if (depthOf(near) * 2n <= depth) return undefined
  const price = (median + extraDecimals / 2n) / extraDecimals
  return price > 0n ? { price, depth } : undefined
}
