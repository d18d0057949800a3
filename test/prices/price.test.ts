/** The price of a swap, against exact rational numbers. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { priceOf } from "../../src/domain/reads/swaps.ts"
import { nearestDouble } from "../../src/model/numbers/nearestDouble.ts"

const price = (paid: bigint, got: bigint, tokenInDecimals: number, tokenOutDecimals: number) =>
  priceOf({ tokenInQty: String(paid), tokenOutQty: String(got), tokenInDecimals, tokenOutDecimals })

/** A double as the fraction that it is. */
const fractionOf = (double: number): readonly [bigint, bigint] => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, double)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 2047n)
  const fraction = bits & (2n ** 52n - 1n)
  const mantissa = exponent === 0 ? fraction : fraction + 2n ** 52n
  const power = (exponent === 0 ? 1 : exponent) - 1075
  return power >= 0 ? [mantissa << BigInt(power), 1n] : [mantissa, 1n << BigInt(-power)]
}
/** The doubles before and after one that is not below zero. */
const neighbours = (double: number) => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, double)
  const bits = view.getBigUint64(0)
  const at = (other: bigint) => {
    view.setBigUint64(0, other)
    return view.getFloat64(0)
  }
  return [...(bits > 0n ? [at(bits - 1n)] : []), at(bits + 1n)].filter(Number.isFinite)
}
/** |double − above / below|, times what all doubles here have in common. */
const distance = (double: number, above: bigint, below: bigint) => {
  const [top, bottom] = fractionOf(double)
  const difference = top * below - above * bottom
  return [difference < 0n ? -difference : difference, bottom] as const
}
const expectNearest = (double: number, above: bigint, below: bigint) => {
  expect(Number.isFinite(double) && double >= 0).toBe(true)
  const [own, ownBottom] = distance(double, above, below)
  for (const other of neighbours(double)) {
    const [theirs, theirBottom] = distance(other, above, below)
    expect(own * theirBottom <= theirs * ownBottom).toBe(true)
  }
}

const quantity = fc.oneof(
  fc.bigInt(1n, 2n ** 256n - 1n),
  fc.bigInt(1n, 1000n),
  fc
    .tuple(fc.bigInt(1n, 2n ** 60n), fc.integer({ min: 0, max: 50 }))
    .map(([digits, zeros]) => digits * 10n ** BigInt(zeros)),
)
const decimals = fc.oneof(fc.constantFrom(0, 6, 8, 18), fc.integer({ min: 0, max: 255 }))

describe("the price of a swap", () => {
  test("is tokenOut per tokenIn in whole units", () => {
    expect(price(2_000_000_000n, 10n ** 18n, 6, 18)).toBe(0.0005)
    expect(price(10n ** 18n, 2_000_000_000n, 18, 6)).toBe(2000)
    expect(price(3n, 1n, 0, 0)).toBe(1 / 3)
    expect(price(1n, 1n, 0, 18)).toBe(1e-18)
    expect(price(10n ** 18n, 123_456_789n, 18, 0)).toBe(123_456_789)
  })

  test("is the double nearest to the exact quotient, whatever the sizes", () => {
    fc.assert(
      fc.property(quantity, quantity, decimals, decimals, (paid, got, decimalsIn, decimalsOut) => {
        const above = got * 10n ** BigInt(decimalsIn)
        const below = paid * 10n ** BigInt(decimalsOut)
        expectNearest(price(paid, got, decimalsIn, decimalsOut), above, below)
      }),
      { numRuns: 2000 },
    )
  })

  test("is what JSON can say and read back", () => {
    fc.assert(
      fc.property(quantity, quantity, decimals, decimals, (paid, got, decimalsIn, decimalsOut) => {
        const value = price(paid, got, decimalsIn, decimalsOut)
        expect(JSON.parse(JSON.stringify({ value })).value).toBe(value)
      }),
    )
  })
})

describe("the nearest double", () => {
  test("of two doubles' quotient is what the machine divides", () => {
    const whole = fc.bigInt(1n, 2n ** 53n)
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        expect(nearestDouble(a, b)).toBe(Number(a) / Number(b))
      }),
      { numRuns: 5000 },
    )
  })

  test("is the even one of two that are as near", () => {
    expect(nearestDouble(2n ** 53n + 1n, 1n)).toBe(2 ** 53)
    expect(nearestDouble(2n ** 53n + 3n, 1n)).toBe(2 ** 53 + 4)
    expect(nearestDouble(3n, 2n ** 1075n)).toBe(2 * Number.MIN_VALUE)
    expect(nearestDouble(1n, 2n ** 1075n)).toBe(0)
  })

  test("is the largest one of what is larger still, and the least or zero of what is less", () => {
    expect(nearestDouble(10n ** 400n, 1n)).toBe(Number.MAX_VALUE)
    expect(nearestDouble(2n ** 1024n - 1n, 1n)).toBe(Number.MAX_VALUE)
    expect(nearestDouble(1n, 2n ** 1074n)).toBe(Number.MIN_VALUE)
    expect(nearestDouble(1n, 10n ** 400n)).toBe(0)
  })
})
