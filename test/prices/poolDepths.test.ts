/** Prices by depth near the price: parked dollars make none, honest concentrated pools do, and nodes that fail or forget change nothing. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer, Logger, ManagedRuntime, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { longestPastWaitMs, longestWaitMs, restMs } from "../../src/domain/prices/depthReads.ts"
import { freshMs } from "../../src/domain/prices/depths.ts"
import { inOrder } from "../../src/domain/prices/inOrder.ts"
import { keepHours } from "../../src/domain/prices/keepHours.ts"
import type { PriceKeeping } from "../../src/domain/prices/keeping.ts"
import { lookAtPrices, newMemory } from "../../src/domain/prices/keepPrices.ts"
import { nearDepth } from "../../src/domain/prices/nearDepth.ts"
import { makeSwapPrices } from "../../src/domain/prices/swapPrices.ts"
import { rootAt } from "../../src/domain/prices/ticks.ts"
import type { AuditState } from "../../src/model/audit.ts"
import { type NearDepth, oneDollar } from "../../src/model/price.ts"
import { type Address, ChainId } from "../../src/model/primitives.ts"
import { AuditStore } from "../../src/ports/AuditStore.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { Ledger } from "../../src/ports/Ledger.ts"
import { type PriceAnswer, PriceSource, type PriceSourceShape } from "../../src/ports/PriceSource.ts"
import { TokenPrices } from "../../src/ports/TokenPrices.ts"
import { settingsOf } from "../contracts/store.ts"
import { curveOf, type Position } from "../support/chain/positions.ts"
import { address, swap, TestChain, transfer } from "../support/chain/testChain.ts"
import { depthsLayer, type ScriptedDepths, scriptedDepths } from "../support/depths.ts"

const chainId = ChainId.make("7")
const zero = address(0)
/** Of 6 decimals; it is token0 of every pool. */
const usd = address(0x10)
/** Of 8. */
const coin = address(0x30)
const factory = address(0xf0)
const [plain, concentrated] = [address(0x51), address(0x52)]
const dollars = (whole: number) => BigInt(Math.round(whole * 1e6))
/** A full hour. */
const start = 472_222 * 3600

/** Where a coin costs so much: subunits of coin for one of usd. */
const tickOf = (price: number) => Math.floor(Math.log(100 / price) / Math.log(1.0001))

/** Liquidity between two ticks that is worth so many dollars at a price, both tokens together. */
const worth = (value: number, price: number, lower: number, upper: number): Position => {
  const [from, to] = [rootAt(lower), rootAt(upper)]
  const at = rootAt(tickOf(price))
  const mid = [from, at, to].toSorted((a, b) => (a < b ? -1 : 1))[1]!
  const unit = 10n ** 30n
  const of0 = ((unit << 96n) * (to - mid)) / (to * mid)
  const of1 = (unit * (mid - from)) >> 96n
  const whole = Number(of0) / 1e6 + (Number(of1) / 1e8) * price
  return [lower, upper, BigInt(Math.floor((value / whole) * 1e30))]
}
const depthOf = (price: number, ...positions: ReadonlyArray<Position>): NearDepth => {
  const tick = tickOf(price)
  const { of0, of1 } = nearDepth(curveOf({ tick, root: (rootAt(tick) + rootAt(tick + 1)) / 2n }, positions))!
  return new Map([
    [usd, of0],
    [coin, of1],
  ])
}

interface Market {
  readonly pool: Address
  /** Dollars that it holds. */
  readonly held: number
  /** Of a coin. */
  readonly price: number
}
/** Half an hour of swaps of 200 dollars a minute in each pool. */
const chainOf = (markets: ReadonlyArray<Market>, firstBlock = 0): TestChain => {
  const chain = new TestChain(new Set(), firstBlock, start)
  for (const { pool } of markets) {
    chain.pools.set(pool, { pool, token0: usd, token1: coin, decimals0: 6, decimals1: 8, factory })
  }
  chain.block([
    transfer(coin, zero, address(9), 10n ** 14n),
    ...markets.flatMap(({ pool, held, price }) => [
      transfer(usd, zero, pool, dollars(held)),
      transfer(coin, zero, pool, BigInt(Math.round((held / price) * 1e8))),
    ]),
  ])
  for (let minute = 1; minute <= 30; minute++) {
    const swaps = markets.map(({ pool, price }) =>
      swap(pool, { paid0: true, paid: dollars(200), got: BigInt(Math.round((200 / price) * 1e8)) }),
    )
    chain.block(swaps, { time: start + 60 * minute })
  }
  return chain
}

