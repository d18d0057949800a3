/** The rule of prices: what honest pools say is the price, and what manipulated, thin and absurd ones say is not. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { priceOf } from "../../src/domain/prices/priceOf.ts"
import { weightedMedian } from "../../src/domain/prices/weightedMedian.ts"
import { amountInUsd, marketCapOf } from "../../src/domain/prices/worth.ts"
import { type AnchoredSwap, type AnchorWorth, oneDollar, type PoolHistory } from "../../src/model/price.ts"
import type { Address } from "../../src/model/primitives.ts"
import { address } from "../support/chain/testChain.ts"

const usd = address(1)
const weth = address(2)
const dollars = (whole: number) => BigInt(Math.round(whole * 1e6))
const anchors = new Map<Address, AnchorWorth>([
  [usd, { price: oneDollar, decimals: 6 }],
  [weth, { price: 2000n * oneDollar, decimals: 18 }],
])
const rule = { minDepth: 10_000n * oneDollar }
const start = 1_700_000_000
const until = start + 3600

/** More than any pool here says to hold otherwise. */
const held = { heldToken: 10n ** 30n, heldAnchor: 2n ** 256n }
/** Each price (dollars a whole token of 18 decimals) is paid for 1000 dollars, at even distances. */
const swapsAt = (prices: ReadonlyArray<number>, decimals = 18, value = 1000): ReadonlyArray<AnchoredSwap> =>
  prices.map((price, place) => ({
    blockNumber: 100 + place,
    logIndex: 0,
    time: start + Math.floor((3600 * place) / prices.length),
    tokenQty: (BigInt(value) * 10n ** BigInt(decimals + 6)) / BigInt(Math.round(price * 1e6)),
    anchorQty: dollars(value),
    ...held,
  }))
const pool = (swaps: ReadonlyArray<AnchoredSwap>, depth: number, anchor = usd): PoolHistory => ({
  pool: address(0x5000),
  anchor,
  swaps,
  held: [dollars(depth), dollars(depth)],
})
const steady = (price: number, count = 20) => new Array<number>(count).fill(price)
const quote = (pools: ReadonlyArray<PoolHistory>, decimals = 18) => priceOf(pools, { decimals, anchors, until, rule })
const priceIn = (pools: ReadonlyArray<PoolHistory>, decimals = 18) => quote(pools, decimals)?.price

