/** Past hours while a source of prices is silent: they wait for it, not without end, and for no token that it does not know. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect, Layer, Logger, ManagedRuntime, Scope, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { makeCoinsApi } from "../../src/adapters/prices/CoinsApi.ts"
import { type HourWait, longestHourWaitMs } from "../../src/domain/prices/hourWait.ts"
import { inOrder } from "../../src/domain/prices/inOrder.ts"
import { keepHours } from "../../src/domain/prices/keepHours.ts"
import type { PriceKeeping } from "../../src/domain/prices/keeping.ts"
import { keepPrices } from "../../src/domain/prices/keepPrices.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { Ledger, type LedgerWriter } from "../../src/ports/Ledger.ts"
import { PriceSource } from "../../src/ports/PriceSource.ts"
import { TokenHistories } from "../../src/ports/TokenHistories.ts"
import { TokenPrices } from "../../src/ports/TokenPrices.ts"
import { DocumentUnavailable, WebDocuments } from "../../src/ports/WebDocuments.ts"
import { settingsOf } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"

const chainId = ChainId.make("1")
/** A full hour, and how many hours of blocks there are after it. */
const [start, length] = [472_222, 30]
const [coin, swapped, unknown] = [address(0x30), address(0x40), address(0x50)]
const keeping: PriceKeeping = {
  ...{ chainId, stablecoins: [], wrappedNative: [], factories: [] },
  ...{ known: true, measures: false, wholeSupplies: true, ofPast: true, intervalMs: 60_000 },
  birth: () => "a00000",
  nodeTime: () => nodeTime,
}
const minuteMs = 60_000

let runtime: ManagedRuntime.ManagedRuntime<Layer.Success<typeof MemoryStore.layer> | PriceSource, never>
let writer: LedgerWriter
let wait: HourWait
let chain: TestChain
/** Of an exchange, by its number: whether it fails. */
let fails: (exchange: number) => boolean
let exchanges: number
/** Of the newest block that the node announced. */
let nodeTime: number | undefined
/** Whether swaps have a price of every token that they know. */
let bySwaps: boolean

/** The API knows one token; swaps, asked first, may know two. */
const source = Layer.effect(
  PriceSource,
  Effect.gen(function* () {
    const http = yield* makeCoinsApi({ url: "https://coins.example", restMs: 0 })
    return inOrder([
      {
        find: ({ tokens }) =>
          Effect.succeed({
            quotes: new Map(
              tokens.flatMap((token) =>
                token === swapped || (bySwaps && token === coin) ? [[token, { price: 7n }] as const] : [],
              ),
            ),
            silent: new Set(),
          }),
      },
      http,
    ])
  }),
)
const documents = Layer.succeed(WebDocuments, {
  get: ({ url }) =>
    Effect.suspend(() => {
      if (fails(++exchanges)) return Effect.fail(new DocumentUnavailable({ message: "502" }))
      const timestamp = Number(/historical\/(\d+)/u.exec(url)?.[1] ?? (start + length) * 3600)
      const coins = { [`ethereum:${coin}`]: { price: 3, timestamp, confidence: 1 } }
      return Effect.succeed({ text: JSON.stringify({ coins }) })
    }),
} as WebDocuments["Service"])

beforeEach(async () => {
  ;[wait, exchanges, bySwaps, fails] = [{}, 0, false, () => false]
  const scope = Effect.runSync(Scope.make())
  runtime = ManagedRuntime.make(
    source.pipe(
      Layer.provide(documents),
      Layer.provideMerge(MemoryStore.layer),
      Layer.provideMerge(TestClock.layer()),
      Layer.provideMerge(Logger.layer([])),
    ),
  )
  const open = Ledger.use((ledger) => ledger.open(settingsOf({ chainId })))
  writer = await runtime.runPromise(open.pipe(Effect.provideService(Scope.Scope, scope)))
  await runtime.runPromise(TestClock.setTime((start + length) * 3_600_000))
  nodeTime = (start + length) * 3600
  const mints = [coin, swapped].map((token) => transfer(token, address(0), address(9), 5n))
  chain = new TestChain(new Set(), 0, start * 3600).block(mints)
  await grow(start + length)
})
afterEach(() => runtime.dispose())

/** Into that hour, all of it final. */
const grow = async (hour: number) => {
  const from = chain.nextBlock
  chain.block([], { time: hour * 3600 + 1 })
  await runtime.runPromise(writer.append(chain.segment(from === 1 ? 0 : from, from, { finalizedBlock: from })))
}
const look = (changes: Partial<PriceKeeping> = {}) => runtime.runPromise(keepHours({ ...keeping, ...changes }, wait))
const pass = (ms: number) => runtime.runPromise(TestClock.adjust(ms))
const pricedHours = async (token = coin) => {
  const asked = { chainId, token, direction: "asc", page: { limit: 1000 }, count: false } as const
  const { value } = await runtime.runPromise(TokenHistories.use((store) => store.prices(asked)))
  return value.items.map(({ hour }) => hour - start)
}
const hoursLeft = async () => (await runtime.runPromise(TokenPrices.use((store) => store.gaps(chainId)))).hours
const all = Array.from({ length: length + 1 }, (_, hour) => hour)