let depths: ScriptedDepths
let runtime: ManagedRuntime.ManagedRuntime<Layer.Success<typeof MemoryStore.layer> | PriceSource, never>
const scope = Effect.runSync(Scope.make())
const keeping: PriceKeeping = {
  ...{ chainId, stablecoins: [usd], wrappedNative: [], factories: [factory] },
  ...{ measures: true, known: false, wholeSupplies: true, ofPast: true, intervalMs: 1000 },
  birth: () => birth,
  nodeTime: () => now,
}
/** What time it is by the chain, seconds. */
let now: number
/** Which making of the ledger asks. */
let birth: string

beforeEach(() => {
  depths = scriptedDepths()
  birth = "a00000"
  const source = Layer.effect(PriceSource, makeSwapPrices([keeping], { minDepth: 10_000n * oneDollar }))
  runtime = ManagedRuntime.make(
    source.pipe(
      Layer.provide(depthsLayer(depths)),
      Layer.provideMerge(MemoryStore.layer),
      Layer.provideMerge(TestClock.layer()),
      Layer.provideMerge(Logger.layer([])),
    ) as Layer.Layer<Layer.Success<typeof MemoryStore.layer> | PriceSource>,
  )
})
afterEach(() => runtime.dispose())

/** Stores the chain; it is `later` seconds after its last block. */
const store = async (chain: TestChain, later = 10) => {
  const { firstBlock } = chain
  const writer = await runtime.runPromise(
    Ledger.use((ledger) => ledger.open(settingsOf({ chainId, firstBlock }))).pipe(
      Effect.provideService(Scope.Scope, scope),
    ),
  )
  await runtime.runPromise(writer.append(chain.segment(firstBlock, undefined, { finalizedBlock: chain.nextBlock - 1 })))
  const born = await runtime.runPromise(writer.listUndescribedTokens(100))
  await runtime.runPromise(
    writer.describeTokens(born.map((token) => ({ token, description: { decimals: token.address === usd ? 6 : 8 } }))),
  )
  now = chain.blocks.at(-1)!.header.time + later
  await runtime.runPromise(TestClock.setTime(now * 1000))
  return writer
}
const lastTime = start + 1800
const find = (newest = true, at = lastTime) =>
  runtime.runPromise(PriceSource.use((source) => source.find({ chainId, birth, tokens: [coin], at, now, newest })))
const quote = async (newest?: boolean) => (await find(newest)).quotes.get(coin)
const priceNow = async (newest?: boolean) => {
  const found = await quote(newest)
  return found && Number(found.price) / 1e18
}
const pass = (ms: number) => runtime.runPromise(TestClock.adjust(ms))

const spaced = (tick: number, spacing = 60) => Math.floor(tick / spacing) * spacing
/** What is parked as dollars alone: at ticks above the price, token0. */
const parked = (value: number, price: number): Position => {
  const lower = spaced(tickOf(price)) + 12_000
  return worth(value, price, lower, lower + 6000)
}