describe("A pool", () => {
  test("that is deep and traded in gives what its swaps paid", () => {
    expect(quote([pool(swapsAt(steady(2)), 50_000)])).toEqual({ price: 2n * oneDollar, depth: 50_000n * oneDollar })
  })

  test("of the wrapped native prices by way of the native's own price", () => {
    const swaps = swapsAt(steady(1)).map((swap) => ({ ...swap, tokenQty: 10n ** 21n, anchorQty: 10n ** 18n }))
    const history: PoolHistory = { pool: address(7), anchor: weth, swaps, held: [20n * 10n ** 18n] }
    expect(quote([history])).toEqual({ price: 2n * oneDollar, depth: 40_000n * oneDollar })
  })

  test("below the least depth says nothing, also where it was deep only at times", () => {
    const swaps = swapsAt(steady(2))
    expect(priceIn([pool(swaps, 9_999)])).toBeUndefined()
    expect(priceIn([pool(swaps, 10_000)])).toBe(2n * oneDollar)
    expect(priceIn([{ ...pool(swaps, 0), held: [dollars(1e9), dollars(9_999), dollars(1e9)] }])).toBeUndefined()
    expect(priceIn([{ ...pool(swaps, 0), held: [dollars(1e9), -1n] }])).toBeUndefined()
  })

  test("with swaps in fewer than five blocks says nothing, however many there are in each", () => {
    expect(priceIn([pool(swapsAt(steady(2, 4)), 50_000)])).toBeUndefined()
    expect(priceIn([pool(swapsAt(steady(2, 5)), 50_000)])).toBe(2n * oneDollar)
    const crowded = swapsAt(steady(2, 40)).map((swap, logIndex) => ({
      ...swap,
      blockNumber: 7 + (logIndex % 4),
      logIndex,
    }))
    expect(priceIn([pool(crowded, 50_000)])).toBeUndefined()
  })

  test("of an anchor that is worth nothing known says nothing", () => {
    expect(priceIn([pool(swapsAt(steady(2)), 50_000, address(99))])).toBeUndefined()
  })

  test("is not moved by dust: swaps below a dollar and below a hundred subunits do not count", () => {
    const dust = Array.from({ length: 500 }, (_, place) => ({
      blockNumber: 1000 + place,
      logIndex: 0,
      time: start + place,
      tokenQty: 10n ** 30n,
      anchorQty: 1n,
      ...held,
    }))
    const coarse = dust.map((swap) => ({ ...swap, tokenQty: 1n, anchorQty: dollars(5) }))
    expect(priceIn([pool([...swapsAt(steady(2)), ...dust, ...coarse], 50_000)])).toBe(2n * oneDollar)
    expect(priceIn([pool([...dust, ...coarse], 50_000)])).toBeUndefined()
  })

  test("traded in for less than a hundredth of the least depth says nothing", () => {
    expect(priceIn([pool(swapsAt(steady(2), 18, 4), 50_000)])).toBe(undefined)
    expect(priceIn([pool(swapsAt(steady(2), 18, 5), 50_000)])).toBe(2n * oneDollar)
  })

  test("is not moved by a spike of one block, wherever it is and however long nobody answers it", () => {
    for (let place = 0; place < 9; place++) {
      const prices = steady(2, 9)
      prices[place] = 90_000
      expect(priceIn([pool(swapsAt(prices), 50_000)])).toBe(2n * oneDollar)
    }
    const early = swapsAt(steady(2, 8)).map((swap, place) => ({ ...swap, time: start + 12 * place }))
    const spike = { ...early[0]!, blockNumber: 999, time: start + 200, anchorQty: dollars(1e6) }
    expect(priceIn([pool([...early, spike], 50_000)])).toBe(2n * oneDollar)
  })

  test("is not moved by a flash within one block between others' swaps", () => {
    const flash = Array.from({ length: 50 }, (_, logIndex) => ({
      blockNumber: 105,
      logIndex: 1 + logIndex,
      time: start + 5 * 180,
      tokenQty: 10n ** 18n,
      anchorQty: dollars(5),
      ...held,
    }))
    expect(priceIn([pool([...swapsAt(steady(2)), ...flash], 50_000)])).toBe(2n * oneDollar)
  })

  test("follows a price that stays", () => {
    expect(priceIn([pool(swapsAt([...steady(2, 8), ...steady(3, 12)]), 50_000)])).toBe(3n * oneDollar)
  })
})

