/** Liquidity of Uniswap V3 kind from the positions that make it. */
import { type Curve, nearTicks } from "../../../src/domain/prices/nearDepth.ts"
import { rootAt } from "../../../src/domain/prices/ticks.ts"

/** From a tick to a tick, so much liquidity. */
export type Position = readonly [lower: number, upper: number, liquidity: bigint]

/** The curve near a price. */
export const curveOf = (
  { root, tick }: { readonly root: bigint; readonly tick: number },
  positions: ReadonlyArray<Position>,
): Curve => {
  const near = nearTicks(tick)
  const nets = new Map<number, bigint>()
  for (const [lower, upper, liquidity] of positions) {
    nets.set(lower, (nets.get(lower) ?? 0n) + liquidity)
    nets.set(upper, (nets.get(upper) ?? 0n) - liquidity)
  }
  return {
    ...{ root, tick },
    liquidity: positions.reduce((sum, [lower, upper, own]) => (lower <= tick && tick < upper ? sum + own : sum), 0n),
    changes: [...nets]
      .map(([tick, net]) => ({ tick, net }))
      .filter((each) => each.tick >= near.lowest && each.tick <= near.highest)
      .sort((a, b) => a.tick - b.tick),
  }
}

/** The liquidity between two ticks that is so much of one token: of token0 where the price is below them, else of token1. */
export const liquidityOfOne = (isFirst: boolean, amount: bigint, [lower, upper]: readonly [number, number]): bigint => {
  const [from, to] = [rootAt(lower), rootAt(upper)]
  return isFirst ? ((amount * from * to) >> 96n) / (to - from) : (amount << 96n) / (to - from)
}