describe("An attacker with 60,000 dollars parked out of range and 481 in range, against an honest V2 pool of 50,000", () => {
  const lie = 40
  const at = spaced(tickOf(lie))
  const markets = [
    { pool: plain, held: 50_000, price: 4 },
    { pool: concentrated, held: 60_481, price: lie },
  ]
  const inRange = worth(481, lie, at, at + 60)

  test("makes the price where depth is what pools hold: so it was", async () => {
    await store(chainOf(markets))
    expect(await priceNow()).toBe(lie)
  })

  test("has no say by its depth near the price", async () => {
    const depth = depthOf(lie, inRange, parked(60_000, lie))
    // Near the price it is a V2 pool of a few thousand dollars: PRICE_MIN_DEPTH leaves it out.
    expect(Number((depth as ReadonlyMap<string, bigint>).get(usd)) / 1e6).toBeLessThan(10_000)
    depths.depth = (pool) => (pool === plain ? "held" : depth)
    await store(chainOf(markets))
    expect(await quote()).toEqual({ price: 4n * oneDollar, depth: 50_000n * oneDollar })
  })

  test("nor with dollars parked inside the band, but off the price", async () => {
    const beside = worth(60_000, lie, at + 120, at + 900)
    const depth = depthOf(lie, inRange, beside)
    depths.depth = (pool) => (pool === plain ? "held" : depth)
    await store(chainOf(markets))
    expect(await quote()).toEqual({ price: 4n * oneDollar, depth: 50_000n * oneDollar })
  })

  test("nor with all of them in range at the honest price, and swaps at another within single blocks", async () => {
    depths.depth = (pool) =>
      pool === plain ? "held" : depthOf(4, worth(120_000, 4, spaced(tickOf(4)) - 1200, spaced(tickOf(4)) + 1200))
    await store(chainOf(markets))
    expect(await quote()).toEqual({ price: 4n * oneDollar, depth: 50_000n * oneDollar })
  })

  test("has none where it is alone, and where the honest one is as thin there is no price", async () => {
    const depth = depthOf(lie, inRange, parked(60_000, lie))
    depths.depth = (pool) => (pool === plain ? "held" : depth)
    await store(chainOf([{ pool: plain, held: 9000, price: 4 }, markets[1]!]))
    expect(await priceNow()).toBeUndefined()
  })

  test("has none by coming into range at one look in five minutes", async () => {
    const deep = depthOf(lie, worth(60_481, lie, at - 1200, at + 1200))
    let isDeep = false
    depths.depth = (pool) => (pool === plain ? "held" : isDeep ? deep : depthOf(lie, inRange))
    await store(chainOf(markets))
    for (const deepNow of [false, true, false, true]) {
      isDeep = deepNow
      expect(await priceNow()).toBe(4)
      await pass(freshMs)
    }
    // Twice on end is what it takes.
    expect(await priceNow()).toBe(lie)
  })
})

describe("An honest pool of concentrated liquidity", () => {
  const at = spaced(tickOf(4))

  test("outweighs a thin V2 pool with a lie, and counts for no more than it holds", async () => {
    const around = worth(100_000, 4, at - 1800, at + 1800)
    depths.depth = (pool) => (pool === plain ? "held" : depthOf(4, around))
    await store(
      chainOf([
        { pool: plain, held: 12_000, price: 40 },
        { pool: concentrated, held: 50_000, price: 4 },
      ]),
    )
    expect(await quote()).toEqual({ price: 4n * oneDollar, depth: 62_000n * oneDollar })
  })

  test("of a stable pair in one tick has its price, and all that it holds speaks for it", async () => {
    const tick = tickOf(1)
    depths.depth = () => depthOf(1, worth(100_000, 1, tick, tick + 1))
    await store(chainOf([{ pool: concentrated, held: 50_000, price: 1 }]))
    expect(await quote()).toEqual({ price: oneDollar, depth: 50_000n * oneDollar })
  })

  test("is asked about only where it would speak by what it holds", async () => {
    depths.depth = () => depthOf(4, worth(100_000, 4, at - 1800, at + 1800))
    await store(
      chainOf([
        { pool: plain, held: 9_999, price: 4 },
        { pool: concentrated, held: 50_000, price: 4 },
      ]),
    )
    expect(await priceNow()).toBe(4)
    expect(depths.asked).toEqual([[[concentrated], undefined]])
    expect(await priceNow()).toBe(4)
    await pass(freshMs - 1)
    expect(await priceNow()).toBe(4)
    expect(depths.asked.length).toBe(1)
    await pass(1)
    expect(await priceNow()).toBe(4)
    expect(depths.asked.length).toBe(2)
  })
})

test.each(["now", "then"])(
  "What was remembered of how deep pools are %s is not believed in a ledger that was made anew",
  async (when) => {
    const newest = when === "now"
    const around = spaced(tickOf(10))
    let dollarsNear = 1000
    depths.depth = () => depthOf(10, worth(dollarsNear, 10, around - 1800, around + 1800))
    await store(chainOf([{ pool: concentrated, held: 50_000, price: 10 }]))
    expect(await priceNow(newest)).toBeUndefined()
    dollarsNear = 200_000
    expect(await priceNow(newest)).toBeUndefined()
    birth = "b00000"
    expect(await priceNow(newest)).toBe(10)
  },
)

