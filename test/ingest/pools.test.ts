/** The pool finder: what it remembers, and that forgetting never turns a pool into none. */
import { describe, expect, test } from "bun:test"
import { Deferred, Effect, Fiber } from "effect"
import { makePoolFinder, type PoolFinder, type PoolTokens } from "../../src/domain/ingest/pools/PoolFinder.ts"
import type { SwapMovement } from "../../src/model/event.ts"
import { managedPool, type PoolKey } from "../../src/model/poolKey.ts"
import { type Address, ChainId } from "../../src/model/primitives.ts"
import { type SourceUnavailable, SourceUnavailable as Unavailable } from "../../src/ports/ChainSource.ts"
import { Pools } from "../../src/ports/Pools.ts"
import { address, hash } from "../support/chain/testChain.ts"

const [gold, dollar, manager] = [address(0x70), address(0x71), address(0x4a)]
const at = { block: 9 }
const swapAt = (pool: PoolKey, blockNumber = 1): SwapMovement => ({
  pool,
  blockNumber,
  logIndex: 0,
  time: 1000 + blockNumber,
  txHash: hash("tx"),
  paid0: true,
  paid: 1n,
  got: 1n,
})
const tokensOf = (pool: Address): PoolTokens => ({ pool, token0: gold, token1: dollar, decimals0: 18, decimals1: 6 })

/** A finder over pools that answer so; the addresses of each question. */
const withFinder = <Value, Failure>(
  story: (finder: PoolFinder, asked: Array<ReadonlyArray<string>>) => Effect.Effect<Value, Failure>,
  answer: (pools: ReadonlyArray<Address>) => Effect.Effect<ReadonlyArray<PoolTokens | undefined>, SourceUnavailable> = (
    pools,
  ) => Effect.succeed(pools.map(tokensOf)),
) => {
  const asked: Array<ReadonlyArray<string>> = []
  const layer = Pools.of({
    describe: (_, pools) => {
      asked.push(pools)
      return answer(pools)
    },
    decimals: (_, tokens) => {
      asked.push(tokens)
      return Effect.succeed(tokens.map((token) => (token === dollar ? 6 : 18)))
    },
  })
  return Effect.runPromise(
    Effect.gen(function* () {
      return yield* story(yield* makePoolFinder(ChainId.make("1")), asked)
    }).pipe(Effect.provideService(Pools, layer)),
  )
}