describe("A pool of Uniswap V2 kind", () => {
  const whole = 10n ** 18n
  /** Deep and fair: a token is two dollars. */
  const fair = (place: number): AnchoredSwap => ({
    ...{ blockNumber: 100 + 10 * place, logIndex: 0, time: start + 180 * place },
    ...{ tokenQty: 50n * whole, anchorQty: dollars(100) },
    ...{ heldToken: 100_000n * whole, heldAnchor: dollars(200_000) },
  })
  const honest = Array.from({ length: 20 }, (_, place) => fair(place))
  const product = (swaps: ReadonlyArray<AnchoredSwap>): PoolHistory => ({
    ...{ pool: address(0x5000), anchor: usd, swaps, held: [], isProduct: true },
  })
  const parts = (base: bigint, percent: number) => (base * BigInt(Math.round(percent * 100))) / 10_000n

  test("gives the ratio of what it holds, also where fees and slippage make its swaps a little dearer or cheaper", () => {
    const swaps = honest.map((swap, place) => ({ ...swap, anchorQty: parts(swap.anchorQty, place % 2 ? 97 : 103) }))
    expect(quote([product(swaps)])).toEqual({ price: 2n * oneDollar, depth: 200_000n * oneDollar })
  })

  test("is not moved by overpaid swaps: in the same block as honest ones, right behind each, or in all later blocks", () => {
    const overpaid = (swap: AnchoredSwap, changes: Partial<AnchoredSwap>) => ({
      ...{ ...swap, logIndex: 5, tokenQty: whole / 10_000n, anchorQty: dollars(1.01) },
      ...changes,
    })
    const attacks = [
      honest.flatMap((swap) => [overpaid(swap, {}), overpaid(swap, { logIndex: 7 })]),
      honest.map((swap) => overpaid(swap, { blockNumber: swap.blockNumber + 1, time: swap.time + 12 })),
      honest.flatMap((swap) =>
        Array.from({ length: 5 }, (_, later) =>
          overpaid(swap, { blockNumber: swap.blockNumber + 1 + later, time: swap.time + 12 * (later + 1) }),
        ),
      ),
      Array.from({ length: 60 }, (_, place) => overpaid(fair(20), { blockNumber: 1000 + place, time: until - place })),
    ]
    for (const attack of attacks) expect(priceIn([product([...honest, ...attack])])).toBe(2n * oneDollar)
    for (const attack of attacks) expect(priceIn([product(attack)])).toBeUndefined()
  })

  test("is not moved by paying a little too much either, by however many", () => {
    const dear = honest.flatMap((swap) =>
      Array.from({ length: 8 }, (_, later) => ({
        ...{ ...swap, blockNumber: swap.blockNumber + 1 + later, time: swap.time + 12 * (later + 1) },
        ...{ tokenQty: whole, anchorQty: parts(dollars(2), 109) },
      })),
    )
    expect(priceIn([product([...honest, ...dear])])).toBe(2n * oneDollar)
  })

  test("counts swaps within a tenth of the ratio, and no others: those neither by block nor by volume", () => {
    const off = (percent: number) => honest.map((swap) => ({ ...swap, anchorQty: parts(swap.anchorQty, percent) }))
    for (const percent of [90, 110]) expect(priceIn([product(off(percent))])).toBe(2n * oneDollar)
    for (const percent of [89.98, 110.02]) expect(priceIn([product(off(percent))])).toBeUndefined()
    expect(priceIn([product([...honest.slice(0, 4), ...off(120).slice(4)])])).toBeUndefined()
    const small = honest.map((swap) => ({ ...swap, tokenQty: whole, anchorQty: dollars(2) }))
    expect(priceIn([product([...small, ...off(1000)])])).toBeUndefined()
    expect(priceIn([product(honest.slice(0, 5))])).toBe(2n * oneDollar)
  })

  test("is as deep as after any of its blocks: what was given to it and taken back counts neither as depth nor as price", () => {
    // 300 dollars at a hundred times the price; at the first and the last block somebody's 200,000 lie in it.
    const thin = honest.map((swap, place) => ({
      ...{ ...swap, tokenQty: whole / 2n, heldToken: (3n * whole) / 2n },
      heldAnchor: dollars(place === 0 || place === 19 ? 200_300 : 300),
    }))
    expect(priceIn([product(thin)])).toBeUndefined()
    // In honest company: the swaps of the two blocks do not count, and all others bound the depth.
    expect(priceIn([product(thin.filter((_, place) => place === 0 || place === 19))])).toBeUndefined()
    const dip = honest.map((swap, place) =>
      place === 7 ? { ...swap, anchorQty: 1n, heldAnchor: dollars(9_999) } : swap,
    )
    expect(priceIn([product(dip)])).toBeUndefined()
    expect(priceIn([{ ...product(honest), held: [dollars(9_999)] }])).toBeUndefined()
  })

  test("given to while people trade says nothing of those blocks, and what stood before ends there", () => {
    // A ratio five times as high, in the block with the swap, for most of the time.
    const given = honest.map((swap, place) => (place < 15 ? { ...swap, heldAnchor: dollars(1e6) } : swap))
    expect(priceIn([product(given)])).toBe(2n * oneDollar)
    // After each of some honest blocks the price is four for one block, and the one that puts it back says nothing.
    const swaps = honest.slice(0, 8).flatMap((swap) => [
      swap,
      {
        ...swap,
        blockNumber: swap.blockNumber + 1,
        time: swap.time + 24,
        anchorQty: dollars(200),
        heldAnchor: dollars(4e5),
      },
      { ...swap, blockNumber: swap.blockNumber + 2, time: swap.time + 36, anchorQty: dollars(150) },
    ])
    expect(priceIn([product(swaps)])).toBe(2n * oneDollar)
  })

  test("of which the ledger does not know what it holds says nothing", () => {
    for (const lack of [{ heldToken: 0n }, { heldToken: -1n }, { heldAnchor: 0n }]) {
      expect(priceIn([product(honest.map((swap) => ({ ...swap, ...lack })))])).toBeUndefined()
    }
  })
})

