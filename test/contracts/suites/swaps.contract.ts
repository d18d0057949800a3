/** The SwapStore port's contract: orders, filters, pages and counts over several chains, against plain sorting of plain rows. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { PageRequest } from "../../../src/model/page.ts"
import { managedPool } from "../../../src/model/poolKey.ts"
import type { Address, ChainId } from "../../../src/model/primitives.ts"
import type { SwapFilter } from "../../../src/model/swap.ts"
import type { FeedKey } from "../../../src/model/transfer.ts"
import { SwapStore } from "../../../src/ports/SwapStore.ts"
import { TokenNotes } from "../../../src/ports/TokenNotes.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { address, nftTransfer, swap, TestChain, transfer } from "../../support/chain/testChain.ts"
import {
  type ContractScope,
  filteredStepsOf,
  freshChainId,
  type MakeStore,
  openStore,
  seed,
  stepsOf,
  type TestStore,
} from "../store.ts"
import { walkBackward, walkForward } from "../walk.ts"
import { finalBlock } from "../worlds/feeds.truth.ts"
import {
  ascending,
  coin,
  idOf,
  initialized,
  manager,
  native,
  passes,
  pools,
  rare,
  swapAt,
  swapChain,
  swapChatter,
  swapsOf,
  usd,
  vouchedFor,
  weth,
} from "../worlds/swaps.truth.ts"

const stranger = address(0xbeef)
/** A time between that of the first block and the last. */
const middle = new TestChain().genesisTime + 30
const fifty = [usd, weth, coin, ...Array.from({ length: 47 }, (_, at) => address(0x9000 + at))]

/** Those under the first heading meet swaps of the chains below. */
const filters: Readonly<Record<"met" | "never met", Readonly<Record<string, SwapFilter>>>> = {
  met: {
    nothing: {},
    "one token": { token: [usd] },
    "a rare token": { token: [rare] },
    "the native currency": { token: [native] },
    "two tokens that are in one pool": { token: [usd, weth] },
    "a token named twice": { token: [coin, coin] },
    "fifty tokens": { token: fifty },
    tokenIn: { tokenIn: [weth] },
    "tokenIn of two": { tokenIn: [coin, native] },
    tokenOut: { tokenOut: [coin] },
    "tokenOut of two": { tokenOut: [usd, rare] },
    "a pair": { tokenIn: [usd], tokenOut: [weth] },
    "the pair the other way round": { tokenIn: [weth], tokenOut: [usd] },
    "pairs of some and the same": { tokenIn: [usd, weth], tokenOut: [usd, weth, coin] },
    "fifty by fifty": { tokenIn: fifty, tokenOut: fifty },
    "a token and what was paid": { token: [usd], tokenIn: [weth] },
    "a token that is what was paid": { token: [usd], tokenIn: [usd] },
    "tokens, of which one was paid": { token: [usd, coin], tokenIn: [usd, weth] },
    "tokens and what was got": { token: [weth, coin], tokenOut: [usd, coin] },
    "times and blocks": { timestampFrom: middle - 12, timestampTo: middle + 4, blockNumberTo: 30 },
    "a pair at times": { tokenIn: [usd], tokenOut: [weth], timestampFrom: middle - 10 },
    "a token in blocks that stay": { token: [usd], finalized: true, blockNumberFrom: 3 },
    "between tokens of lists": { trusted: true },
    "a token against those of lists": { token: [weth], trusted: true },
    "paid among those of lists": { tokenIn: [usd, coin, native], trusted: true },
    "got among those of lists, at times": { tokenOut: [usd, coin], trusted: true, timestampFrom: middle - 10 },
    "a pair of lists": { tokenIn: [usd, coin], tokenOut: [weth, native, usd], trusted: true },
    "all three": { token: [usd], tokenIn: [usd, coin, native], tokenOut: [usd, weth] },
  },
  "never met": {
    "a token nobody knows": { token: [stranger] },
    "a pair without a pool": { tokenIn: [rare], tokenOut: [weth] },
    "one token for another token": { tokenIn: [usd], tokenOut: [usd] },
    "a token that is neither": { token: [rare], tokenIn: [usd], tokenOut: [weth] },
    "no token": { token: [] },
    "a token on no list": { token: [stranger], trusted: true },
    "nothing paid": { tokenIn: [], tokenOut: [usd] },
  },
}

