/** A native supply over time: cached with its block, the same while its source fails, and after a restart. */
import { beforeEach, expect, test } from "bun:test"
import { Effect, Fiber, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryKeptCopies from "../../src/adapters/memory/MemoryKeptCopies.ts"
import * as MemorySyncStatus from "../../src/adapters/memory/MemorySyncStatus.ts"
import * as ConfiguredSupply from "../../src/adapters/supply/ConfiguredSupply.ts"
import { ChainId, dateTimeOf } from "../../src/model/primitives.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { Freshness } from "../../src/ports/Freshness.ts"
import { KeptCopies } from "../../src/ports/KeptCopies.ts"
import { NativeBalances } from "../../src/ports/NativeBalances.ts"
import { NativeSupplySource } from "../../src/ports/NativeSupplySource.ts"
import { type Chain, Networks } from "../../src/ports/Networks.ts"
import { DocumentUnavailable, WebDocuments } from "../../src/ports/WebDocuments.ts"
import { address, hash } from "../support/chain/testChain.ts"

const ethereum = ChainId.make("1")
const totalUrl = "https://supply.test/secretkey123"
type SuppliedChain = Pick<Chain, "chainId" | "nativeCurrency" | "supply">
const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 }
const published: SuppliedChain = {
  chainId: ethereum,
  nativeCurrency,
  supply: { kind: "http", totalUrl, burnt: [address(1)] },
}

let block: number
/** Blocks that the ledger is behind its node. */
let lag: number
/** What the source and the node say. */
let answer: () => Effect.Effect<string, DocumentUnavailable>
let balance: () => Effect.Effect<bigint, SourceUnavailable>
let asked: number
let logs: Array<string>
beforeEach(() => {
  block = 100
  lag = 0
  asked = 0
  logs = []
  told = []
  answer = () => Effect.succeed("10")
  balance = () => Effect.succeed(0n)
})
const fails = () => Effect.fail(new DocumentUnavailable({ message: "https://supply.test: HTTP 500" }))

/** Chains as the processes that follow them tell of them. */
let told: ReadonlyArray<Chain>

const world = Layer.mergeAll(
  MemorySyncStatus.layer([]),
  Layer.succeed(Networks, {
    get chains() {
      return told
    },
  }),
  Layer.succeed(WebDocuments, {
    get: () =>
      Effect.suspend(() => {
        asked++
        return Effect.map(answer(), (text) => ({ text }))
      }),
  }),
  Layer.succeed(NativeBalances, { of: (_, addresses) => Effect.forEach(addresses, () => balance()) }),
  Layer.succeed(Freshness, {
    newest: () => Effect.undefined,
    touched: () => Effect.undefined,
    asOf: (chains) =>
      Effect.sync(() =>
        chains.flatMap((chainId) =>
          block < 0
            ? []
            : [
                {
                  chainId,
                  blockNumber: block,
                  hash: hash("head"),
                  time: 12 * block,
                  finality: "latest",
                  nodeHead: block + lag,
                  firstBlock: 0,
                  revision: 0,
                  figures: 0,
                  rewrites: 0,
                } as const,
              ],
        ),
      ),
  }),
)
const supplyAt = (number: number, figure: string) => ({
  chainId: ethereum,
  symbol: "ETH",
  totalSupply: figure,
  circulatingSupply: figure,
  blockNumber: number,
  timestamp: dateTimeOf(12 * number),
})

const find = NativeSupplySource.use((source) => source.find(ethereum))
/** Starts of the service one after the other, over one store. */
const starts = <A>(
  chains: ReadonlyArray<SuppliedChain>,
  ...runs: ReadonlyArray<Effect.Effect<A, unknown, NativeSupplySource>>
): Promise<ReadonlyArray<A>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const copies = Layer.succeed(KeptCopies, yield* KeptCopies)
      return yield* Effect.forEach(runs, (run) =>
        run.pipe(Effect.provide(ConfiguredSupply.layer(chains).pipe(Layer.provide([world, copies])))),
      )
    }).pipe(
      Effect.provide([
        MemoryKeptCopies.layer,
        TestClock.layer(),
        Logger.layer([Logger.make(({ message }) => logs.push(String(message)))]),
      ]),
    ),
  )