describe("the finder", () => {
  test("asks of each contract once, and gives its facts with every lot of swaps", async () => {
    const [one, two] = [address(1), address(2)]
    await withFinder((finder, asked) =>
      Effect.gen(function* () {
        const first = [swapAt(one, 3), swapAt(one, 4), swapAt(two, 5)]
        expect(yield* finder.find(first, [], at)).toEqual({
          swaps: first,
          pools: [
            { ...tokensOf(one), since: 3 },
            { ...tokensOf(two), since: 5 },
          ],
          unknownPool: 0,
        })
        expect(yield* finder.find([swapAt(two, 9)], [], at)).toEqual({
          swaps: [swapAt(two, 9)],
          pools: [{ ...tokensOf(two), since: 9 }],
          unknownPool: 0,
        })
        expect(asked).toEqual([[one, two]])
      }),
    )
  })

  test("leaves out and counts the swaps of what is no pool, and remembers that it is none", async () => {
    const [pool, none] = [address(1), address(2)]
    await withFinder(
      (finder, asked) =>
        Effect.gen(function* () {
          const swaps = [swapAt(none), swapAt(pool), swapAt(none)]
          for (let turn = 0; turn < 2; turn++) {
            expect(yield* finder.find(swaps, [], at)).toMatchObject({ swaps: [swapAt(pool)], unknownPool: 2 })
          }
          expect(asked).toEqual([[none, pool]])
        }),
      (pools) => Effect.succeed(pools.map((each) => (each === pool ? tokensOf(each) : undefined))),
    )
  })

  test("leaves a manager's pools to the ledger, and tells what their Initialize and their tokens say", async () => {
    const pool = managedPool(manager, hash("pool"))
    const initialized = { pool, token0: address(0), token1: dollar, blockNumber: 7 }
    await withFinder((finder, asked) =>
      Effect.gen(function* () {
        expect(yield* finder.find([swapAt(pool, 8)], [initialized], at)).toEqual({
          swaps: [swapAt(pool, 8)],
          pools: [
            {
              pool,
              token0: address(0),
              token1: dollar,
              decimals0: 18,
              decimals1: 6,
              factory: manager,
              since: 7,
            },
          ],
          unknownPool: 0,
        })
        expect(asked).toEqual([[address(0), dollar]])
      }),
    )
  })

  test("remembers no answer that did not come", async () => {
    let failures = 1
    await withFinder(
      (finder, asked) =>
        Effect.gen(function* () {
          const failed = yield* Effect.flip(finder.find([swapAt(address(1))], [], at))
          expect(failed._tag).toBe("SourceUnavailable")
          expect((yield* finder.find([swapAt(address(1))], [], at)).unknownPool).toBe(0)
          expect(asked.length).toBe(2)
        }),
      (pools) =>
        failures-- > 0 ? Effect.fail(new Unavailable({ message: "tired" })) : Effect.succeed(pools.map(tokensOf)),
    )
  })

  test("that is told to forget while a question is under way asks anew, and the question ends as it began", async () => {
    const gate = Deferred.makeUnsafe<void>()
    let old = true
    await withFinder(
      (finder, asked) =>
        Effect.gen(function* () {
          yield* finder.find([swapAt(address(9))], [], at)
          const question = yield* Effect.forkChild(finder.find([swapAt(address(9)), swapAt(address(1))], [], at))
          while (asked.length < 2) yield* Effect.yieldNow
          finder.forget()
          old = false
          yield* Deferred.succeed(gate, undefined)
          expect((yield* Fiber.join(question)).swaps.length).toBe(2)
          const { pools } = yield* finder.find([swapAt(address(1))], [], at)
          expect(pools).toEqual([{ ...tokensOf(address(1)), decimals0: 0, since: 1 }])
        }),
      (pools) => {
        const told = pools.map((pool) => ({ ...tokensOf(pool), decimals0: old ? 18 : 0 }))
        return pools.includes(address(1)) && old ? Effect.as(Deferred.await(gate), told) : Effect.succeed(told)
      },
    )
  })

  test("asks once where several want to know at the same time, and a question that is given up is asked by who waits", async () => {
    const gate = Deferred.makeUnsafe<void>()
    const [one, two] = [address(1), address(2)]
    await withFinder(
      (finder, asked) =>
        Effect.gen(function* () {
          const given = yield* Effect.forkChild(finder.find([swapAt(one)], [], at))
          while (asked.length < 1) yield* Effect.yieldNow
          const waiting = yield* Effect.forkChild(finder.find([swapAt(two), swapAt(one)], [], at))
          while (asked.length < 2) yield* Effect.yieldNow
          expect(asked).toEqual([[one], [two]])
          yield* Fiber.interrupt(given)
          yield* Deferred.succeed(gate, undefined)
          const failed = yield* Effect.flip(Fiber.join(waiting))
          expect(failed.message).toBe("a question to contracts was given up")
          expect((yield* finder.find([swapAt(two), swapAt(one)], [], at)).unknownPool).toBe(0)
          expect(asked).toEqual([[one], [two], [one]])
          const both = yield* Effect.all(
            [3, 4, 3, 5].map((number) => finder.find([swapAt(address(number)), swapAt(address(3))], [], at)),
            { concurrency: "unbounded" },
          )
          expect(both.map(({ pools }) => pools.length)).toEqual([1, 2, 1, 2])
          expect(asked.slice(3)).toEqual([[address(3)], [address(4)], [address(5)]])
        }),
      (pools) => Effect.as(Deferred.await(gate), pools.map(tokensOf)),
    )
  })

  test("that has met more pools than it remembers loses none of those it is asked about", async () => {
    await withFinder((finder, asked) =>
      Effect.gen(function* () {
        for (let lot = 0; lot < 13; lot++) {
          const swaps = Array.from({ length: 10_000 }, (_, index) => swapAt(address(1 + lot * 10_000 + index)))
          const found = yield* finder.find([swapAt(address(1)), ...swaps], [], at)
          expect([found.unknownPool, found.pools.length]).toEqual([0, lot === 0 ? 10_000 : 10_001])
        }
        expect(asked.flat().filter((each) => each === address(1)).length).toBe(2)
      }),
    )
  })
})