test("A block's price is the median by what was paid, not one vote a swap", () => {
  const dust = swapsAt(steady(2)).flatMap((swap) =>
    [1, 2, 3].map((logIndex) => ({ ...swap, logIndex, tokenQty: 10n ** 14n, anchorQty: dollars(2) })),
  )
  expect(priceIn([pool([...swapsAt(steady(2)), ...dust], 50_000)])).toBe(2n * oneDollar)
})

describe("Several pools", () => {
  test("one thin and manipulated: the price is the honest one", () => {
    const honest = pool(swapsAt(steady(2)), 100_000)
    for (const lie of [0.001, 4, 1e6]) {
      expect(priceIn([honest, pool(swapsAt(steady(lie)), 9_000)])).toBe(2n * oneDollar)
      expect(priceIn([pool(swapsAt(steady(lie)), 40_000), honest])).toBe(2n * oneDollar)
    }
  })

  test("many pools of one's own trading with oneself do not outvote a deeper honest one", () => {
    const liars = Array.from({ length: 20 }, () => pool(swapsAt(steady(50), 18, 100_000), 10_000))
    expect(priceIn([...liars, pool(swapsAt(steady(2)), 250_000)])).toBe(2n * oneDollar)
  })

  test("that contradict each other with equal depth give no price", () => {
    expect(priceIn([pool(swapsAt(steady(2)), 50_000), pool(swapsAt(steady(20)), 50_000)])).toBeUndefined()
    expect(priceIn([pool(swapsAt(steady(2)), 50_000), pool(swapsAt(steady(2.2)), 50_000)])).toBe(2n * oneDollar)
  })
})