export const swapsContract = (name: string, makeStore: MakeStore, scope: ContractScope) =>
  describe(`Swaps on ${name}`, () => {
    let store: TestStore
    const ids = [freshChainId(), freshChainId(), freshChainId()]
    const chains = [swapChatter(1), swapChatter(2), swapChatter(3)]
    const rows = chains.flatMap((chain, index) => swapsOf(ids[index]!, chain)).sort(ascending)

    beforeAll(async () => {
      store = await openStore(makeStore)
      for (const [index, chain] of chains.entries()) await seed(store, chain, ids[index]!, finalBlock)
      for (const [index, trusted] of vouchedFor.entries()) {
        const notes = trusted.map((token) => ({ address: token, trusted: true, texts: {} }))
        const others = [{ address: coin, trusted: false, texts: { image: "a" } }]
        await store.run(
          TokenNotes.use((port) =>
            port.record(ids[index]!, [...notes, ...others.filter(({ address }) => !trusted.includes(address))]),
          ),
        )
      }
    })
    afterAll(() => store.close())

    const list = (
      chainIds: ReadonlyArray<ChainId>,
      filter: SwapFilter,
      direction: "asc" | "desc",
      page: PageRequest<FeedKey>,
      count = false,
    ) => store.run(SwapStore.use((s) => s.list({ chains: chainIds, filter, direction, page, count })))

    /** Rows with their keys beside them. */
    const feed =
      (chainIds: ReadonlyArray<ChainId>, filter: SwapFilter, direction: "asc" | "desc") =>
      async (page: PageRequest<FeedKey>) => {
        const { asOf, value } = await list(chainIds, filter, direction, page)
        const { items, keys } = value
        return { asOf, value: { ...value, items: items.map((item, index) => ({ item, key: keys[index]! })) } }
      }

    const isWanted = (row: (typeof rows)[number], filter: SwapFilter) =>
      passes(row, filter, vouchedFor[ids.indexOf(row.key.chainId)])
    const wantedOf = (chainIds: ReadonlyArray<string>, filter: SwapFilter) =>
      rows.filter((row) => chainIds.includes(row.key.chainId) && isWanted(row, filter))

    for (const limit of stepsOf(scope, [3, 7, 100, 1000])) {
      test(`all swaps of one and of many chains, walked by ${limit} forward and back, come once in order`, async () => {
        for (const chainIds of [[ids[0]!], ids]) {
          const wanted = wantedOf(chainIds, {})
          for (const [direction, ordered] of [
            ["asc", wanted],
            ["desc", wanted.toReversed()],
          ] as const) {
            expect(await walkForward(feed(chainIds, {}, direction), limit)).toEqual([...ordered])
            expect(await walkBackward(feed(chainIds, {}, direction), limit)).toEqual([...ordered])
          }
        }
      })
    }

    for (const [label, filter] of Object.entries({ ...filters.met, ...filters["never met"] })) {
      test(`swaps filtered by ${label} are those rows, in order, with their count`, async () => {
        for (const chainIds of [[ids[1]!], ids]) {
          const wanted = wantedOf(chainIds, filter)
          const newestFirst = feed(chainIds, filter, "desc")
          for (const limit of filteredStepsOf(scope, [7, 1000], wanted.length)) {
            const rows = await walkForward(newestFirst, limit)
            expect(rows).toEqual(wanted.toReversed())
            const last = rows.at(-1)
            expect(await walkBackward(newestFirst, limit, last && { item: last, key: last.key })).toEqual(rows)
          }
          for (const limit of filteredStepsOf(scope, [23], wanted.length))
            expect(await walkForward(feed(chainIds, filter, "asc"), limit)).toEqual([...wanted])
          const { value } = await list(chainIds, filter, "desc", { limit: 1 }, true)
          expect(value.count).toEqual({ count: wanted.length, countType: "exact" })
        }
      })
    }

    test("pages of one swap, forward and back, give each once", async () => {
      const filter = { tokenIn: [coin, native] }
      const wanted = wantedOf([ids[2]!], filter)
      expect(await walkForward(feed([ids[2]!], filter, "desc"), 1)).toEqual(wanted.toReversed())
      expect(await walkBackward(feed([ids[2]!], filter, "asc"), 1)).toEqual([...wanted])
    })

    test("the filters meet swaps, but those that name what never met", () => {
      const met = Object.values(filters.met).map((filter) => wantedOf(ids, filter).length > 0)
      const never = Object.values(filters["never met"]).map((filter) => wantedOf(ids, filter).length > 0)
      expect([new Set(met), new Set(never)]).toEqual([new Set([true]), new Set([false])])
    })

    test("whatever the filters name together, a page is the rows that pass", async () => {
      const some = fc.option(fc.subarray([usd, weth, coin, native, rare, stranger]), { nil: undefined })
      await fc.assert(
        fc.asyncProperty(
          some,
          some,
          some,
          fc.boolean(),
          fc.nat(rows.length - 1),
          async (token, tokenIn, tokenOut, trusted, at) => {
            const filter = {
              ...(token === undefined ? {} : { token }),
              ...(tokenIn === undefined ? {} : { tokenIn }),
              ...(tokenOut === undefined ? {} : { tokenOut }),
              ...(trusted ? { trusted: true as const } : {}),
            }
            const { key } = rows[at]!
            const { value } = await list(ids, filter, "asc", { limit: 9, after: key }, true)
            const wanted = rows.slice(at + 1).filter((row) => isWanted(row, filter))
            expect(value.keys).toEqual(wanted.slice(0, 9).map((row) => row.key))
            expect(value.items).toEqual(wanted.slice(0, 9).map((row) => row.item))
            expect(value.hasMore).toBe(wanted.length > 9)
            expect(value.count).toEqual({ count: wantedOf(ids, filter).length, countType: "exact" })
          },
        ),
        { numRuns: 40 },
      )
    })

    test("the count of all swaps is exact; with a filter it stops at 10,000", async () => {
      const [first, second] = pools.map(({ pool }) => pool) as [Address, Address]
      const sides = { paid0: true, paid: 5n, got: 3n }
      const chain = swapChain()
        .block(Array.from({ length: 10_000 }, () => swap(first, sides)))
        .block([swap(second, sides)])
      const chainId = await seed(store, chain)
      const countOf = async (filter: SwapFilter) =>
        (await list([chainId], filter, "desc", { limit: 1 }, true)).value.count
      const exact = (count: number) => ({ count, countType: "exact" as const })
      const capped = { count: 10_000, countType: "lowerBound" as const }
      expect(await countOf({})).toEqual(exact(10_001))
      expect(await countOf({ token: [usd] })).toEqual(capped)
      expect(await countOf({ token: [usd, weth] })).toEqual(capped)
      expect(await countOf({ tokenIn: [usd] })).toEqual(exact(10_000))
      expect(await countOf({ tokenIn: [usd, weth], tokenOut: [weth, usd] })).toEqual(capped)
      expect(await countOf({ tokenOut: [usd] })).toEqual(exact(1))
    })

    test("of more tokens of lists than are looked up in pairs, those between two of them", async () => {
      const listed = Array.from({ length: 70 }, (_, at) => address(0x9100 + at))
      const spam = Array.from({ length: 5 }, (_, at) => address(0x9200 + at))
      // Each in one pool, against the next, a spam token or the native currency.
      const facts = listed.map((token, at) => {
        const other = at % 3 === 0 ? spam[at % 5]! : at % 3 === 1 ? listed[(at + 1) % 70]! : native
        return { ...{ pool: address(0x9300 + at), token0: token, token1: other }, decimals0: 0, decimals1: 0 }
      })
      const chain = swapChain(facts)
      for (let block = 0; block < 40; block++) {
        const of = Array.from({ length: 5 }, (_, place) => facts[(block * 7 + place * 11) % 70]!)
        chain.block(of.map(({ pool }, place) => swap(pool, { paid0: (block + place) % 2 === 0, paid: 5n, got: 3n })))
      }
      const chainId = await seed(store, chain)
      const notes = listed.map((token) => ({ address: token, trusted: true, texts: {} }))
      await store.run(TokenNotes.use((port) => port.record(chainId, notes)))
      const asked: ReadonlyArray<SwapFilter> = [
        { trusted: true },
        { trusted: true, token: [listed[1]!, listed[4]!, spam[0]!] },
        { trusted: true, tokenIn: [listed[2]!, listed[5]!, native] },
        { trusted: true, tokenOut: [native] },
      ]
      for (const filter of asked) {
        const wanted = swapsOf(chainId, chain).filter((row) => passes(row, filter, listed))
        const keys = wanted.map(({ key }) => key)
        expect(keys.length).toBeGreaterThan(2)
        const { value } = await list([chainId], filter, "asc", { limit: 1000 }, true)
        expect([value.keys, value.count?.count]).toEqual([keys, keys.length])
        const newest = await list([chainId], filter, "desc", { limit: 3, after: keys.at(-2)! })
        expect(newest.value.keys).toEqual(keys.slice(0, -2).toReversed().slice(0, 3))
      }
    })

    test("decimals that a pool was not told are the token's own, as soon as these are known", async () => {
      const [late, whole, silent, firm] = [address(0x9400), address(0x9401), address(0x9402), address(0x9403)]
      /** What each says to its pool, and of itself later on. A contract that is made after its pool tells it nothing. */
      const said = [
        { token: late, toPool: 0, itself: { decimals: 18 } },
        { token: whole, toPool: 0, itself: { decimals: 0 } },
        { token: silent, toPool: 0, itself: {} },
        { token: firm, toPool: 6, itself: { decimals: 18 } },
      ] as const
      const facts = said.map(({ token, toPool }, at) => ({
        ...{ pool: managedPool(manager, idOf(200 + at)), token0: token, token1: usd, factory: manager },
        ...{ decimals0: toPool, decimals1: 6 },
      }))
      const chain = swapChain(facts)
        .block(facts.map(initialized))
        .block([
          ...said.map(({ token }) => transfer(token, native, stranger, 5n)),
          // Of an id that has the same contract: it says nothing of the ERC-20 token.
          nftTransfer(silent, native, stranger, 1n),
          ...facts.flatMap(({ pool }) => [true, false].map((paid0) => swapAt(pool, { paid0, paid: 7n, got: 3n }))),
        ])
      const chainId = freshChainId()
      const writer = await store.open({ chainId, poolManagers: [manager] })
      await store.run(writer.append(chain.segment(0)))
      const told = async () => {
        const { value } = await list([chainId], {}, "asc", { limit: 100 })
        return value.items.map((it) => [it.tokenInDecimals, it.tokenOutDecimals])
      }
      const priced = async () => {
        const tokens = said.map(({ token }) => token)
        const found = await store.run(TokenPrices.use((port) => port.describe(chainId, tokens)))
        return tokens.map((token) => found.find((it) => it.address === token)?.decimals)
      }
      const bothWays = (decimals: ReadonlyArray<number>) =>
        decimals.flatMap((it) => [
          [it, 6],
          [6, it],
        ])
      expect([await told(), await priced()]).toEqual([bothWays([0, 0, 0, 6]), [undefined, undefined, undefined, 6]])
      const waiting = await store.run(writer.listUndescribedTokens(9))
      const described = waiting.map((token) => ({
        token,
        description:
          token.standard === "erc20" ? said.find((it) => it.token === token.address)!.itself : { decimals: 9 },
      }))
      await store.run(writer.describeTokens(described))
      expect([await told(), await priced()]).toEqual([bothWays([18, 0, 0, 6]), [18, 0, undefined, undefined]])
    })

    test("a chain that was never opened has no swaps", async () => {
      for (const filter of [{}, { token: [usd] }]) {
        expect(await list([freshChainId()], filter, "desc", { limit: 5 }, true)).toEqual({
          asOf: [],
          value: { items: [], keys: [], hasMore: false, count: { count: 0, countType: "exact" } },
        })
      }
    })
  })
