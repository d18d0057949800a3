/** The contract of what prices are read from and written to: histories of pools, prices of tokens, and of hours. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { AuditState } from "../../../../src/model/audit.ts"
import type { PageRequest } from "../../../../src/model/page.ts"
import { managedPool } from "../../../../src/model/poolKey.ts"
import { oneDollar } from "../../../../src/model/price.ts"
import type { Address, ChainId } from "../../../../src/model/primitives.ts"
import type { Erc20Token, TokenKey } from "../../../../src/model/token.ts"
import { AuditStore, type WatchedFigure } from "../../../../src/ports/AuditStore.ts"
import { type HistoryQuestion, SwapHistory } from "../../../../src/ports/SwapHistory.ts"
import { pointHours, TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { TokenStore } from "../../../../src/ports/TokenStore.ts"
import { TransferStore } from "../../../../src/ports/TransferStore.ts"
import { address, swap, TestChain, transfer } from "../../../support/chain/testChain.ts"
import {
  type ContractScope,
  freshChainId,
  type MakeStore,
  openStore,
  seed,
  stepsOf,
  type TestStore,
} from "../../store.ts"
import { walkBackward, walkForward } from "../../walk.ts"
import {
  coin,
  decimals,
  factory,
  factsOf,
  idOf,
  initialized,
  manager,
  otherFactory,
  rare,
  usd,
  weth,
} from "../../worlds/swaps.truth.ts"

const zero = address(0)
const someone = address(0xd001)
const start = 472_222 * 3600
const [deep, turned, foreign] = [address(0x5001), address(0x5002), address(0x5003)] as [Address, Address, Address]
const managed = managedPool(manager, idOf(1))
const sold = (paid: bigint, got: bigint) => ({ paid0: true, paid, got })
const bought = (paid: bigint, got: bigint) => ({ paid0: false, paid, got })

/** coin against usd in two pools of known factories (the tokens the other way round in one), in one of nobody's, and in one of V4. */
const market = (): TestChain => {
  const chain = new TestChain(new Set(), 0, start - 12, new Set([manager]))
  const pools = [
    factsOf(deep, coin, usd, factory),
    factsOf(turned, usd, coin, otherFactory),
    factsOf(foreign, coin, usd),
    factsOf(managed, coin, usd, manager),
  ]
  for (const pool of pools) chain.pools.set(pool.pool, pool)
  return chain
    .block([transfer(usd, zero, deep, 900n), transfer(coin, zero, someone, 77n), initialized(pools[3]!)])
    .block([swap(deep, sold(10n, 20n)), swap(turned, bought(5n, 9n)), swap(foreign, sold(1n, 1n))], {
      time: start + 600,
    })
    .block([transfer(usd, deep, turned, 400n), swap(deep, bought(31n, 15n))], { time: start + 600 })
    .block([swap(deep, sold(2n, 4n)), transfer(usd, turned, deep, 1n), transfer(coin, someone, deep, 77n)], {
      time: start + 3600,
    })
    .block([swap(deep, sold(3n, 6n)), transfer(usd, deep, someone, 2n), transfer(weth, zero, someone, 5n)], {
      time: start + 3601,
    })
}
const question: HistoryQuestion = {
  tokens: [coin, weth],
  anchors: [usd, weth],
  factories: [factory, otherFactory, manager],
  at: start + 3600,
  seconds: 3600,
  newest: false,
}

