/** Prices kept beside a ledger: of now, of each hour, over rollbacks, silent sources and restarts. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer, Logger, ManagedRuntime, Scope } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { inOrder } from "../../src/domain/prices/inOrder.ts"
import { keepHours } from "../../src/domain/prices/keepHours.ts"
import type { PriceKeeping } from "../../src/domain/prices/keeping.ts"
import { lookAtPrices, type Memory, newMemory } from "../../src/domain/prices/keepPrices.ts"
import { makeSwapPrices, type PricedChain } from "../../src/domain/prices/swapPrices.ts"
import { oneDollar, type Quote } from "../../src/model/price.ts"
import { type Address, ChainId } from "../../src/model/primitives.ts"
import type { Erc20Token } from "../../src/model/token.ts"
import { Ledger, type LedgerWriter } from "../../src/ports/Ledger.ts"
import {
  type PriceAnswer,
  type PriceQuestion,
  PriceSource,
  type PriceSourceShape,
} from "../../src/ports/PriceSource.ts"
import { SyncStatus } from "../../src/ports/SyncStatus.ts"
import { TokenHistories } from "../../src/ports/TokenHistories.ts"
import { TokenPrices } from "../../src/ports/TokenPrices.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import { settingsOf } from "../contracts/store.ts"
import { address, swap, TestChain, type TestEvent, transfer } from "../support/chain/testChain.ts"
import { depthsLayer, type ScriptedDepths, scriptedDepths } from "../support/depths.ts"

const chainId = ChainId.make("7")
const zero = address(0)
const [usd, weth, coin, idle] = [address(0x10), address(0x20), address(0x30), address(0x40)] as [
  Address,
  Address,
  Address,
  Address,
]
const [other1, other2] = [address(0x11), address(0x12)] as [Address, Address]
const factory = address(0xf0)
const [wethUsd, coinUsd, thin, coinWeth] = [address(0x51), address(0x52), address(0x53), address(0x54)] as [
  Address,
  Address,
  Address,
  Address,
]
const decimals = new Map([
  [usd, 6],
  [other1, 18],
  [other2, 6],
  [weth, 18],
  [coin, 8],
])
const unit = (token: Address, whole: number) =>
  BigInt(Math.round(whole * 1e4)) * 10n ** BigInt(decimals.get(token)! - 4)
const keeping: PriceKeeping = {
  chainId,
  stablecoins: [usd],
  wrappedNative: [weth],
  factories: [factory],
  known: false,
  measures: true,
  wholeSupplies: true,
  ofPast: true,
  intervalMs: 1000,
  birth: () => "a00000",
  nodeTime: () => 0,
}
/** A full hour. */
const start = 472_222 * 3600

const facts = (pool: Address, token0: Address, token1: Address, madeBy: Address) => ({
  ...{ pool, token0, token1, factory: madeBy },
  decimals0: decimals.get(token0)!,
  decimals1: decimals.get(token1)!,
})
/** `whole` of token0 is paid at a price in token1. */
const sale = (pool: Address, [token0, token1]: readonly [Address, Address], whole: number, price: number): TestEvent =>
  swap(pool, { paid0: true, paid: unit(token0, whole), got: unit(token1, whole * price) })

const mint = (token: Address, to: Address, whole: number) => transfer(token, zero, to, unit(token, whole))
/** weth at 2000 dollars; coin at 4, in a deep pool against weth; in a thin one at 40; and in one of a factory that nobody knows at 400. */
const market = (): TestChain => {
  const chain = new TestChain(new Set(), 0, start)
  for (const pool of [
    facts(wethUsd, weth, usd, factory),
    facts(coinWeth, coin, weth, factory),
    facts(thin, coin, usd, factory),
    facts(coinUsd, coin, usd, address(0xbad)),
  ])
    chain.pools.set(pool.pool, pool)
  return chain.block([
    mint(usd, wethUsd, 900_000),
    mint(weth, wethUsd, 450),
    mint(usd, thin, 2_000),
    mint(usd, coinUsd, 5_000_000),
    mint(weth, coinWeth, 100),
    mint(coin, coinWeth, 50_000),
  ])
}
/** `more`: what makes a pool hold both at another price. */
const trade = (chain: TestChain, time: number, coinPrice = 0.002, more: ReadonlyArray<TestEvent> = []): TestChain =>
  chain.block(
    [
      ...more,
      sale(wethUsd, [weth, usd], 1, 2000),
      sale(coinWeth, [coin, weth], 100, coinPrice),
      sale(thin, [coin, usd], 100, 40),
      sale(coinUsd, [coin, usd], 100, 400),
    ],
    { time },
  )