test("one failure costs no hour its price: that one waits until it is answered, and those behind it wait too", async () => {
  fails = (exchange) => exchange === 6
  expect(await look()).toBe(false)
  expect([await pricedHours(), exchanges]).toEqual([all.slice(-5), 6])
  const left = await hoursLeft()
  // Nothing is asked while the source rests, whoever it failed, and nothing recorded.
  expect(await look()).toBe(false)
  expect([await hoursLeft(), exchanges]).toEqual([left, 6])
  await pass(minuteMs)
  while (await look());
  expect([await pricedHours(), await hoursLeft()]).toEqual([all, 0])
})

test("an hour that becomes final while the source rests waits for it", async () => {
  while (await look());
  const head = start + length
  fails = () => true
  await pass(3_600_000)
  await grow(head + 1)
  expect(await look()).toBe(false)
  await pass(minuteMs)
  fails = () => false
  expect(await look()).toBe(false)
  expect((await pricedHours()).at(-1)).toBe(length + 1)
})

for (const [measures, longestMs] of [
  [false, longestHourWaitMs.alone],
  [true, longestHourWaitMs.besideSwaps],
] as const)
  test(`a source that is down for good is waited for once: ${longestMs / 3_600_000} h ${measures ? "beside swaps" : "where it is the only one"}; then one hour goes by a look`, async () => {
    fails = () => true
    const next = () => runtime.runPromise(TokenPrices.use((store) => store.nextHour(chainId)))
    for (let passed = 0; passed <= longestMs; passed += 10 * minuteMs) {
      expect([await look({ measures }), await next()]).toEqual([false, start + length])
      await pass(10 * minuteMs)
    }
    expect([await look({ measures }), await next()]).toEqual([false, start + length + 1])
    const left = await hoursLeft()
    for (let looks = 1; looks < 4; looks++) {
      await pass(minuteMs)
      expect([await look({ measures }), await hoursLeft()]).toEqual([false, left - looks])
    }
    // What swaps say of such hours is recorded.
    expect([await pricedHours(swapped), await pricedHours()]).toEqual([all.slice(-4), []])
    // It is back, and the next silence is waited for anew.
    fails = () => false
    await pass(10 * minuteMs)
    const before = exchanges
    fails = (exchange) => exchange === before + 3
    expect([await look({ measures }), await pricedHours()]).toEqual([false, all.slice(-6, -4)])
    await pass(minuteMs)
    while (await look({ measures }));
    expect(await pricedHours()).toEqual(all.slice(0, -4))
  })

test("no hour waits whose tokens swaps price", async () => {
  fails = () => true
  bySwaps = true
  while (await look({ measures: true }));
  expect([await pricedHours(), exchanges]).toEqual([all, 0])
})

test("no hour waits of which the source is not asked, being too long ago; nor does it end a wait", async () => {
  fails = () => true
  await look()
  const { since } = wait
  nodeTime! += 8 * 86_400
  while (await look());
  expect([await pricedHours(swapped), await hoursLeft(), wait.since]).toEqual([all, 0, since])
})

test("no hour waits for a token that the source does not know", async () => {
  const from = chain.nextBlock
  chain.block([transfer(unknown, address(0), address(9), 5n)], { time: (start + length) * 3600 + 1 })
  await runtime.runPromise(writer.append(chain.segment(from, from, { finalizedBlock: from })))
  while (await look());
  expect([await pricedHours(), await pricedHours(unknown), await hoursLeft()]).toEqual([all, [], 0])
})

test("hours that the chain has just made wait for the source, however far ahead the clock is", async () => {
  await runtime.runPromise(TestClock.setTime((start + length + 8 * 24) * 3_600_000))
  fails = () => true
  expect([await look(), await pricedHours(swapped)]).toEqual([false, []])
  fails = () => false
  await pass(minuteMs)
  while (await look());
  expect([await pricedHours(), await hoursLeft()]).toEqual([all, 0])
})

test("nothing is asked until the node has told where the chain is, and then at once", async () => {
  nodeTime = undefined
  expect([await look(), await pricedHours(swapped)]).toEqual([false, []])
  const keeper = runtime.runFork(keepPrices(keeping, Semaphore.makeUnsafe(1)))
  await pass(minuteMs)
  const priced = await runtime.runPromise(TokenPrices.use((store) => store.listPriced(chainId, 10)))
  expect([await pricedHours(swapped), priced, exchanges]).toEqual([[], [], 0])
  nodeTime = (start + length) * 3600
  await pass(1000)
  expect((await pricedHours()).at(-1)).toBe(length)
  keeper.interruptUnsafe()
})