export const pricesContract = (name: string, makeStore: MakeStore, scope: ContractScope) =>
  describe(`Prices on ${name}`, () => {
    let store: TestStore
    let chainId: ChainId
    beforeAll(async () => {
      store = await openStore(makeStore)
      chainId = await seed(store, market())
    })
    afterAll(() => store.close())
    const read = async (changes: Partial<HistoryQuestion> = {}) =>
      [...(await store.run(SwapHistory.use((port) => port.read(chainId, { ...question, ...changes }))))]
        .map((history) => ({ ...history, swaps: [...history.swaps].sort((a, b) => a.blockNumber - b.blockNumber) }))
        .sort((a, b) => (a.pool < b.pool ? -1 : 1))
    const prices = TokenPrices.use.bind(TokenPrices)
    const tokenOf = async (chain: ChainId, token: Address) => {
      const { value, asOf } = await store.run(TokenStore.use((port) => port.find(chain, token)))
      return { record: value[0]!.record as Erc20Token, revision: asOf[0]!.revision, figures: asOf[0]!.figures }
    }

    const at = (blockNumber: number, logIndex: number, later: number) => ({
      blockNumber,
      logIndex,
      time: start + later,
    })

    test("a history has the swaps of the stretch, whichever side the token is on, and what the pool held of both after each one's block", async () => {
      expect(await read()).toEqual([
        {
          ...{ token: coin, anchor: usd, pool: deep },
          held: [],
          swaps: [
            { ...at(1, 0, 600), tokenQty: 10n, anchorQty: 20n, heldToken: 0n, heldAnchor: 900n },
            { ...at(2, 1, 600), tokenQty: 15n, anchorQty: 31n, heldToken: 0n, heldAnchor: 500n },
            { ...at(3, 0, 3600), tokenQty: 2n, anchorQty: 4n, heldToken: 77n, heldAnchor: 501n },
          ],
        },
        {
          ...{ token: coin, anchor: usd, pool: turned },
          held: [],
          swaps: [{ ...at(1, 1, 600), tokenQty: 5n, anchorQty: 9n, heldToken: 0n, heldAnchor: 0n }],
        },
      ])
    })

    test("the stretch leaves out its beginning and has its end; what pools hold now is asked for apart", async () => {
      const [first] = await read({ at: start + 3601, seconds: 24, newest: true })
      expect(first!.swaps.map(({ blockNumber }) => blockNumber)).toEqual([3, 4])
      expect(first!.swaps.map(({ heldAnchor }) => heldAnchor)).toEqual([501n, 499n])
      expect(first!.held).toEqual([499n])
      expect((await read({ at: start + 4200, seconds: 3600 }))[0]!.swaps.map(({ blockNumber }) => blockNumber)).toEqual(
        [3, 4],
      )
      expect(await read({ at: start + 599 })).toEqual([])
    })

    test("pools of other factories, of nobody's and of V4 managers are not read, nor those that are left out", async () => {
      expect((await read({ factories: [otherFactory, manager] })).map(({ pool }) => pool)).toEqual([turned])
      expect((await read({ without: [deep, foreign] })).map(({ pool }) => pool)).toEqual([turned])
      expect(await read({ factories: [] })).toEqual([])
      expect(await read({ anchors: [] })).toEqual([])
      expect(await store.run(SwapHistory.use((port) => port.read(freshChainId(), question)))).toEqual([])
    })

    test("a pool may have held something before a ledger that begins late, until it is known to have been made later", async () => {
      const pools = [1, 2, 3, 4, 5].map((place) => address(0x5100 + place))
      const chain = new TestChain(new Set(), 500, start)
      for (const pool of pools) chain.pools.set(pool, factsOf(pool, coin, usd, factory))
      chain.block(pools.slice(1).map((pool) => transfer(pool, zero, someone, 1000n)))
      chain.block(pools.map((pool) => swap(pool, sold(10n, 20n))))
      const late = freshChainId()
      const writer = await store.open({ chainId: late, firstBlock: 500 })
      await store.run(writer.append(chain.segment(500)))
      const older = async () => {
        const found = await store.run(SwapHistory.use((port) => port.read(late, question)))
        return pools.map((pool) => found.find((it) => it.pool === pool)!.isDoubtful)
      }
      expect(await older()).toEqual([true, true, true, true, true])
      const born = await store.run(writer.listTokensWithoutOrigin(9))
      const shareOf = (pool: Address) => born.find((token) => token.address === pool)!
      const { time } = chain.blocks[0]!.header
      const [, , old, young, own] = pools.map((pool, place) => (place === 0 ? undefined : shareOf(pool)))
      await store.run(
        writer.recordOrigins([
          { token: old!, origin: { time: time - 1 } },
          { token: young!, origin: { time: time + 1 } },
          { token: own!, origin: { time, txHash: own!.firstTxHash } },
        ]),
      )
      expect(await older()).toEqual([true, true, true, undefined, undefined])
    })

    const judged = async (
      id: ChainId,
      token: Address,
      state: AuditState,
      watched: ReadonlyArray<WatchedFigure> = [],
    ) => {
      const breadth = { top: 0, recent: 0, places: [] }
      const { value } = await store.run(AuditStore.use((port) => port.sample(id, { tokens: [token] }, breadth)))
      const record = { state, blockNumber: 4, time: start, compared: 1, watched }
      await store.run(AuditStore.use((port) => port.record(id, [{ token: value[0]!.token, record }])))
    }
    const doubts = async (id: ChainId) => {
      const found = await store.run(SwapHistory.use((port) => port.read(id, question)))
      return [deep, turned].map((pool) => found.find((it) => it.pool === pool)!.isDoubtful)
    }

    test("what a pool holds is in doubt while the audit has one of its two tokens in drift or rebasing", async () => {
      const id = await seed(store, market())
      const audit = (token: Address, state: AuditState) => judged(id, token, state)
      const doubtful = () => doubts(id)
      expect(await doubtful()).toEqual([undefined, undefined])
      for (const token of [coin, usd]) {
        for (const state of ["drift", "rebasing"] as const) {
          await audit(token, state)
          expect([token, state, await doubtful()]).toEqual([token, state, [true, true]])
        }
        for (const state of ["unverified", "exact"] as const) {
          await audit(token, state)
          expect([token, state, await doubtful()]).toEqual([token, state, [undefined, undefined]])
        }
      }
      await audit(weth, "rebasing")
      expect(await doubtful()).toEqual([undefined, undefined])
    })

    test("nor is it in doubt by a supply that changes without a transfer, or by whoever gives away what nobody minted", async () => {
      const id = await seed(store, market())
      const supply: WatchedFigure = { of: "supply", token: usd, ledger: 5n, node: 7n, touched: -1 }
      const balance = (ledger: bigint, node?: bigint): WatchedFigure => ({
        ...{ of: "balance", token: usd, holder: deep, ledger, touched: 1 },
        ...(node === undefined ? {} : { node }),
      })
      const doubtful = async (state: AuditState, ...watched: ReadonlyArray<WatchedFigure>) => {
        await judged(id, usd, state, watched)
        return (await doubts(id))[0]
      }
      expect(await doubtful("drift", supply, balance(3n, 3n))).toBeUndefined()
      expect(await doubtful("drift", supply, balance(-3n, 0n), balance(3n, 3n))).toBeUndefined()
      expect(await doubtful("drift", supply, balance(3n, 4n))).toBe(true)
      expect(await doubtful("drift", supply, balance(3n, 0n), balance(-3n, 0n))).toBe(true)
      expect(await doubtful("drift", balance(3n, 3n), balance(-3n))).toBe(true)
      // Others may differ than those that were kept.
      expect(await doubtful("drift", supply, ...Array.from({ length: 5 }, () => balance(-3n, 0n)))).toBe(true)
      expect(await doubtful("rebasing", supply, balance(3n, 3n))).toBe(true)
      expect(await doubtful("exact", supply, balance(3n, 3n))).toBeUndefined()
    })

    test("of a crowd of swaps each part of the stretch gives its newest eight", async () => {
      const chain = new TestChain(new Set(), 0, start)
      chain.pools.set(deep, factsOf(deep, coin, usd, factory))
      for (let place = 0; place < 30; place++)
        chain.block([swap(deep, sold(1n, 2n))], { time: start + (place < 20 ? 5 : 151) })
      const crowded = await seed(store, chain)
      const found = await store.run(SwapHistory.use((port) => port.read(crowded, { ...question, at: start + 3600 })))
      expect(found[0]!.swaps.map(({ blockNumber }) => blockNumber).sort((a, b) => a - b)).toEqual([
        ...[12, 13, 14, 15, 16, 17, 18, 19],
        ...[22, 23, 24, 25, 26, 27, 28, 29],
      ])
    })

    test("tokens swapped against anchors in a stretch, and when the next swap is", async () => {
      const listed = (after: number, at: number, anchors: ReadonlyArray<Address> = [usd]) =>
        store.run(SwapHistory.use((port) => port.listSwapped(chainId, anchors, after, at)))
      expect(await listed(start, start + 600)).toEqual([coin])
      expect(await listed(start, start + 600, [coin, usd])).toEqual([usd, coin].sort())
      expect([
        await listed(start, start + 599),
        await listed(start + 3601, start + 9000),
        await listed(start, start + 600, []),
      ]).toEqual([[], [], []])
      const next = (after: number) => store.run(SwapHistory.use((port) => port.findNext(chainId, after)))
      expect([await next(0), await next(start + 600), await next(start + 3600), await next(start + 3601)]).toEqual([
        ...[start + 600, start + 3600, start + 3601],
        undefined,
      ])
    })

    test("decimals are those that a token and its pools agree on", async () => {
      const described = await store.run(
        prices((port) => port.describe(chainId, [usd, coin, weth, rare, address(0x777)])),
      )
      const sorted = [...described].sort((a, b) => (a.address < b.address ? -1 : 1))
      expect(sorted).toEqual([
        { address: usd, decimals: decimals.get(usd)!, supply: 900n },
        { address: weth, supply: 5n },
        { address: coin, supply: 77n },
      ])
    })

    test("times are those of the first block, of the newest and of the newest that is final, where that is known", async () => {
      const times = async (finalizedBlock: number) => {
        const id = freshChainId()
        const writer = await store.open({ chainId: id, poolManagers: [manager] })
        const none = await store.run(prices((port) => port.times(id)))
        await store.run(writer.append(market().segment(0, undefined, { finalizedBlock })))
        return [none, await store.run(prices((port) => port.times(id)))]
      }
      const at = (settled?: number) => [
        undefined,
        { first: market().blocks[0]!.header.time, head: start + 3601, ...(settled === undefined ? {} : { settled }) },
      ]
      expect(await times(-1)).toEqual(at())
      expect(await times(3)).toEqual(at(start + 3600))
      expect(await times(4)).toEqual(at(start + 3601))
      expect(await times(9)).toEqual(at(start + 3601))
    })

    test("prices are recorded, changed and taken away; the revision moves only then, and no figures do", async () => {
      const id = await seed(store, market())
      const record = (...tokens: Parameters<(typeof TokenPrices.Service)["record"]>[1]) =>
        store.run(prices((port) => port.record(id, tokens)))
      const { revision: before, figures } = await tokenOf(id, coin)
      const price = 3n * oneDollar + 1n
      await record({ address: coin, price, marketCap: 10n ** 40n }, { address: address(0x777), price })
      const first = await tokenOf(id, coin)
      expect(first.record).toMatchObject({ price: String(price), marketCap: String(10n ** 40n) })
      await record({ address: coin, price, marketCap: 10n ** 40n })
      expect((await tokenOf(id, coin)).revision).toBe(first.revision)
      expect(await store.run(prices((port) => port.listPriced(id, 10)))).toEqual([coin])
      expect(await store.run(prices((port) => port.listPriced(id, 10, coin)))).toEqual([])
      await record({ address: coin, price })
      const second = await tokenOf(id, coin)
      expect([second.record.price, "marketCap" in second.record]).toEqual([String(price), false])
      await record({ address: coin })
      const third = await tokenOf(id, coin)
      expect(["price" in third.record, "marketCap" in third.record]).toEqual([false, false])
      expect([first.revision > before, second.revision > first.revision, third.revision > second.revision]).toEqual([
        true,
        true,
        true,
      ])
      expect([first.figures, second.figures, third.figures]).toEqual([figures, figures, figures])
      expect(await store.run(prices((port) => port.record(freshChainId(), [{ address: coin, price }])))).toBeUndefined()
    })

    test("by market capitalisation: as numbers, ties by chain and address, absent last by holders; walked both ways", async () => {
      const tokens = Array.from({ length: 30 }, (_, number) => address(0x9000 + number))
      const mints = () =>
        new TestChain().block(
          tokens.flatMap((token, at) => [
            transfer(token, zero, zero, 0n),
            ...Array.from({ length: at % 3 }, (_, who) => transfer(token, zero, address(0xd000 + who), 1n)),
          ]),
        )
      const ids = [await seed(store, mints()), await seed(store, mints())]
      const capOf = (at: number) => (at % 3 === 0 ? undefined : 10n ** BigInt(at % 7) * 9n)
      for (const id of ids) {
        const priced = tokens.map((token, at) => {
          const marketCap = capOf(at)
          return { address: token, price: 1n, ...(marketCap === undefined ? {} : { marketCap }) }
        })
        await store.run(prices((port) => port.record(id, priced)))
      }
      const rows = ids.flatMap((id, chain) =>
        tokens.map((token, at) => ({ id, chain, token, cap: capOf(at), holders: at % 3 })),
      )
      const ordered = (direction: "asc" | "desc") =>
        rows
          .toSorted((a, b) => {
            if ((a.cap === undefined) !== (b.cap === undefined)) return a.cap === undefined ? 1 : -1
            const value = Number((b.cap ?? BigInt(b.holders)) - (a.cap ?? BigInt(a.holders)))
            const down = value || a.chain - b.chain || (a.token < b.token ? -1 : 1)
            return direction === "desc" ? down : -down
          })
          .map(({ id, token }) => [id, token])
      for (const direction of ["desc", "asc"] as const) {
        const list = (page: PageRequest<TokenKey>) => {
          const query = {
            standard: "erc20",
            chains: ids,
            sort: { field: "marketCap", direction },
            page,
            count: false,
          } as const
          return store.run(TokenStore.use((port) => port.list(query)))
        }
        for (const limit of stepsOf(scope, [1, 7, 1000])) {
          for (const items of [await walkForward(list, limit), await walkBackward(list, limit)]) {
            expect(items.map((item) => [item.chainId, item.address])).toEqual(ordered(direction))
          }
        }
      }
    })

    test("a transfer is worth what the newest hour at or before it says, if that is of the last day", async () => {
      const id = freshChainId()
      const writer = await store.open({ chainId: id })
      const hour = Math.floor(start / 3600)
      const times = [
        start - 1,
        start,
        start + 3599,
        start + 3600,
        start + (pointHours + 1) * 3600 - 1,
        start + (pointHours + 1) * 3600,
      ]
      const chain = new TestChain(new Set(), 0, start)
      for (const time of times)
        chain.block([transfer(coin, zero, someone, 1500n), transfer(rare, zero, someone, 7n)], { time })
      await store.run(writer.append(chain.segment(0)))
      const worth = async (token: Address) => {
        const query = {
          standard: "erc20",
          chains: [id],
          filter: { tokenAddress: [token] },
          direction: "asc",
          page: { limit: 10 },
          count: false,
        } as const
        return (await store.run(TransferStore.use((port) => port.list(query)))).value.items.map(
          ({ amountInUsd }) => amountInUsd,
        )
      }
      const none = times.map(() => undefined)
      await store.run(prices((port) => port.recordHour(id, hour, [{ address: coin, price: 2n * oneDollar }], hour + 1)))
      await store.run(
        prices((port) => port.recordHour(id, hour + 1, [{ address: coin, price: 3n * oneDollar }], hour + 2)),
      )
      expect(await worth(coin)).toEqual(none)
      const born = (await store.run(writer.listUndescribedTokens(10))).map((token) => ({
        token,
        description: { decimals: 3 },
      }))
      await store.run(writer.describeTokens(born))
      expect(await worth(coin)).toEqual([undefined, "3", "3", "4.5", "4.5", undefined])
      expect(await worth(rare)).toEqual(none)
      expect(await store.run(prices((port) => port.nextHour(id)))).toBe(hour + 2)
      await store.run(prices((port) => port.recordHour(id, hour, [{ address: coin, price: 2n }], hour + 1)))
      expect(await store.run(prices((port) => port.nextHour(id)))).toBe(hour + 2)
      expect((await worth(coin)).slice(0, 2)).toEqual([undefined, "0.000000000000000003"])
      // Hours that are left for later are filled from the newest on, and what is left of them never grows.
      const gaps = () => store.run(prices((port) => port.gaps(id)))
      expect(await gaps()).toEqual({ hours: 0 })
      await store.run(prices((port) => port.leap(id, hour + 2, hour + 50)))
      await store.run(prices((port) => port.leap(id, hour + 9, hour + 50)))
      await store.run(prices((port) => port.leap(id, hour + 60, hour + 70)))
      expect(await store.run(prices((port) => port.nextHour(id)))).toBe(hour + 70)
      expect(await gaps()).toEqual({ newest: { from: hour + 60, to: hour + 70 }, hours: 58 })
      const later = { from: hour + 60, to: hour + 70 }
      await store.run(prices((port) => port.recordGapHour(id, later, hour + 65, [{ address: rare, price: 9n }])))
      await store.run(prices((port) => port.recordGapHour(id, later, hour + 66, [])))
      expect(await gaps()).toEqual({ newest: { from: hour + 60, to: hour + 65 }, hours: 53 })
      // One that has grown since it was read is another one: tokens came into the ledger meanwhile, which it was not asked for.
      for (const at of [hour + 62, hour + 60]) {
        const read = { from: hour + 60, to: hour + 64 }
        await store.run(prices((port) => port.recordGapHour(id, read, at, [])))
        expect(await gaps()).toEqual({ newest: { from: hour + 60, to: hour + 65 }, hours: 53 })
      }
      await store.run(prices((port) => port.recordGapHour(id, later, hour + 60, [])))
      expect(await gaps()).toEqual({ newest: { from: hour + 2, to: hour + 50 }, hours: 48 })
      expect(await store.run(SwapHistory.use((port) => port.findLast(chainId, start + 3600)))).toBe(start + 3600)
      expect(await store.run(SwapHistory.use((port) => port.findLast(chainId, start + 599)))).toBe(undefined)
      await store.run(prices((port) => port.recordPegs(id, [rare], [rare])))
      expect(await worth(rare)).toEqual(times.map(() => "0.007"))
      const { revision, figures } = await tokenOf(id, rare)
      await store.run(prices((port) => port.recordPegs(id, [rare], [rare])))
      expect((await tokenOf(id, rare)).revision).toBe(revision)
      await store.run(prices((port) => port.recordPegs(id, [], [])))
      expect(await worth(rare)).toEqual(none)
      expect((await tokenOf(id, rare)).figures).toBe(figures)
    })

    test("known tokens are the trusted, then those with the most holders", async () => {
      const listed = await store.run(prices((port) => port.listKnown(chainId, 2)))
      expect(listed).toEqual([usd, weth])
    })
  })