describe("The keeper of prices", () => {
  let other: (question: PriceQuestion) => Effect.Effect<PriceAnswer>
  const nothing = () => Effect.succeed({ quotes: new Map<Address, Quote>(), silent: new Set<Address>() })
  let runtime: ManagedRuntime.ManagedRuntime<Layer.Success<typeof MemoryStore.layer> | PriceSource, never>
  let writer: LedgerWriter
  let memory: Memory
  let chains: Array<PricedChain>
  let depths: ScriptedDepths
  const scope = Effect.runSync(Scope.make())

  beforeEach(async () => {
    other = nothing
    chains = [keeping]
    depths = scriptedDepths()
    const source = Layer.effect(
      PriceSource,
      Effect.gen(function* () {
        const swaps = yield* makeSwapPrices(chains, { minDepth: 10_000n * oneDollar })
        const over: PriceSourceShape = { find: (question) => other(question) }
        return inOrder([swaps, over])
      }),
    )
    runtime = ManagedRuntime.make(
      source.pipe(
        Layer.provide(depthsLayer(depths)),
        Layer.provideMerge(MemoryStore.layer),
        Layer.provideMerge(Logger.layer([])),
      ),
    )
    memory = newMemory()
    writer = await runtime.runPromise(
      Ledger.use((ledger) => ledger.open(settingsOf({ chainId }))).pipe(Effect.provideService(Scope.Scope, scope)),
    )
  })
  afterEach(() => runtime.dispose())

  const append = async (chain: TestChain, from: number, finalizedBlock = -1) => {
    await runtime.runPromise(writer.append(chain.segment(from, undefined, { finalizedBlock })))
    const born = await runtime.runPromise(writer.listUndescribedTokens(100))
    const described = born.map((token) => {
      const known = decimals.get(token.address)
      return { token, description: known === undefined ? {} : { decimals: known } }
    })
    await runtime.runPromise(writer.describeTokens(described))
  }
  const look = () => runtime.runPromise(lookAtPrices(keeping, memory))
  const hours = (changes: Partial<PriceKeeping> = {}) => runtime.runPromise(keepHours({ ...keeping, ...changes }, {}))
  const tokenOf = async (token: Address) =>
    (await runtime.runPromise(TokenStore.use((store) => store.find(chainId, token)))).value[0]?.record as Erc20Token
  const priceOf = async (token: Address) => (await tokenOf(token))?.price
  const worthOf = async (token: Address) => {
    const query = {
      standard: "erc20",
      chains: [chainId],
      direction: "asc",
      page: { limit: 100 },
      count: false,
    } as const
    const { value } = await runtime.runPromise(
      TransferStore.use((store) => store.list({ ...query, filter: { tokenAddress: [token] } })),
    )
    return value.items.map(({ amountInUsd }) => amountInUsd)
  }
  /** Hour, price, and whether it stands until another. */
  const coinHours = async (token: Address) => {
    const query = { chainId, token, direction: "asc", page: { limit: 100 }, count: false } as const
    const { value } = await runtime.runPromise(TokenHistories.use((store) => store.prices(query)))
    return value.items.map(({ hour, price, untilHour }) => [hour, price, untilHour === undefined] as const)
  }
  const busy = (coinPrice?: number) => {
    const chain = market()
    for (let minute = 1; minute <= 30; minute++) trade(chain, start + 60 * minute, coinPrice)
    return chain
  }

  test("gives tokens the honest price, by way of the wrapped native too, and what all of them are worth", async () => {
    await append(busy(), 0)
    await look()
    const dollars = (whole: number) => String(BigInt(whole) * oneDollar)
    expect(await tokenOf(usd)).toMatchObject({ price: dollars(1), marketCap: dollars(5_902_000) })
    expect(await tokenOf(weth)).toMatchObject({ price: dollars(2000), marketCap: dollars(1_100_000) })
    expect(await tokenOf(coin)).toMatchObject({ price: dollars(4), marketCap: dollars(200_000) })
  })

  test("gives no price where the chain has no block, no stablecoin, or pools of strangers alone", async () => {
    await look()
    await append(busy(), 0)
    const unpegged = { ...keeping, stablecoins: [] }
    chains[0] = unpegged
    await runtime.runPromise(lookAtPrices(unpegged, memory))
    expect([await priceOf(usd), await priceOf(weth), await priceOf(coin)]).toEqual([undefined, undefined, undefined])
    const unknown = { ...keeping, factories: [] }
    chains[0] = unknown
    await runtime.runPromise(lookAtPrices(unknown, memory))
    expect([await priceOf(usd), await priceOf(weth), await priceOf(coin)]).toEqual([
      String(oneDollar),
      undefined,
      undefined,
    ])
  })

  test("says nothing of market capitalisations where supplies are not known", async () => {
    await append(busy(), 0)
    await runtime.runPromise(lookAtPrices({ ...keeping, wholeSupplies: false }, memory))
    const found = await tokenOf(coin)
    expect([found.price, "marketCap" in found]).toEqual([String(4n * oneDollar), false])
  })

  test("believes no stablecoin that the others price off a dollar; of two that differ, neither", async () => {
    const pools = [
      facts(address(0x61), other1, usd, factory),
      facts(address(0x62), other1, other2, factory),
      facts(address(0x63), other2, usd, factory),
    ]
    const chain = busy()
    for (const pool of pools) chain.pools.set(pool.pool, pool)
    chain.block(
      pools.flatMap(({ pool, token0, token1 }) =>
        [token0, token1].map((token) =>
          mint(token, pool, token0 !== other1 ? 50_000 : token === other1 ? 40_000 : 32_000),
        ),
      ),
    )
    for (let minute = 31; minute <= 50; minute++) {
      chain.block(
        pools.map(({ pool, token0, token1 }) => sale(pool, [token0, token1], 100, token0 === other1 ? 0.8 : 1.001)),
        { time: start + 60 * minute },
      )
    }
    await append(chain, 0)
    const seek = async (stablecoins: ReadonlyArray<Address>) => {
      const changed = { ...keeping, stablecoins }
      chains[0] = changed
      await runtime.runPromise(lookAtPrices(changed, memory))
      const found = await Promise.all([usd, other1, other2, weth, coin].map(priceOf))
      return [
        ...found.map((price) => (price === undefined ? undefined : Number(price) / 1e18)),
        (await worthOf(usd)).at(-1),
      ]
    }
    expect(await seek([usd, other1, other2])).toEqual([1, 0.8, 1, 2000, 4, "50000"])
    expect(await seek([usd, other2])).toEqual([1, 0.8, 1, 2000, 4, "50000"])
    expect(await seek([usd, other1])).toEqual([undefined, undefined, undefined, undefined, undefined, undefined])
  })

  test("keeps both dollars of a pair, and all prices, however it is overpaid every minute", async () => {
    const pair = address(0x61)
    const chain = market()
    chain.pools.set(pair, facts(pair, other2, usd, factory))
    chain.block([mint(other2, pair, 50_000), mint(usd, pair, 50_000)])
    // A dollar and a little for next to nothing, either way; and a little too much for a dollar.
    const overpaid = (time: number) =>
      chain.block(
        [
          sale(pair, [other2, usd], 1, time % 120 === 0 ? 1.2 : 1.09),
          swap(pair, { paid0: false, paid: unit(usd, 1.2), got: 100n }),
          swap(pair, { paid0: true, paid: unit(other2, 1.2), got: 100n }),
          sale(wethUsd, [weth, usd], 0.0006, 20_000),
          swap(wethUsd, { paid0: false, paid: unit(usd, 1.01), got: 10n ** 9n }),
          swap(coinWeth, { paid0: false, paid: unit(weth, 0.001), got: 100n }),
        ],
        { time },
      )
    for (let minute = 1; minute <= 50; minute++) {
      trade(chain, start + 60 * minute)
      chain.block([sale(pair, [other2, usd], 100, 1.001)], { time: start + 60 * minute + 6 })
      overpaid(start + 60 * minute + 12)
      overpaid(start + 60 * minute + 24)
    }
    await append(chain, 0)
    chains[0] = { ...keeping, stablecoins: [usd, other2] }
    await runtime.runPromise(lookAtPrices({ ...keeping, stablecoins: [usd, other2] }, memory))
    const found = await Promise.all([usd, other2, weth, coin].map(priceOf))
    expect(found.map((price) => Number(price) / 1e18)).toEqual([1, 1, 2000, 4])
    expect((await worthOf(other2)).at(-1)).toBe("50000")
  })

  describe("where pools cannot be read", () => {
    const [pair, alone] = [address(0x61), address(0x62)]
    const tokens = [usd, other1, other2, weth, coin]
    /** Two more tokens at a dollar, each in a pool against usd. */
    const spread = async () => {
      const chain = busy()
      const pools = [facts(pair, other2, usd, factory), facts(alone, other1, usd, factory)]
      for (const each of pools) chain.pools.set(each.pool, each)
      chain.block(pools.flatMap(({ pool, token0 }) => [mint(usd, pool, 50_000), mint(token0, pool, 50_000)]))
      for (let minute = 31; minute <= 50; minute++) {
        const sales = pools.map(({ pool, token0, token1 }) => sale(pool, [token0, token1], 100, 1))
        chain.block(sales, { time: start + 60 * minute })
      }
      await append(chain, 0)
    }
    const seek = async (stablecoins: ReadonlyArray<Address>) => {
      chains[0] = { ...keeping, stablecoins }
      const ask = PriceSource.use((source) =>
        source.find({ chainId, tokens, at: start + 3000, now: start + 3000, newest: true }),
      )
      const { quotes, silent, waits } = await runtime.runPromise(ask)
      expect(waits).toEqual(silent.size === 0 ? undefined : (silent as Set<Address>))
      return [[...quotes.keys()].sort(), [...silent].sort()]
    }

    test("lets those tokens wait that are priced against the anchor of such a pool, and no others", async () => {
      await spread()
      depths.broken.add(wethUsd)
      expect(await seek([usd])).toEqual([
        [usd, other1, other2],
        [weth, coin],
      ])
    })

    test("lets all wait that are priced against stablecoins of which it cannot tell whether they are a dollar", async () => {
      await spread()
      depths.broken.add(pair)
      expect(await seek([usd, other2])).toEqual([[], tokens])
    })
  })

  test("prices no hour while its first second may have further blocks: those count for it", async () => {
    const chain = busy()
    await append(trade(chain, start + 3600), 0, 31)
    await hours()
    expect(await coinHours(coin)).toEqual([])
    await append(trade(chain, start + 3600).block([], { time: start + 3601 }), 32, 33)
    await hours()
    expect(await coinHours(coin)).toEqual([[start / 3600 + 1, String(4n * oneDollar), false]])
  })

  test("takes a price back with the blocks that made it", async () => {
    const chain = market()
    for (let block = 0; block < 4; block++) trade(chain, start + 12 * block)
    await append(chain, 0)
    await look()
    expect(await priceOf(coin)).toBeUndefined()
    trade(chain, start + 60)
    await append(chain, 5)
    await look()
    expect(await priceOf(coin)).toBe(String(4n * oneDollar))
    await runtime.runPromise(writer.rollback(5))
    await look()
    expect(await priceOf(coin)).toBeUndefined()
    trade(chain.truncate(5), start + 61, 0.003, [mint(weth, coinWeth, 50)])
    await append(chain, 5)
    await look()
    expect(await priceOf(coin)).toBe(String(4n * oneDollar))
  })

  test("takes away a price that nobody has paid for a day", async () => {
    const chain = busy()
    await append(chain, 0)
    await look()
    await append(chain.block([], { time: start + 20 * 3600 }), 31)
    await look()
    expect(await priceOf(coin)).toBe(String(4n * oneDollar))
    await append(chain.block([], { time: start + 26 * 3600 }), 32)
    await look()
    expect([await priceOf(coin), await priceOf(weth), await priceOf(usd)]).toEqual([
      undefined,
      undefined,
      String(oneDollar),
    ])
  })

  test("leaves prices as they are while a source is silent, and takes them away when it says there are none", async () => {
    await append(market().block([transfer(idle, zero, address(9), 5n)]), 0)
    const known = { ...keeping, known: true }
    const seek = async () => {
      memory.looks = 0
      await runtime.runPromise(lookAtPrices(known, memory))
      return priceOf(idle)
    }
    other = () => Effect.succeed({ quotes: new Map([[idle, { price: 7n }]]), silent: new Set() })
    expect([await seek(), "marketCap" in (await tokenOf(idle))]).toEqual(["7", false])
    other = ({ tokens }) => Effect.succeed({ quotes: new Map(), silent: new Set(tokens) })
    expect(await seek()).toBe("7")
    // One that says itself how long to wait is left to that, and counts not as one that is silent.
    const silent = other
    other = ({ tokens }) => Effect.succeed({ quotes: new Map(), silent: new Set(tokens), waits: new Set(tokens) })
    memory.silentSince! -= 3_600_001
    expect([await seek(), memory.silentSince]).toEqual(["7", undefined])
    other = silent
    expect(await seek()).toBe("7")
    memory.silentSince! -= 3_600_001
    expect(await seek()).toBeUndefined()
    other = () => Effect.succeed({ quotes: new Map([[idle, { price: 8n }]]), silent: new Set() })
    expect(await seek()).toBe("8")
    other = nothing
    expect(await seek()).toBeUndefined()
  })

  test("asks a further source only about what the swaps say nothing of", async () => {
    await append(busy().block([transfer(idle, zero, address(9), 5n)]), 0)
    const asked: Array<string> = []
    other = ({ tokens }) => {
      asked.push(...tokens)
      return nothing()
    }
    await runtime.runPromise(lookAtPrices({ ...keeping, known: true }, memory))
    expect(asked).toEqual([idle])
  })

  test("prices each hour by the swaps before it, once it is final, and transfers by their hour", async () => {
    const chain = busy()
    chain.block([transfer(coin, zero, address(9), unit(coin, 3))], { time: start + 3600 })
    for (let minute = 61; minute <= 90; minute++) {
      trade(chain, start + 60 * minute, 0.003, minute === 61 ? [mint(weth, coinWeth, 50)] : [])
    }
    chain.block([transfer(coin, address(9), zero, unit(coin, 3)), transfer(usd, zero, address(9), unit(usd, 2.5))], {
      time: start + 2 * 3600 + 5,
    })
    chain.block([], { time: start + 4 * 3600 })
    await append(chain, 0, 32)
    expect(await hours()).toBe(false)
    expect(await runtime.runPromise(TokenPrices.use((store) => store.nextHour(chainId)))).toBe(start / 3600 + 2)
    expect(await worthOf(coin)).toEqual([undefined, "12", "12"])
    // All of it is final now.
    await append(chain.block([], { time: start + 5 * 3600 + 1 }), 64, 64)
    expect(await hours()).toBe(false)
    expect(await worthOf(coin)).toEqual([undefined, "12", "18"])
    expect(await worthOf(usd)).toEqual([undefined, undefined, undefined, undefined])
    await look()
    expect(await worthOf(usd)).toEqual(["900000", "2000", "5000000", "2.5"])
  })

  test("a stablecoin costs in each hour what its pools said then, whatever it costs now", async () => {
    const priced = { ...keeping, stablecoins: [usd, other1, other2] }
    chains[0] = priced
    const chain = market()
    const [honest, between] = [address(0x61), address(0x62)] as [Address, Address]
    chain.pools.set(honest, facts(honest, usd, other2, factory))
    chain.pools.set(between, facts(between, other1, usd, factory))
    chain.block([mint(usd, honest, 500_000), mint(other2, honest, 500_000)])
    chain.block([mint(usd, between, 50_000), mint(other1, between, 100_000)])
    // Half a dollar for two hours, then a dollar for longer: by the day it is one again once that is more than half of the time.
    for (let minute = 4; minute <= 364; minute += 4) {
      const moved = minute % 60 === 4 && minute > 4 ? [transfer(other1, address(8), address(9), unit(other1, 8))] : []
      const repaired = minute === 120 ? [mint(usd, between, 50_000)] : []
      const sales = [sale(honest, [usd, other2], 1000, 1), sale(between, [other1, usd], 1000, minute < 120 ? 0.5 : 1)]
      chain.block([...repaired, ...sales, ...moved], { time: start + 60 * minute })
    }
    const head = chain.block([], { time: start + 7 * 3600 + 1 }).nextBlock - 1
    await append(chain, 0, head)
    await runtime.runPromise(lookAtPrices(priced, memory))
    expect(await priceOf(other1)).toBe(String(oneDollar))
    expect(await hours(priced)).toBe(false)
    const [at1, at2, , at4, at5, at6] = (await worthOf(other1)).slice(-6)
    expect([at1, at2, at4, at5, at6]).toEqual(["4", "4", "8", "8", "8"])
    expect((await worthOf(other2)).at(-1)).toBe("500000")
    // Its dollar of now says nothing of hours in which its pools spoke.
    await runtime.runPromise(TokenPrices.use((store) => store.recordPegs(chainId, priced.stablecoins, [usd])))
    expect((await worthOf(other1)).slice(-6)).toEqual(["4", "4", expect.any(String), "8", "8", "8"])
    expect((await coinHours(other2)).map(([hour]) => hour - start / 3600)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test.each([
    [
      "a stablecoin is no dollar in an hour in which pools priced it off one, whose depth no node keeps any more",
      "gone",
    ],
    ["pools that are shown to be none say nothing of a stablecoin", undefined],
  ] as const)("%s", async (_, depth) => {
    const priced = { ...keeping, stablecoins: [usd, other1, other2] }
    chains[0] = priced
    const chain = market()
    const pools = [address(0x61), address(0x62)] as [Address, Address]
    chain.pools.set(pools[0], facts(pools[0], usd, other2, factory))
    chain.pools.set(pools[1], facts(pools[1], other1, usd, factory))
    chain.block([usd, other2].map((token) => mint(token, pools[0], 500_000)))
    chain.block([mint(usd, pools[1], 50_000), mint(other1, pools[1], 100_000)])
    for (let minute = 4; minute <= 124; minute += 4) {
      const moved = minute % 60 === 4 && minute > 4 ? [transfer(other1, address(8), address(9), unit(other1, 8))] : []
      const sales = [sale(pools[0], [usd, other2], 1000, 1), sale(pools[1], [other1, usd], 1000, 0.5)]
      chain.block([...sales, ...moved], { time: start + 60 * minute })
    }
    await append(chain, 0, chain.block([], { time: start + 3 * 3600 + 1 }).nextBlock - 1)
    depths.depth = () => depth
    await runtime.runPromise(lookAtPrices(priced, memory))
    expect(await hours(priced)).toBe(false)
    // Both pools are unproven: one prices its coin at a dollar, and of that nobody doubts.
    const dollar = String(oneDollar)
    const [before, first] = [start / 3600, start / 3600 + 1]
    const pricesOf = async (token: Address) =>
      (
        await runtime.runPromise(
          TokenHistories.use((store) => store.pricesAt(chainId, token, [before, first, first + 1])),
        )
      ).prices
    expect(await pricesOf(other2)).toEqual([dollar, dollar, dollar])
    const [told, worth] = depth === "gone" ? [null, undefined] : [dollar, "8"]
    expect(await pricesOf(other1)).toEqual([dollar, told, told])
    expect((await worthOf(other1)).slice(-2)).toEqual([worth, worth])
    expect(await coinHours(other2)).toEqual([[0, dollar, true]])
  })

  test("an hour says of a stablecoin what was said of it, and nothing where nobody spoke", async () => {
    const chain = busy()
    for (let minute = 61; minute <= 270; minute++) trade(chain, start + 60 * minute)
    await append(chain.block([], { time: start + 5 * 3600 + 1 }), 0, chain.nextBlock - 1)
    await look()
    const last = start / 3600 + 5
    // Its pools are against others than stablecoins: that it is a dollar is assumed.
    await hours()
    expect(await coinHours(usd)).toEqual([[0, String(oneDollar), true]])
    // Without swaps nobody looks what it is now, and what was said stays.
    await runtime.runPromise(lookAtPrices({ ...keeping, stablecoins: [], measures: false }, memory))
    expect(await coinHours(usd)).toEqual([[0, String(oneDollar), true]])
    // Of a source that knows it, in hours that were left for later.
    chains[0] = { ...keeping, stablecoins: [] }
    const dollars = (hundredths: bigint): ReadonlyMap<Address, Quote> =>
      new Map([[usd, { price: (oneDollar * hundredths) / 100n }]])
    const said = new Map<number, Partial<PriceAnswer>>([
      [1, { quotes: dollars(100n), lost: new Set([usd]) }],
      [2, { lost: new Set([usd]) }],
      [3, { silent: new Set([usd]) }],
      [6, { silent: new Set([usd]), lost: new Set([usd]) }],
      [4, { quotes: dollars(90n) }],
      [5, { quotes: dollars(97n) }],
    ])
    other = ({ at }) => Effect.map(nothing(), (none) => ({ ...none, ...said.get(at / 3600 - last) }))
    await runtime.runPromise(TokenPrices.use((store) => store.leap(chainId, last + 1, last + 7)))
    // The silent source has been waited for long enough: one such hour goes by a look.
    const over = { since: Number.NEGATIVE_INFINITY }
    // They are long ago: none that is answered ends the wait.
    const later = { ...keeping, known: true, nodeTime: () => start + 30 * 86_400 }
    for (let looks = 0; looks < 3; looks++) await runtime.runPromise(keepHours(later, over))
    expect(await coinHours(usd)).toEqual([
      [0, String(oneDollar), true],
      // As dear as a dollar, while its pools say that it is none: a price as of any token.
      [last + 1, String(oneDollar), false],
      [last + 4, String((oneDollar * 9n) / 10n), false],
      // Until the next hour, which says that it is none.
      [last + 5, String(oneDollar), false],
    ])
    const at = [1, 2, 3, 4, 5, 6, 99].map((place) => last + place)
    const { prices } = await runtime.runPromise(TokenHistories.use((store) => store.pricesAt(chainId, usd, at)))
    const [dollar, none] = [String(oneDollar), null]
    expect(prices).toEqual([dollar, none, none, String((oneDollar * 9n) / 10n), dollar, none, none])
  })

  test("how many hours are left is told before the first is priced, and after each", async () => {
    const chain = busy()
    for (let minute = 61; minute <= 270; minute++) trade(chain, start + 60 * minute)
    await append(chain.block([], { time: start + 5 * 3600 + 1 }), 0, chain.nextBlock - 1)
    const told: Array<number | undefined> = []
    const status = SyncStatus.of({
      list: () => [],
      find: () => undefined,
      update: (_, { prices }) => void told.push(prices?.hoursLeft),
    })
    await runtime.runPromise(keepHours(keeping, {}).pipe(Effect.provideService(SyncStatus, status)))
    expect(told).toEqual([5, 4, 3, 2, 1, 0])
  })

  test("points of hours are of final blocks alone: a rollback leaves them right", async () => {
    const chain = busy()
    await append(chain.block([], { time: start + 3590 }), 0, 10)
    await append(chain.block([transfer(coin, zero, address(9), unit(coin, 1))], { time: start + 3700 }), 32, 10)
    await hours()
    expect(await worthOf(coin)).toEqual([undefined, undefined])
    await runtime.runPromise(writer.rollback(20))
    trade(chain.truncate(20), start + 3000, 0.005, [mint(weth, coinWeth, 150)])
    for (let block = 0; block < 9; block++) trade(chain, start + 3100 + 12 * block, 0.005)
    await append(chain.block([transfer(coin, zero, address(9), unit(coin, 1))], { time: start + 3700 }), 20, 30)
    await hours()
    expect(await worthOf(coin)).toEqual([undefined, String(await honest())])
    // As the rule says of the blocks that stayed.
    async function honest() {
      const { quotes } = await runtime.runPromise(
        PriceSource.use((source) =>
          source.find({ chainId, tokens: [coin], at: start + 3600, now: start + 3600, newest: false }),
        ),
      )
      return Number(quotes.get(coin)!.price / 10n ** 12n) / 1e6
    }
  })

  test("hours of a chain whose history begins long ago are priced from the newest back, empty ones are passed over", async () => {
    const chain = market()
    for (let day = 0; day < 40; day++) {
      for (let minute = 1; minute < 7; minute++) trade(chain, start + 86_400 * day + 60 * minute)
    }
    const last = start / 3600 + 41 * 24
    chain.block([], { time: last * 3600 + 1 })
    await append(chain, 0, chain.nextBlock - 1)
    const gaps = () => runtime.runPromise(TokenPrices.use((store) => store.gaps(chainId)))
    const points = async () => {
      const page = { limit: 1000 }
      const asked = { chainId, token: coin, direction: "desc" as const, page, count: false }
      return (await runtime.runPromise(TokenHistories.use((store) => store.prices(asked)))).value.items.map(
        ({ hour }) => hour,
      )
    }
    expect(await hours()).toBe(true)
    expect(await runtime.runPromise(TokenPrices.use((store) => store.nextHour(chainId)))).toBe(last + 1)
    // The newest hour, then the newest days: those with swaps in the hour before.
    const days = Array.from({ length: 40 }, (_, day) => start / 3600 + (39 - day) * 24 + 1)
    const first = await points()
    expect(first.length).toBeGreaterThan(20)
    expect(first).toEqual(days.slice(0, first.length))
    expect((await gaps()).newest).toEqual({ from: days.at(-1)!, to: first.at(-1)! })
    // What is new comes before what is old.
    trade(chain, (last + 1) * 3600 - 300)
    for (let second = 0; second < 5; second++) trade(chain, (last + 1) * 3600 - 200 + second)
    chain.block([], { time: (last + 1) * 3600 + 1 })
    const from = chain.nextBlock - 7
    await append(chain, from, chain.nextBlock - 1)
    while (await hours());
    expect(await points()).toEqual([last + 1, ...days])
    expect(await gaps()).toEqual({ hours: 0 })
  })

  test("a source that knows tokens without swaps is asked about past hours too: a week of them, none before the ledger, and none where PRICE_HISTORY is off", async () => {
    for (const [hours, ofPast] of [
      [5, true],
      [30, true],
      [400, true],
      [5, false],
      [400, false],
    ] as const) {
      const chain = new TestChain(new Set(), 0, start)
        .block([transfer(idle, zero, address(9), 5n)])
        .block([], { time: start + hours * 3600 + 1 })
      const own = ManagedRuntime.make(
        Layer.succeed(PriceSource, {
          find: ({ tokens, at }) =>
            Effect.succeed({
              quotes: new Map(tokens.map((token) => [token, { price: BigInt(at) }])),
              silent: new Set(),
            }),
        }).pipe(Layer.provideMerge(MemoryStore.layer), Layer.provideMerge(Logger.layer([]))),
      )
      await own.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const ledger = yield* (yield* Ledger).open(settingsOf({ chainId }))
            yield* ledger.append(chain.segment(0, 1, { finalizedBlock: 1 }))
            const store = yield* TokenPrices
            while (yield* keepHours({ ...keeping, known: true, ofPast }, {}));
            const last = start / 3600 + hours
            const asked = { chainId, token: idle, direction: "asc" as const, page: { limit: 1000 }, count: false }
            const { items } = (yield* (yield* TokenHistories).prices(asked)).value
            const from = ofPast ? Math.max(start / 3600, last - 7 * 24) : last
            expect(items.map(({ hour }) => hour)).toEqual(Array.from({ length: last - from + 1 }, (_, at) => from + at))
            expect(yield* store.gaps(chainId)).toEqual({ hours: 0 })
          }),
        ),
      )
      await own.dispose()
    }
  })

  test("hours that were over before prices were kept get none where PRICE_HISTORY is off; those to come do", async () => {
    const ofNow = () => hours({ ofPast: false })
    const chain = market()
    for (let day = 0; day < 40; day++)
      for (let minute = 1; minute < 7; minute++) trade(chain, start + 86_400 * day + 60 * minute)
    const last = start / 3600 + 39 * 24 + 1
    chain.block([], { time: last * 3600 + 1 })
    await append(chain, 0, chain.nextBlock - 1)
    while (await ofNow());
    for (let second = 0; second < 6; second++) trade(chain, (last + 1) * 3600 - 300 + second)
    chain.block([], { time: (last + 1) * 3600 + 1 })
    await append(chain, chain.nextBlock - 7, chain.nextBlock - 1)
    while (await ofNow());
    const asked = { chainId, token: coin, direction: "asc" as const, page: { limit: 1000 }, count: false }
    const page = await runtime.runPromise(TokenHistories.use((store) => store.prices(asked)))
    expect(page.value.items.map(({ hour }) => hour)).toEqual([last, last + 1])
  })

  test("nor do hours that are leapt over later, in a first sync or an outage: nobody fills them and none are told as left, until it is on", async () => {
    const told: Array<number | undefined> = []
    const status = SyncStatus.of({
      list: () => [],
      find: () => undefined,
      update: (_, { prices }) => void told.push(prices?.hoursLeft),
    })
    const keep = (ofPast: boolean) =>
      runtime.runPromise(keepHours({ ...keeping, ofPast }, {}).pipe(Effect.provideService(SyncStatus, status)))
    const chain = market()
    let appended = 0
    /** Swaps in the hours before these, and all of it final. */
    const goOn = async (hours: ReadonlyArray<number>) => {
      for (const hour of hours)
        for (let minute = 1; minute < 7; minute++) trade(chain, (start / 3600 + hour - 1) * 3600 + 60 * minute)
      chain.block([], { time: (start / 3600 + hours.at(-1)!) * 3600 + 1 })
      await append(chain, appended, chain.nextBlock - 1)
      appended = chain.nextBlock
    }
    const priced = async () => {
      const asked = { chainId, token: coin, direction: "asc" as const, page: { limit: 1000 }, count: false }
      const page = await runtime.runPromise(TokenHistories.use((store) => store.prices(asked)))
      return page.value.items.map(({ hour }) => hour - start / 3600)
    }
    // Each look finds a first sync further on.
    for (const hours of [
      [1, 30],
      [60, 90],
      [100, 130, 160],
    ]) {
      await goOn(hours)
      while (await keep(false));
    }
    expect([await priced(), told]).toEqual([[30, 90, 160], []])
    while (await keep(true));
    expect([await priced(), told.at(-1)]).toEqual([[1, 30, 60, 90, 100, 130, 160], 0])
  })

  test("nor do those that were left while it was on, of a source that knows tokens without swaps", async () => {
    const chain = new TestChain(new Set(), 0, start).block([transfer(idle, zero, address(9), 5n)])
    await append(chain.block([], { time: start + 5 * 3600 + 1 }), 0, 1)
    const asked: Array<number> = []
    other = ({ at }) => {
      asked.push(at / 3600 - start / 3600)
      return nothing()
    }
    const keep = (ofPast: boolean) =>
      hours({ known: true, ofPast, stablecoins: [], wrappedNative: [], measures: false })
    await runtime.runPromise(TokenPrices.use((store) => store.leap(chainId, start / 3600 + 2, start / 3600 + 5)))
    while (await keep(false));
    expect(asked).toEqual([5])
    while (await keep(true));
    expect(asked).toEqual([5, 4, 3, 2])
  })

  test("two that are at work do no harm: what is left of a gap never grows", async () => {
    await append(busy(), 0, 1)
    const run = <A, E>(use: (store: typeof TokenPrices.Service) => Effect.Effect<A, E>) =>
      runtime.runPromise(TokenPrices.use(use))
    await run((store) => store.leap(chainId, 100, 200))
    await run((store) => store.leap(chainId, 150, 200))
    expect(await run((store) => store.gaps(chainId))).toEqual({ newest: { from: 100, to: 200 }, hours: 100 })
    await run((store) => store.recordGapHour(chainId, { from: 100, to: 200 }, 150, []))
    await run((store) => store.recordGapHour(chainId, { from: 100, to: 200 }, 170, []))
    expect(await run((store) => store.gaps(chainId))).toEqual({ newest: { from: 100, to: 150 }, hours: 50 })
    await run((store) => store.recordGapHour(chainId, { from: 100, to: 150 }, 100, []))
    expect(await run((store) => store.gaps(chainId))).toEqual({ hours: 0 })
    expect(await run((store) => store.nextHour(chainId))).toBe(200)
  })
})