describe("Numbers", () => {
  test("tokens of 0 to 36 decimals have the price of the whole token", () => {
    for (let decimals = 0; decimals <= 36; decimals++) {
      expect(priceIn([pool(swapsAt(steady(2), decimals), 50_000)], decimals)).toBe(2n * oneDollar)
    }
  })

  test("absurd quantities neither break nor make a price that rounds to nothing", () => {
    const most = 2n ** 256n - 1n
    const of = (tokenQty: bigint, anchorQty: bigint) =>
      swapsAt(steady(1)).map((swap) => ({ ...swap, tokenQty, anchorQty }))
    expect(priceIn([pool(of(most, dollars(1000)), 50_000)], 0)).toBeUndefined()
    expect(priceIn([{ ...pool(of(100n, most), 0), held: [most] }], 255)).toBe(
      (most * 10n ** 12n * 10n ** 255n + 50n) / 100n,
    )
    expect(priceIn([pool(of(0n, dollars(1000)), 50_000)])).toBeUndefined()
    expect(priceIn([])).toBeUndefined()
  })

  test("by property: neither the order of swaps nor of pools matters", () => {
    const someSwap = fc.record({
      blockNumber: fc.integer({ min: 1, max: 12 }),
      logIndex: fc.integer({ min: 0, max: 5 }),
      tokenQty: fc.bigInt({ min: 0n, max: 10n ** 24n }),
      anchorQty: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    })
    const somePool = fc.array(someSwap, { minLength: 10, maxLength: 40 })
    fc.assert(
      fc.property(fc.array(fc.tuple(somePool, fc.integer({ min: 1, max: 100_000 })), { maxLength: 4 }), (given) => {
        const pools = given.map(([swaps, depth]) =>
          pool(
            swaps.map((swap) => ({ ...swap, ...held, time: start + 60 * swap.blockNumber })),
            depth,
          ),
        )
        const turned = [...pools].reverse().map((it) => ({ ...it, swaps: [...it.swaps].reverse() }))
        expect(quote(turned)).toEqual(quote(pools))
      }),
    )
  })

  test("by property: a token with n more decimals and 10ⁿ times the subunits has the same price", () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 1000n, max: 10n ** 24n }), { minLength: 5, maxLength: 30 }),
        fc.integer({ min: 0, max: 30 }),
        (quantities, more) => {
          const of = (scale: bigint) =>
            swapsAt(steady(1, quantities.length)).map((swap, place) => ({
              ...swap,
              tokenQty: quantities[place]! * scale,
            }))
          expect(priceIn([pool(of(10n ** BigInt(more)), 50_000)], 6 + more)).toBe(priceIn([pool(of(1n), 50_000)], 6))
        },
      ),
    )
  })

  test("by property: what one block of many says never takes the price out of what the others say", () => {
    const price = fc.integer({ min: 1, max: 1000 })
    fc.assert(
      fc.property(fc.array(price, { minLength: 5, maxLength: 20 }), price, fc.nat(), (prices, lie, at) => {
        const told = [...prices]
        told[at % prices.length] = lie * 1_000_000
        const others = prices.filter((_, place) => place !== at % prices.length)
        // Whole subunits: a quotient of them is a hair off.
        const found = Number(priceIn([pool(swapsAt(told), 50_000)])!) / 1e18
        expect(found).toBeGreaterThan(Math.min(...others) * 0.999)
        expect(found).toBeLessThan(Math.max(...others) * 1.001)
      }),
    )
  })

  test("the median is the least value that half of the weight does not exceed", () => {
    const of = (...pairs: ReadonlyArray<readonly [bigint, bigint]>) =>
      weightedMedian(pairs.map(([value, weight]) => ({ value, weight })))
    expect([of([5n, 1n]), of([9n, 1n], [1n, 1n]), of([9n, 3n], [1n, 2n]), of([3n, 1n], [1n, 1n], [2n, 1n])]).toEqual([
      5n,
      1n,
      9n,
      2n,
    ])
  })

  test("amounts in dollars are plain decimals, exact to 18 digits behind the point", () => {
    expect(amountInUsd(1_500_000n, 6, oneDollar)).toBe("1.5")
    expect(amountInUsd(0n, 6, oneDollar)).toBe("0")
    expect(amountInUsd(1n, 18, 2000n * oneDollar)).toBe("0.000000000000002")
    expect(amountInUsd(1n, 36, oneDollar)).toBe("0")
    expect(amountInUsd(10n ** 30n, 0, 123n)).toBe("123000000000000")
    expect(amountInUsd(5n, 1, 1n)).toBe("0.000000000000000001")
    expect(amountInUsd(2n ** 256n - 1n, 0, oneDollar)).toBe(String(2n ** 256n - 1n))
  })

  test("a market capitalisation is price × supply, and none that is more than ten thousand times the pools' depth", () => {
    const price = 2n * oneDollar
    expect(marketCapOf({ price }, 10n ** 24n, 18)).toBe(2_000_000n * oneDollar)
    expect(marketCapOf({ price, depth: 200n * oneDollar }, 10n ** 24n, 18)).toBe(2_000_000n * oneDollar)
    expect(marketCapOf({ price, depth: 199n * oneDollar }, 10n ** 24n, 18)).toBeUndefined()
    expect([marketCapOf({ price }, -1n, 18), marketCapOf({ price }, 0n, 18)]).toEqual([undefined, undefined])
  })
})