test("an answer is good for a minute, as of its own block; then the source is asked again", async () => {
  const [seen] = await starts(
    [published],
    Effect.gen(function* () {
      const first = yield* find
      block = 101
      yield* TestClock.adjust(59_000)
      const cached = yield* find
      const times = asked
      answer = () => Effect.succeed("11")
      yield* TestClock.adjust(1000)
      return [first, cached, times, yield* find]
    }),
  )
  expect(seen).toEqual([
    { supply: supplyAt(100, "10"), ageSeconds: 0 },
    { supply: supplyAt(100, "10"), ageSeconds: 59 },
    1,
    { supply: supplyAt(101, "11"), ageSeconds: 0 },
  ])
})

test("the last good answer stands while the source or the node fails, says how old it is, and the log says why", async () => {
  const [seen] = await starts(
    [published],
    Effect.gen(function* () {
      yield* find
      block = 500
      answer = fails
      yield* TestClock.adjust(3_600_000)
      const meanwhile = yield* find
      const times = asked
      const again = yield* find
      expect(asked).toBe(times)
      answer = () => Effect.succeed("12")
      balance = () => Effect.fail(new SourceUnavailable({ message: "http://node.test: eth_getBalance: pruned" }))
      yield* TestClock.adjust(30_000)
      const pruned = yield* find
      answer = () => Effect.succeed("<html>")
      yield* TestClock.adjust(30_000)
      const page = yield* find
      answer = () => Effect.succeed("12")
      balance = () => Effect.succeed(2n)
      yield* TestClock.adjust(30_000)
      return [meanwhile, again, pruned, page, yield* find]
    }),
  )
  const old = (ageSeconds: number) => ({ supply: supplyAt(100, "10"), ageSeconds })
  expect(seen).toEqual([
    old(3600),
    old(3600),
    old(3630),
    old(3660),
    { supply: supplyAt(500, "11.999999999999999998"), ageSeconds: 0 },
  ])
  const said = (reason: string) => `chain 1: the native supply is not known (${reason}); the one of block 100 stays`
  expect(logs).toEqual([
    said("https://supply.test: HTTP 500"),
    said("http://node.test: eth_getBalance: pruned"),
    said("https://supply.test: it is no number"),
  ])
})

test("it stands after a restart too, unless the settings are others", async () => {
  const seen = await starts(
    [published],
    Effect.tap(find, () => TestClock.adjust(600_000)),
    Effect.suspend(() => {
      answer = fails
      return find
    }),
  )
  expect(seen.map((it) => it?.ageSeconds)).toEqual([0, 600])
  const changed: SuppliedChain = { ...published, supply: { kind: "http", totalUrl } }
  const outcome = await Effect.runPromise(
    Effect.gen(function* () {
      const copies = Layer.succeed(KeptCopies, yield* KeptCopies)
      const over = (chain: SuppliedChain) =>
        Effect.result(find).pipe(Effect.provide(ConfiguredSupply.layer([chain]).pipe(Layer.provide([world, copies]))))
      answer = () => Effect.succeed("10")
      const first = yield* over(published)
      answer = fails
      return [first, yield* over(changed)]
    }).pipe(Effect.provide([MemoryKeptCopies.layer, Logger.layer([])])),
  )
  expect(outcome.map(Result.isSuccess)).toEqual([true, false])
})

test("a source that never answered is told as such, and left alone for half a minute", async () => {
  answer = fails
  const [seen] = await starts(
    [published],
    Effect.gen(function* () {
      const first = yield* Effect.flip(find)
      const again = yield* Effect.flip(find)
      const times = asked
      answer = () => Effect.succeed("10")
      yield* TestClock.adjust(30_000)
      return [first, again, times, yield* find]
    }),
  )
  const unavailable = expect.objectContaining({
    _tag: "SupplyUnavailable",
    message: "the source of the native supply of chain 1 gives no answer at the moment, try again shortly",
  })
  expect(seen).toEqual([unavailable, unavailable, 1, { supply: supplyAt(100, "10"), ageSeconds: 0 }])
})

test("no indexed block, no answer", async () => {
  block = -1
  const [failure] = await starts([published], Effect.flip(find))
  expect(failure).toMatchObject({ _tag: "SupplyUnavailable" })
  expect(logs).toEqual(["chain 1: the native supply is not known (no block is indexed yet); there is no answer"])
})

