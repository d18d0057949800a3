/** The Ledger port's contract of swaps: which are stored, when pools begin, and how blocks take both back. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { managedPool } from "../../../src/model/poolKey.ts"
import type { ChainId } from "../../../src/model/primitives.ts"
import { Ledger } from "../../../src/ports/Ledger.ts"
import { SwapStore } from "../../../src/ports/SwapStore.ts"
import { managedSwap, swap, type TestChain, transfer } from "../../support/chain/testChain.ts"
import { contentOf } from "../content.ts"
import { freshChainId, type MakeStore, openStore, seed, settingsOf, type TestStore } from "../store.ts"
import {
  coin,
  factsOf,
  idOf,
  initialized,
  manager,
  native,
  noPool,
  pools,
  swapAt,
  swapChain,
  unknownId,
  usd,
  weth,
} from "../worlds/swaps.truth.ts"

const [pair] = pools as [(typeof pools)[number]]
const managed = pools.find(({ pool }) => pool.startsWith(manager))!
const bought = { paid0: true, paid: 100n, got: 7n }
const sold = { paid0: false, paid: 9n, got: 2n ** 200n }

export const swapLedgerContract = (name: string, makeStore: MakeStore) =>
  describe(`Swaps in the ledger on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const settings = { poolManagers: [manager] }
    const begin = async (chain: TestChain) => {
      const chainId = freshChainId()
      const writer = await store.open({ chainId, ...settings })
      return { chain, chainId, writer }
    }
    /** [what was paid, what was got, how much of each] */
    const swapsIn = async (chainId: ChainId) => {
      const { value } = await store.run(
        SwapStore.use((s) =>
          s.list({ chains: [chainId], filter: {}, direction: "asc", page: { limit: 1000 }, count: true }),
        ),
      )
      expect(value.count).toEqual({ count: value.items.length, countType: "exact" })
      return value.items.map((it) => [it.tokenIn, it.tokenOut, BigInt(it.tokenInQty), BigInt(it.tokenOutQty)] as const)
    }
    const refusal = (effect: Effect.Effect<unknown, { readonly _tag: string }>) =>
      store.run(Effect.flip(effect)).then((error) => error._tag)

    test("a swap is what was paid for what was got, by the tokens that the pool tells", async () => {
      const chain = swapChain().block([
        initialized(managed),
        swapAt(pair.pool, bought),
        swapAt(pair.pool, sold),
        swapAt(managed.pool, bought),
        swapAt(managed.pool, sold),
      ])
      expect(await swapsIn(await seed(store, chain))).toEqual([
        [usd, weth, 100n, 7n],
        [weth, usd, 9n, 2n ** 200n],
        [native, usd, 100n, 7n],
        [usd, native, 9n, 2n ** 200n],
      ])
    })

    test("swaps at what is no pool, in pools never initialized, and before their pool's first are left out", async () => {
      const events = [swap(noPool, bought), managedSwap(manager, unknownId, bought), swapAt(managed.pool, bought)]
      const chain = swapChain()
        .block(events)
        .block([...events, initialized(managed), swapAt(managed.pool, sold)])
        .block(events)
      const whole = await seed(store, chain)
      const { chainId, writer } = await begin(chain)
      for (const block of [0, 1, 2]) await store.run(writer.append(chain.segment(block, block)))
      const wanted = [
        [native, usd, 100n, 7n],
        [usd, native, 9n, 2n ** 200n],
        [native, usd, 100n, 7n],
      ] as const
      expect([await swapsIn(whole), await swapsIn(chainId)]).toEqual([[...wanted], [...wanted]])
    })

    test("an append says how many swaps it left out beside those its segment counts, also one that is open or discarded", async () => {
      const unknown = managedSwap(manager, unknownId, bought)
      const { chain, writer } = await begin(
        swapChain()
          .block([unknown, swapAt(pair.pool, bought), swapAt(managed.pool, bought)])
          .block([unknown, initialized(managed), swapAt(managed.pool, bought)])
          .block([swapAt(managed.pool, sold), unknown, unknown, unknown]),
      )
      const extend = (block: number) =>
        store.run(writer.extend(chain.segment(block, block, { counts: { malformed: 5, unknownPool: 7 } })))
      const unknownPool: Array<number> = []
      unknownPool.push((await extend(0)).unknownPool, (await extend(1)).unknownPool)
      await store.run(writer.discard)
      unknownPool.push((await store.run(writer.append(chain.segment(0, 1)))).unknownPool, (await extend(2)).unknownPool)
      expect(unknownPool).toEqual([2, 1, 3, 3])
    })

    test("a pool that was told once is known for ever; the first that was told of it counts", async () => {
      const { chain, chainId, writer } = await begin(
        swapChain()
          .block([swapAt(pair.pool, bought), initialized(managed)])
          .block([swapAt(pair.pool, bought), swapAt(managed.pool, bought)])
          .block([swapAt(pair.pool, sold), swapAt(managed.pool, sold)]),
      )
      await store.run(writer.append(chain.segment(0, 0)))
      await store.run(writer.append(chain.segment(1, 1, { pools: [] })))
      const other = { ...factsOf(pair.pool, coin, native), since: 2 }
      await store.run(writer.append(chain.segment(2, 2, { pools: [other] })))
      expect(await swapsIn(chainId)).toEqual([
        [usd, weth, 100n, 7n],
        [usd, weth, 100n, 7n],
        [native, usd, 100n, 7n],
        [weth, usd, 9n, 2n ** 200n],
        [usd, native, 9n, 2n ** 200n],
      ])
    })

    test("a rollback takes swaps back, and the pools that began with them; what is told anew is what counts then", async () => {
      const { chain, chainId, writer } = await begin(
        swapChain()
          .block([swapAt(pair.pool, bought)])
          .block([swapAt(pair.pool, sold), initialized(managed), swapAt(managed.pool, sold)])
          .block([swapAt(pools[2]!.pool, sold), transfer(usd, usd, weth, 1n)]),
      )
      await store.run(writer.append(chain.segment(0, 0)))
      const before = await contentOf(store, chainId, chain)
      await store.run(writer.append(chain.segment(1)))
      await store.run(writer.rollback(1))
      expect(await contentOf(store, chainId, chain)).toEqual(before)

      // Another fork: the V4 pool is initialized later, another pool stands where one was.
      chain.truncate(1)
      chain.pools.set(pools[2]!.pool, factsOf(pools[2]!.pool, coin, native))
      chain
        .block([swapAt(managed.pool, bought), swapAt(pools[2]!.pool, sold)], { salt: "b" })
        .block([initialized(managed), swapAt(managed.pool, bought), swapAt(pair.pool, sold)], { salt: "b" })
      await store.run(writer.append(chain.segment(1)))
      expect(await swapsIn(chainId)).toEqual([
        [usd, weth, 100n, 7n],
        [native, coin, 9n, 2n ** 200n],
        [native, usd, 100n, 7n],
        [weth, usd, 9n, 2n ** 200n],
      ])
    })

    test("nobody sees the swaps of an open append before its commit; those of a discarded one are gone with their pools", async () => {
      const { chain, chainId, writer } = await begin(
        swapChain()
          .block([initialized(managed)])
          .block([swapAt(managed.pool, bought), swapAt(pair.pool, bought)])
          .block([swapAt(managed.pool, sold)]),
      )
      await store.run(writer.extend(chain.segment(0, 1)))
      expect(await swapsIn(chainId)).toEqual([])
      await store.run(writer.discard)
      await store.run(writer.extend(chain.segment(0, 1, { pools: [] })))
      await store.run(writer.extend(chain.segment(2)))
      await store.run(writer.commit)
      expect(await swapsIn(chainId)).toEqual([])
      await store.run(writer.rollback(0))
      for (const block of [0, 1, 2]) await store.run(writer.extend(chain.segment(block, block)))
      expect(await swapsIn(chainId)).toEqual([])
      await store.run(writer.commit)
      expect(await swapsIn(chainId)).toEqual([
        [native, usd, 100n, 7n],
        [usd, weth, 100n, 7n],
        [usd, native, 9n, 2n ** 200n],
      ])
    })

    test("swaps out of order, of another block, or of a log that is something else are refused", async () => {
      const { chain, writer } = await begin(
        swapChain()
          .block([swapAt(pair.pool, bought), swapAt(pair.pool, sold)])
          .block([transfer(usd, usd, weth, 1n)]),
      )
      const segment = chain.segment(0, 0)
      const [first, second] = segment.swaps
      const [moved] = chain.segment(1, 1).movements
      for (const wrong of [
        { ...segment, swaps: [second!, first!] },
        { ...segment, swaps: [first!, first!] },
        { ...segment, swaps: [{ ...first!, blockNumber: 1 }] },
        { ...segment, swaps: [{ ...first!, logIndex: 2 ** 24 }] },
        { ...segment, movements: [{ ...moved!, ...first! }] },
      ]) {
        expect(await refusal(writer.append(wrong))).toBe("SegmentRefused")
      }
      await store.run(writer.append(segment))
    })

    test("a chain stored without swaps, or with other pool managers, is refused", async () => {
      const chainId = freshChainId()
      const open = (other: object) =>
        Effect.scoped(Ledger.use((ledger) => ledger.open({ ...settingsOf({ chainId, ...settings }), ...other })))
      await store.run(open({}))
      for (const other of [{ swaps: false }, { poolManagers: [] }, { poolManagers: [manager, usd] }]) {
        expect(await refusal(open(other) as Effect.Effect<unknown, never>)).toBe("LedgerRefused")
      }
      await store.run(open({}))
    })

    test("two pools of one id, at different managers, are two", async () => {
      const elsewhere = coin
      const chain = swapChain([...pools, factsOf(managedPool(elsewhere, idOf(1)), weth, coin)])
      const moved = chain.block([initialized(managed), swapAt(managed.pool, bought)]).segment(0)
      const other = { ...moved.swaps[0]!, pool: managedPool(elsewhere, idOf(1)), logIndex: 7 }
      const chainId = freshChainId()
      const writer = await store.open({ chainId, ...settings })
      const facts = { ...factsOf(other.pool, weth, coin), since: 0 }
      await store.run(writer.append({ ...moved, swaps: [...moved.swaps, other], pools: [...moved.pools, facts] }))
      expect(await swapsIn(chainId)).toEqual([
        [native, usd, 100n, 7n],
        [weth, coin, 100n, 7n],
      ])
    })
  })
