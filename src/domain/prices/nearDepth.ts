/** How deep a pool of Uniswap V3 kind is near its price: as the V2 pool that is nowhere near it harder to move. */
import { maxTick, minTick, rootAt } from "./ticks.ts"
import { distance, least } from "./wholeNumbers.ts"

/** A pool's liquidity around its price. */
export interface Curve {
  /** √(token1 per token0) with 96 binary places. */
  readonly root: bigint
  /** The tick that the price is at or above: of those at the very price it may be the one below. */
  readonly tick: number
  /** At the price. */
  readonly liquidity: bigint
  /** What liquidity changes by on the way up through each tick; all of the `nearTicks`, ascending. */
  readonly changes: ReadonlyArray<Change>
}

export interface Change {
  readonly tick: number
  readonly net: bigint
}

/** Reserves, in subunits. */
export interface Reserves {
  readonly of0: bigint
  readonly of1: bigint
}

/** So many ticks make a tenth: 1.0001⁹⁵³ = 1.09999. */
const tenth = 953

/** The ticks that matter at a price: a tenth down and up. */
export const nearTicks = (tick: number) => ({
  lowest: Math.max(tick - tenth, minTick),
  highest: Math.min(tick + 1 + tenth, maxTick),
})

/**
 * The reserves of the largest Uniswap V2 pool at this price that is, on the way to any other price up to a tenth below
 * or above, no harder to move: so much and no more must be paid in to move either. It is the √price times the least
 * mean liquidity over any such way. Rounded down. Undefined = such a curve cannot be.
 */
export const nearDepth = (curve: Curve): Reserves | undefined => {
  const down = oneWay(curve, false)
  const up = oneWay(curve, true)
  if (down === undefined || up === undefined) return undefined
  return { of0: least(down.of0, up.of0), of1: least(down.of1, up.of1) }
}

const oneWay = (curve: Curve, isUp: boolean): Reserves | undefined => {
  let { liquidity } = curve
  let from = curve.root
  let paid0 = 0n
  let paid1 = 0n
  let depth: Reserves | undefined
  for (const { tick, net } of waypoints(curve, isUp)) {
    const root = rootAt(tick)
    const length = distance(root, from)
    if (length > 0n) {
      paid0 += (liquidity * length * fine) / (root * from)
      paid1 += liquidity * length
      const way = distance(root, curve.root)
      // Of a V2 pool with reserves r0 and r1 the same way takes r0 × way / root, and r1 × way / curve.root.
      const of0 = ((paid0 * root) << places) / (way * fine)
      const of1 = (paid1 * curve.root) / (way << places)
      depth = depth === undefined ? { of0, of1 } : { of0: least(of0, depth.of0), of1: least(of1, depth.of1) }
    }
    liquidity += isUp ? net : -net
    if (liquidity < 0n) return undefined
    from = root
  }
  return depth ?? { of0: 0n, of1: 0n }
}

const places = 96n
/** Amounts of token0 are no whole numbers on the way. */
const fine = 1n << 384n

/** Where liquidity changes on one way, nearest first; the last one is the end of what is near. */
const waypoints = ({ tick, changes }: Curve, isUp: boolean): ReadonlyArray<Change> => {
  const { lowest, highest } = nearTicks(tick)
  const met = isUp
    ? changes.filter((each) => each.tick > tick && each.tick <= highest)
    : changes.filter((each) => each.tick <= tick && each.tick >= lowest).toReversed()
  return [...met, { tick: isUp ? highest : lowest, net: 0n }]
}
