/** The depth of concentrated liquidity near its price, against sums over single ticks, and against V2 pools of known depth. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type Curve, nearDepth, nearTicks } from "../../src/domain/prices/nearDepth.ts"
import { maxTick, minTick, rootAt } from "../../src/domain/prices/ticks.ts"
import { curveOf, type Position } from "../support/chain/positions.ts"

const one = 1n << 96n
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const distance = (a: bigint, b: bigint) => (a < b ? b - a : a - b)

describe("the price at a tick", () => {
  test("is the root that Uniswap's contracts have", () => {
    // TickMath's own limits, and values that its tests publish.
    const known: ReadonlyArray<readonly [number, string]> = [
      [minTick, "4295128739"],
      [minTick + 1, "4295343490"],
      [-1, "79224201403219477170569942574"],
      [0, "79228162514264337593543950336"],
      [1, "79232123823359799118286999568"],
      [maxTick - 1, "1461373636630004318706518188784493106690254656249"],
      [maxTick, "1461446703485210103287273052203988822378723970342"],
    ]
    for (const [tick, root] of known) expect([tick, String(rootAt(tick))]).toEqual([tick, root])
  })

  test("is 1.0001 to its power, to the ninth digit and as far as 96 places go, and rises with it", () => {
    const squares = (tick: number) => Number((rootAt(tick) * 10n ** 30n) / one) / 1e30
    for (let tick = -200_000; tick <= 200_000; tick += 997) {
      expect(Math.abs(squares(tick) / Math.sqrt(1.0001) ** tick - 1)).toBeLessThan(1e-9)
    }
    for (let tick = minTick; tick < maxTick; tick += 1013) expect(rootAt(tick + 1) > rootAt(tick)).toBe(true)
  })
})

const wide: readonly [number, number] = [-887_220, 887_220]
const priceAt = (tick: number) => ({ tick, root: (rootAt(tick) + rootAt(tick + 1)) / 2n })
const depthAt = (tick: number, ...positions: ReadonlyArray<Position>) => nearDepth(curveOf(priceAt(tick), positions))!

describe("a pool", () => {
  test("with one position over all prices is the V2 pool of that liquidity", () => {
    for (const tick of [-300_000, -1, 0, 1, 77_777, 300_000]) {
      const { root } = priceAt(tick)
      const liquidity = 10n ** 24n
      const { of0, of1 } = depthAt(tick, [...wide, liquidity])
      expect(distance(of0, (liquidity * one) / root)).toBeLessThan(2n)
      expect(of1).toBe((liquidity * root) / one)
    }
  })

  test("is as deep as its concentrated and its wide positions together, out of range ones left out", () => {
    const parked: Position = [60_000, 70_000, 10n ** 30n]
    expect(depthAt(10, [...wide, 10n ** 20n], parked)).toEqual(depthAt(10, [...wide, 10n ** 20n]))
    expect(depthAt(10, [...wide, 10n ** 20n], [-2000, 2000, 10n ** 20n])).toEqual(
      depthAt(10, [...wide, 2n * 10n ** 20n]),
    )
  })

  test("with liquidity on one side of the price alone has no depth: nothing keeps it from going the other way", () => {
    expect(depthAt(10, [-5000, 10, 10n ** 20n])).toEqual({ of0: 0n, of1: 0n })
    expect(depthAt(10, [11, 5000, 10n ** 20n])).toEqual({ of0: 0n, of1: 0n })
    expect(depthAt(10)).toEqual({ of0: 0n, of1: 0n })
  })

  test("with a hole beside its price is as deep as what there is before the hole, however much there is behind it", () => {
    const shallow = depthAt(10, [...wide, 10n ** 15n])
    const holed = depthAt(10, [...wide, 10n ** 15n], [-900, -100, 10n ** 30n], [200, 900, 10n ** 30n])
    expect(holed).toEqual(shallow)
  })

  test("that is concentrated counts for what it takes to leave the band, no more and no less", () => {
    // One unit of token1 between the price and the lower end is 1 / 0.0465 units of a V2 pool: it reaches a tenth down.
    const tick = 0
    const { root } = priceAt(tick)
    const liquidity = 10n ** 24n
    const { of1 } = depthAt(tick, [-10, 10, liquidity])
    const below = (liquidity * (root - rootAt(-10))) / one
    const above = (liquidity * (rootAt(10) - root)) / one
    const { lowest, highest } = nearTicks(tick)
    const down = (below * root) / (root - rootAt(lowest))
    const up = (above * root) / (rootAt(highest) - root)
    expect(distance(of1, least(down, up))).toBeLessThan(100n)
    expect(Number(of1) / Number(above)).toBeGreaterThan(20)
    expect(Number(of1) / Number(above)).toBeLessThan(21.5)
  })

  test("at the very end of a range, where the tick is the one below, is as deep as there", () => {
    const positions: ReadonlyArray<Position> = [
      [-1000, 10, 10n ** 20n],
      [10, 1000, 10n ** 21n],
    ]
    const at = { tick: 9, root: rootAt(10) }
    const depth = nearDepth(curveOf(at, positions))!
    expect(depth).toEqual({ of0: (10n ** 20n * one) / at.root, of1: (10n ** 20n * at.root) / one })
  })

  test("near the ends of all prices is judged as far as there are any; at the very end it has none", () => {
    const all: Position = [minTick, maxTick, 10n ** 30n]
    const { root } = priceAt(maxTick - 5)
    const near = depthAt(maxTick - 5, all)
    expect([near.of0, near.of1]).toEqual([(10n ** 30n * one) / root, (10n ** 30n * root) / one])
    expect(nearDepth(curveOf({ tick: minTick, root: rootAt(minTick) }, [all]))).toEqual({ of0: 0n, of1: 0n })
  })

  test("whose ticks take out more liquidity than there is cannot be", () => {
    const curve: Curve = { ...curveOf(priceAt(0), []), liquidity: 5n, changes: [{ tick: 100, net: -6n }] }
    expect(nearDepth(curve)).toBeUndefined()
    expect(nearDepth({ ...curve, changes: [{ tick: -100, net: 6n }] })).toBeUndefined()
  })
})

describe("by property", () => {
  const someTick = fc.integer({ min: -3000, max: 3000 })
  const somePosition = fc
    .tuple(someTick, fc.integer({ min: 1, max: 2500 }), fc.bigInt(1n, 10n ** 24n))
    .map(([lower, width, liquidity]): Position => [lower, lower + width, liquidity])
  const some = fc.tuple(fc.integer({ min: -800, max: 800 }), fc.array(somePosition, { maxLength: 6 }))

  /** What it takes of both tokens (token0 times `fine`) to come from the price to each tick near it, by single ticks. */
  const waysOf = ({ root, tick, liquidity, changes }: Curve) => {
    const { lowest, highest } = nearTicks(tick)
    const fine = 1n << 300n
    const nets = new Map(changes.map(({ tick, net }) => [tick, net]))
    const ways: Array<{ readonly root: bigint; readonly paid0: bigint; readonly paid1: bigint }> = []
    for (const step of [-1, 1] as const) {
      let [active, from, paid0, paid1] = [liquidity, root, 0n, 0n]
      const end = step === 1 ? highest : lowest
      for (let at = step === 1 ? tick + 1 : tick; step * (end - at) >= 0; at += step) {
        const to = rootAt(at)
        paid0 += (active * distance(from, to) * fine) / (from * to)
        paid1 += active * distance(from, to)
        ways.push({ root: to, paid0, paid1 })
        active += BigInt(step) * (nets.get(at) ?? 0n)
        from = to
      }
    }
    return { fine, ways: ways.filter((way) => way.root !== root) }
  }

  test("the V2 pool that it is as deep as is nowhere near harder to move, and one that is any deeper is somewhere", () => {
    fc.assert(
      fc.property(some, ([tick, positions]) => {
        const curve = curveOf(priceAt(tick), positions)
        const { of0, of1 } = nearDepth(curve)!
        const { ways, fine } = waysOf(curve)
        const harder1 = (reserve: bigint) =>
          ways.some(({ root, paid1 }) => reserve * distance(root, curve.root) * one > paid1 * curve.root)
        const harder0 = (reserve: bigint) =>
          ways.some(({ root, paid0 }) => reserve * distance(root, curve.root) * fine > paid0 * root * one)
        expect([harder1(of1), harder1(of1 + 1n)]).toEqual([false, true])
        // Sums of token0 are rounded at each tick: a hair is left.
        expect([harder0(of0 - 1n), harder0(of0 + 2n)]).toEqual([false, true])
      }),
      { numRuns: 60 },
    )
  })

  test("more liquidity never makes a pool less deep, and what is not near never makes it deeper", () => {
    fc.assert(
      fc.property(some, somePosition, fc.boolean(), ([tick, positions], more, isFar) => {
        const before = depthAt(tick, ...positions)
        const shift = isFar ? 20_000 : 0
        const after = depthAt(tick, ...positions, [more[0] + shift, more[1] + shift, more[2]])
        expect(after.of0 >= before.of0 && after.of1 >= before.of1).toBe(true)
        if (isFar) expect(after).toEqual(before)
      }),
    )
  })
})