test("A V2 pool that may be older than the ledger has no say: what it holds is not known. A concentrated one has", async () => {
  const markets = [
    { pool: plain, held: 100_000, price: 9 },
    { pool: concentrated, held: 50_000, price: 10 },
  ]
  const around = spaced(tickOf(10))
  depths.depth = (pool) => (pool === plain ? "held" : depthOf(10, worth(100_000, 10, around - 1800, around + 1800)))
  const writer = await store(chainOf(markets, 500).block([transfer(plain, zero, address(9), 1000n)]))
  expect(await priceNow()).toBe(10)
  const born = await runtime.runPromise(writer.listTokensWithoutOrigin(9))
  const token = born.find((it) => it.address === plain)!
  await runtime.runPromise(writer.recordOrigins([{ token, origin: { txHash: token.firstTxHash } }]))
  expect(await priceNow()).toBeCloseTo(9, 6)
})

describe("Where the coin grew by 8 % outside its events", () => {
  /** By the ledger the pool holds a dollar for each coin. Swaps pay 0.926, which is within a tenth of that. */
  const grown = () => {
    const chain = new TestChain(new Set(), 0, start)
    chain.pools.set(plain, { pool: plain, token0: usd, token1: coin, decimals0: 6, decimals1: 8, factory })
    chain.block([transfer(coin, zero, plain, 10n ** 13n), transfer(usd, zero, plain, dollars(100_000))])
    for (let minute = 1; minute <= 30; minute++) {
      const paid = { paid0: true, paid: dollars(200), got: 216n * 10n ** 8n }
      chain.block([swap(plain, paid)], { time: start + 60 * minute })
    }
    return chain
  }
  const audit = async (token: Address, state: AuditState) => {
    const breadth = { top: 0, recent: 0, places: [] }
    const sample = AuditStore.use((port) => port.sample(chainId, { tokens: [token] }, breadth))
    const { value } = await runtime.runPromise(sample)
    const record = { state, blockNumber: 9, time: start, compared: 1, watched: [] }
    await runtime.runPromise(AuditStore.use((port) => port.record(chainId, [{ token: value[0]!.token, record }])))
  }

  test("a V2 pool has no say once the audit has seen it, of whichever of the two tokens", async () => {
    await store(grown())
    expect(await priceNow()).toBe(1)
    for (const token of [coin, usd]) {
      for (const state of ["drift", "rebasing"] as const) {
        await audit(token, state)
        expect([token, state, await priceNow(), await priceNow(false)]).toEqual([token, state, undefined, undefined])
      }
      await audit(token, "exact")
      expect(await priceNow()).toBe(1)
    }
  })

  test("a concentrated one tells the price by its swaps", async () => {
    const price = 1 / 1.08
    const around = spaced(tickOf(price))
    depths.depth = () => depthOf(price, worth(100_000, price, around - 1800, around + 1800))
    await store(grown())
    await audit(coin, "rebasing")
    expect(await priceNow()).toBeCloseTo(price, 6)
  })
})

test("A price that moved by less than a half since the swaps has the depth that is there, one that moved by more none", async () => {
  let now = 5
  depths.depth = () => depthOf(now, worth(1_000_000, now, spaced(tickOf(now)) - 3000, spaced(tickOf(now)) + 3000))
  await store(chainOf([{ pool: concentrated, held: 50_000, price: 4 }]))
  for (const [moved, price] of [
    [5, 4],
    [2.8, 4],
    [6.6, undefined],
    [2.5, undefined],
    [4, 4],
  ] as const) {
    now = moved
    // The answer before must be of that price too.
    for (let look = 0; look < 2; look++) await pass(freshMs).then(() => priceNow())
    expect([moved, await priceNow()]).toEqual([moved, price])
  }
})

test("A deep pool with few swaps stands by the day beside a small lively one: that does not make the price", async () => {
  const lively = address(0x53)
  const chain = new TestChain(new Set(), 0, start - 4 * 3600)
  for (const [pool, held, price] of [
    [plain, 200_000, 1],
    [lively, 12_000, 100],
  ] as const) {
    chain.pools.set(pool, { pool, token0: usd, token1: coin, decimals0: 6, decimals1: 8, factory })
    chain.block([
      transfer(coin, zero, pool, BigInt(held / price) * 10n ** 8n),
      transfer(usd, zero, pool, dollars(held)),
    ])
  }
  const sale = (pool: Address, price: number) =>
    swap(pool, { paid0: true, paid: dollars(200), got: BigInt(200 / price) * 10n ** 8n })
  for (let minute = 0; minute < 12; minute++) chain.block([sale(plain, 1)], { time: start - 3 * 3600 + 60 * minute })
  // In the last hour four blocks of the one, thirty of the other.
  for (let minute = 1; minute <= 30; minute++) {
    chain.block([...(minute <= 4 ? [sale(plain, 1)] : []), sale(lively, 100)], { time: start + 60 * minute })
  }
  await store(chain)
  for (const newest of [true, false]) {
    expect(await quote(newest)).toEqual({ price: oneDollar, depth: 212_000n * oneDollar })
  }
})