test("figures of now and balances do not go with a ledger that is far behind; an issuance does", async () => {
  lag = 101
  const [failure] = await starts([published], Effect.flip(find))
  expect(failure).toMatchObject({ _tag: "SupplyUnavailable" })
  expect(logs).toEqual([
    "chain 1: the native supply is not known (the ledger is 101 blocks behind its chain); there is no answer",
  ])
  const fixed: SuppliedChain = { ...published, supply: { kind: "fixed", total: "10" } }
  expect(await starts([fixed], find)).toEqual([{ supply: supplyAt(100, "10"), ageSeconds: 0 }])
  lag = 100
  expect(await starts([published], find)).toEqual([{ supply: supplyAt(100, "10"), ageSeconds: 0 }])
})

test("nor with a ledger of which nobody knows how far it is behind", async () => {
  const untold = MemorySyncStatus.layer([{ chainId: ethereum, startBlock: 0, maxLag: 10, pollMs: 1000 }])
  const source = ConfiguredSupply.layer([published]).pipe(Layer.provide([world, MemoryKeptCopies.layer, untold]))
  const failure = await Effect.runPromise(
    Effect.flip(find).pipe(
      Effect.provide([source, Logger.layer([Logger.make(({ message }) => logs.push(String(message)))])]),
    ),
  )
  expect(failure).toMatchObject({ _tag: "SupplyUnavailable" })
  expect(logs.join()).toContain("the ledger may be behind its chain: its node has not told its newest block yet")
})

test("a source that hangs holds nobody up for long where there is an answer, and nobody asks it twice at once", async () => {
  const [seen] = await starts(
    [published],
    Effect.gen(function* () {
      yield* find
      yield* TestClock.adjust(120_000)
      answer = () => Effect.never
      const callers = yield* Effect.forkChild(Effect.all([find, find, find], { concurrency: "unbounded" }))
      yield* TestClock.adjust(2000)
      const held = yield* Fiber.join(callers)
      const times = asked
      // It is given up after 25 seconds, and may be asked again half a minute later.
      yield* TestClock.adjust(23_000)
      answer = () => Effect.succeed("11")
      yield* TestClock.adjust(30_000)
      return [held.map((it) => it?.ageSeconds), times, (yield* find)?.supply.totalSupply]
    }),
  )
  expect(seen).toEqual([[122, 122, 122], 2, "11"])
})

test("a chain without a source has none", async () => {
  expect(await starts([{ ...published, chainId: ChainId.make("5") }], find)).toEqual([undefined])
})

test("of a chain that another process follows it is that one's source; its own file comes first", async () => {
  const chain: Chain = { chainId: ethereum, network: "mainnet", ecosystems: [], nativeCurrency }
  told = [{ ...chain, supply: { kind: "fixed", total: "7" } }]
  const [seen] = await starts(
    [{ chainId: ethereum, nativeCurrency }],
    Effect.gen(function* () {
      const first = yield* find
      told = [{ ...chain, supply: { kind: "fixed", total: "8" } }]
      const changed = yield* find
      told = [{ ...chain, supply: { kind: "untold" } }]
      const untold = yield* Effect.flip(find)
      told = [chain]
      return [first, changed, untold, yield* find]
    }),
  )
  const fixed = (total: string) => ({ supply: supplyAt(100, total), ageSeconds: 0 })
  const untold = expect.objectContaining({
    _tag: "SupplyUnavailable",
    message: expect.stringContaining("COWRY_CONFIG"),
  })
  expect(seen).toEqual([fixed("7"), fixed("8"), untold, undefined])
  told = [{ ...chain, supply: { kind: "fixed", total: "7" } }]
  expect(await starts([published], find)).toEqual([fixed("10")])
})

test("without a node an issuance is told; where balances are taken off, that there is no node", async () => {
  balance = () => Effect.fail(new SourceUnavailable({ message: "this process has no node of chain 1", noNode: true }))
  const issued: SuppliedChain = { ...published, supply: { kind: "halving", reward: "2", interval: 60 } }
  expect(await starts([issued], find)).toEqual([{ supply: supplyAt(100, "160"), ageSeconds: 0 }])
  const [failure] = await starts([published], Effect.flip(find))
  expect(failure).toMatchObject({
    _tag: "SupplyUnavailable",
    message: expect.stringMatching(
      /what some addresses hold, which its node tells: this process has no node of chain 1$/,
    ),
  })
})