describe("The state that is asked", () => {
  const markets = [
    { pool: plain, held: 50_000, price: 4 },
    { pool: concentrated, held: 60_000, price: 5 },
  ]
  const deep = depthOf(5, worth(1_000_000, 5, tickOf(5) - 2000, tickOf(5) + 2000))
  const [newestBlock, middleBlock] = [30, 15]

  test("of now is the newest, of an hour those of its last swap and of one in the middle, each once", async () => {
    await store(chainOf(markets))
    depths.depth = (pool) => (pool === plain ? "held" : deep)
    expect([await priceNow(), await priceNow(false), await priceNow(false)]).toEqual([5, 5, 5])
    // What is of V2 kind stays so.
    expect(depths.asked).toEqual([
      [[plain, concentrated], undefined],
      [[concentrated], newestBlock],
      [[concentrated], middleBlock],
    ])
  })

  test("that is gone is the newest for a day; then a concentrated pool does not speak, and a V2 pool does", async () => {
    depths.depth = (pool, at) => (pool === plain ? "held" : at === undefined ? deep : "gone")
    await store(chainOf(markets), 86_400)
    expect(await priceNow(false)).toBe(5)
    now++
    expect(await priceNow(false)).toBe(4)
    // A ledger that is far behind asks for its own state, not for one that is days ahead of it.
    expect(await priceNow(true)).toBe(4)
    expect(depths.asked.map(([, block]) => block)).toEqual([newestBlock, middleBlock, undefined])
  })

  for (const [clock, later, price] of [
    [2 * 86_400, 10, 5],
    [-2 * 86_400, 10, 5],
    [-2 * 86_400, 2 * 86_400, 4],
  ] as const)
    test(`that is gone ${later} s later by the chain makes that price with a clock that is ${clock} s off`, async () => {
      depths.depth = (pool, at) => (pool === plain ? "held" : at === undefined ? deep : "gone")
      await store(chainOf(markets), later)
      await runtime.runPromise(TestClock.setTime((lastTime + clock) * 1000))
      expect([await priceNow(false), await priceNow(true)]).toEqual([price, price])
    })

  test("is two of an hour, and the least counts: depth put there for its last block is none", async () => {
    depths.depth = (pool, at) => (pool === plain ? "held" : at === newestBlock ? deep : depthOf(5))
    await store(chainOf(markets))
    expect(await priceNow(false)).toBe(4)
    expect(await priceNow(true)).toBe(4)
  })

  test("of a pool that was none yet in the middle makes no price of the hour", async () => {
    depths.depth = (pool, at) => (pool === plain ? "held" : at === middleBlock ? undefined : deep)
    await store(chainOf(markets))
    expect([await priceNow(false), await priceNow(true)]).toEqual([4, 5])
  })

  test("of a pool that is of no known kind, or says what cannot be, makes no price", async () => {
    depths.depth = (pool) => (pool === plain ? "held" : undefined)
    await store(chainOf(markets))
    expect([await priceNow(), await priceNow(false)]).toEqual([4, 4])
  })
})

describe("A node that fails", () => {
  const failure = new SourceUnavailable({ message: "out of order" })

  test("makes the source silent, and is left alone for a while", async () => {
    await store(chainOf([{ pool: plain, held: 50_000, price: 4 }]))
    depths.failure = failure
    const silence = {
      ...{ quotes: new Map([[usd, { price: oneDollar }]]), silent: new Set([coin]), waits: new Set([coin]) },
      ...{ assumed: new Set([usd]), lost: new Set<Address>(), doubted: new Set<Address>() },
    }
    expect(await find()).toEqual(silence)
    depths.failure = undefined
    await pass(restMs - 1)
    expect(await find()).toEqual(silence)
    expect(depths.asked.length).toBe(1)
    await pass(1)
    expect((await find()).silent.size).toBe(0)
    expect(await priceNow()).toBe(4)
  })

  const around = worth(1_000_000, 4, spaced(tickOf(4)) - 3000, spaced(tickOf(4)) + 3000)
  const looking = () => {
    const memory = newMemory()
    return async () => {
      await runtime.runPromise(lookAtPrices(keeping, memory))
      return runtime.runPromise(TokenPrices.use((port) => port.listPriced(chainId, 10)))
    }
  }

  test("takes no price away for an hour, then those of pools that it must be asked about", async () => {
    depths.depth = () => depthOf(4, around)
    await store(chainOf([{ pool: concentrated, held: 50_000, price: 4 }]))
    const look = looking()
    expect(await look()).toEqual([usd, coin])
    depths.failure = failure
    await pass(freshMs)
    for (let waited = 0; waited <= longestWaitMs; waited += restMs) {
      expect(await look()).toEqual([usd, coin])
      await pass(restMs)
    }
    expect(await look()).toEqual([usd])
    depths.failure = undefined
    await pass(restMs)
    expect(await look()).toEqual([usd, coin])
    // And it has an hour anew.
    depths.failure = failure
    await pass(freshMs)
    expect(await look()).toEqual([usd, coin])
  })

  test("is not asked again about pools known to be of V2 kind: those speak on, beside one that is waited for no more", async () => {
    depths.depth = (pool) =>
      pool === plain ? "held" : depthOf(5, worth(1_000_000, 5, tickOf(5) - 3000, tickOf(5) + 3000))
    await store(
      chainOf([
        { pool: plain, held: 50_000, price: 4 },
        { pool: concentrated, held: 60_000, price: 5 },
      ]),
    )
    expect(await priceNow()).toBe(5)
    depths.failure = failure
    await pass(freshMs)
    expect((await find()).waits).toEqual(new Set([coin]))
    for (let waited = 0; waited <= longestWaitMs; waited += restMs) await pass(restMs).then(() => find())
    expect(await find()).toMatchObject({ silent: new Set() })
    expect(await priceNow()).toBe(4)
    expect(depths.asked.slice(1).flatMap(([pools]) => pools)).not.toContain(plain)
  })

  test("is left alone after three pools on end, and all of its pools wait", async () => {
    const markets = Array.from({ length: 6 }, (_, place) => ({ pool: address(0x60 + place), held: 50_000, price: 4 }))
    await store(chainOf(markets))
    depths.failure = failure
    const pools = markets.map(({ pool }) => pool)
    for (let look = 0; look < 3; look++) expect((await find()).waits).toEqual(new Set([coin]))
    // All in one question, then one by one.
    expect(depths.asked).toEqual([pools, ...pools.slice(0, 3).map((pool) => [pool])].map((some) => [some, undefined]))
    depths.failure = undefined
    await pass(restMs)
    expect(await quote()).toEqual({ price: 4n * oneDollar, depth: 300_000n * oneDollar })
  })

  test("at three pools and more, but not at one that it told of, is not left alone: others are asked", async () => {
    const markets = Array.from({ length: 6 }, (_, place) => ({ pool: address(0x60 + place), held: 50_000, price: 4 }))
    depths.depth = () => depthOf(4, around)
    await store(chainOf(markets))
    expect(await priceNow()).toBe(4)
    for (const { pool } of markets.slice(0, 4)) depths.broken.add(pool)
    await pass(freshMs)
    const from = depths.asked.length
    expect((await find()).waits).toEqual(new Set([coin]))
    const alone = depths.asked.slice(from).flatMap(([pools]) => (pools.length === 1 ? pools : []))
    expect(new Set(alone)).toEqual(new Set(markets.map(({ pool }) => pool)))
  })

  test("at one pool alone does so for that one: others are asked, and their tokens wait for nothing", async () => {
    const other = address(0x31)
    const chain = chainOf([{ pool: concentrated, held: 50_000, price: 4 }])
    const third = address(0x53)
    chain.pools.set(third, { pool: third, token0: usd, token1: other, decimals0: 6, decimals1: 8, factory })
    chain.block([transfer(other, zero, third, 10n ** 12n), transfer(usd, zero, third, dollars(20_000))])
    for (let minute = 31; minute <= 40; minute++) {
      chain.block([swap(third, { paid0: true, paid: dollars(200), got: 10n ** 10n })], { time: start + 60 * minute })
    }
    depths.depth = (pool) => (pool === third ? "held" : depthOf(4, around))
    depths.broken.add(concentrated)
    await store(chain)
    const at = start + 2400
    const findBoth = () =>
      runtime.runPromise(
        PriceSource.use((source) => source.find({ chainId, tokens: [coin, other], at, now, newest: true })),
      )
    expect(await findBoth()).toEqual({
      quotes: new Map([
        [other, { price: 2n * oneDollar, depth: 20_000n * oneDollar }],
        [usd, { price: oneDollar }],
      ]),
      ...{
        silent: new Set([coin]),
        waits: new Set([coin]),
        assumed: new Set([usd]),
        lost: new Set<Address>(),
        doubted: new Set<Address>(),
      },
    })
    depths.broken.clear()
    await pass(restMs)
    const { quotes, silent } = await findBoth()
    expect([[...quotes.keys()].sort(), silent.size]).toEqual([[usd, coin, other].sort(), 0])
  })

  test("at one pool alone holds up hours for a day, while it tells of others; by itself as long as it takes", async () => {
    const markets = [
      { pool: plain, held: 20_000, price: 4 },
      { pool: concentrated, held: 50_000, price: 4 },
    ]
    depths.depth = () => depthOf(4, around)
    await store(chainOf(markets).block([], { time: start + 7200 }))
    const next = () => runtime.runPromise(TokenPrices.use((port) => port.nextHour(chainId)))
    const hours = () => runtime.runPromise(keepHours(keeping, {}))
    depths.broken.add(concentrated)
    for (let waited = 0; waited <= longestPastWaitMs; waited += longestWaitMs) {
      expect([await hours(), await next()]).toEqual([false, undefined])
      await pass(longestWaitMs)
    }
    // Nobody answers now.
    depths.failure = failure
    expect([await hours(), await next()]).toEqual([false, undefined])
    depths.failure = undefined
    await pass(longestWaitMs)
    expect([await hours(), await next()]).toEqual([false, start / 3600 + 2])
  })

  test("holds up the hours it is asked about; they are recorded when it is back", async () => {
    await store(chainOf([{ pool: plain, held: 50_000, price: 4 }]).block([], { time: start + 7200 }))
    const next = () => runtime.runPromise(TokenPrices.use((port) => port.nextHour(chainId)))
    const hours = () => runtime.runPromise(keepHours(keeping, {}))
    depths.failure = failure
    expect([await hours(), await next()]).toEqual([false, undefined])
    await pass(86_400_000)
    expect([await hours(), await next()]).toEqual([false, undefined])
    depths.failure = undefined
    await pass(restMs)
    expect([await hours(), await next()]).toEqual([false, start / 3600 + 2])
  })

  test("is waited for whatever other sources say", async () => {
    const silent: PriceSourceShape = {
      find: ({ tokens }) => Effect.succeed({ quotes: new Map(), silent: new Set(tokens), waits: new Set([coin]) }),
    }
    const quiet: PriceSourceShape = {
      find: ({ tokens }) => Effect.succeed({ quotes: new Map(), silent: new Set(tokens) }),
    }
    const speaking: PriceSourceShape = {
      find: ({ tokens }) =>
        Effect.succeed({ quotes: new Map(tokens.map((it) => [it, { price: 7n }])), silent: new Set() }),
    }
    const ask = (...sources: ReadonlyArray<PriceSourceShape>) =>
      Effect.runPromise(inOrder(sources).find({ chainId, tokens: [coin], at: 0, now: 0, newest: false }))
    const heard = {
      ...{ quotes: new Map([[coin, { price: 7n }]]), silent: new Set<Address>() },
      ...{ assumed: new Set<Address>(), lost: new Set<Address>(), doubted: new Set<Address>() },
    }
    expect(await ask(silent, speaking)).toEqual({ ...heard, waits: new Set([coin]) })
    expect(await ask(quiet, speaking)).toEqual(heard)
    expect(await ask(speaking, silent)).toEqual(heard)
    // A dollar is assumed by the one whose quote counts; that a coin is none is known by whoever says so.
    const quiets = (marks: Partial<PriceAnswer>): PriceSourceShape => ({
      find: () => Effect.succeed({ quotes: new Map(), silent: new Set(), ...marks }),
    })
    const assuming: PriceSourceShape = {
      find: (question) => speaking.find(question).pipe(Effect.map((it) => ({ ...it, assumed: new Set([coin]) }))),
    }
    expect(await ask(assuming, speaking)).toEqual({ ...heard, assumed: new Set([coin]) })
    expect(await ask(speaking, assuming)).toEqual(heard)
    expect(await ask(quiets({ lost: new Set([coin]) }), speaking)).toEqual({ ...heard, lost: new Set([coin]) })
  })
})
