/** The read ports' contract for lists and holders: orders, pages and counts, over several chains, against plain sorting of plain rows. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Account, isReserved } from "../../../src/model/event.ts"
import type { HolderKey } from "../../../src/model/holder.ts"
import type { PageRequest } from "../../../src/model/page.ts"
import { type Address, type ChainId, zeroAddress } from "../../../src/model/primitives.ts"
import type { TokenKey } from "../../../src/model/token.ts"
import type { FeedKey } from "../../../src/model/transfer.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { LedgerCounts } from "../../../src/ports/LedgerCounts.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { address, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, seed, type TestStore } from "../store.ts"
import { walkBackward, walkForward } from "../walk.ts"
import { chatter, people, tokens } from "../worlds/chatter.ts"

const names: ReadonlyArray<string | undefined> = ["Zebra", undefined, "apple", "Ärger", "\u{1F947}", undefined]

export const readsContract = (name: string, makeStore: MakeStore) =>
  describe(`Reads on ${name}`, () => {
    let store: TestStore
    const ids = [freshChainId(), freshChainId(), freshChainId()]
    const chains = [chatter(1), chatter(2), chatter(3)]

    beforeAll(async () => {
      store = await openStore(makeStore)
      for (const [index, chain] of chains.entries()) await seed(store, chain, ids[index]!)
    })
    afterAll(() => store.close())

    const transfers =
      (chainIds: ReadonlyArray<ChainId>, count = false) =>
      (page: PageRequest<FeedKey>) =>
        store.run(
          TransferStore.use((s) =>
            s.list({ standard: "erc20", chains: chainIds, filter: {}, direction: "desc", page, count }),
          ),
        )
    const [t1] = tokens as [Address]
    const [p1, p2] = people as [Address, Address]

    test("descriptions appear on tokens and holdings; what is unknown stays absent", async () => {
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const chain = new TestChain().block(tokens.map((token) => transfer(token, zeroAddress, p1, 5n)))
      await store.run(writer.append(chain.segment(0)))
      const pending = await store.run(writer.listUndescribedTokens(100))
      const described = pending.map((token, index) => ({
        token,
        description: names[index] === undefined ? {} : { name: names[index], symbol: "S", decimals: 6 },
      }))
      await store.run(writer.describeTokens(described))
      const holdings = await store.run(
        HolderStore.use((s) => s.listHoldings("erc20", { chainId, holder: p1, window: { page: 1, offset: 100 } })),
      )
      expect(holdings.value).toEqual(
        tokens.map((tokenAddress, index) => ({ tokenAddress, ...described[index]!.description, balance: "5" })),
      )
      const list = (direction: "asc" | "desc") =>
        walkForward(
          (page: PageRequest<TokenKey>) =>
            store.run(
              TokenStore.use((s) =>
                s.list({
                  standard: "erc20",
                  chains: [chainId],
                  sort: { field: "name", direction },
                  page,
                  count: false,
                }),
              ),
            ),
          2,
        )
      const bytes = ["Zebra", "apple", "Ärger", "\u{1F947}"]
      expect((await list("asc")).map((token) => token.name)).toEqual([...bytes, undefined, undefined])
      expect((await list("desc")).map((token) => token.name)).toEqual([...bytes.toReversed(), undefined, undefined])
      const unnamed = (await list("asc")).slice(-2).map((token) => token.address)
      expect((await list("desc")).slice(-2).map((token) => token.address)).toEqual(unnamed.toReversed())
    })

    const tokenRows = ids.flatMap((chainId, index) =>
      tokens.map((token) => {
        const movements = chains[index]!.blocks.flatMap((block) => block.movements).filter((m) => m.token === token)
        const balances = new Map<Account, bigint>()
        for (const { debit, credit, amount } of movements) {
          balances.set(debit, (balances.get(debit) ?? 0n) - amount)
          balances.set(credit, (balances.get(credit) ?? 0n) + amount)
        }
        const holders = [...balances]
          .flatMap(([account, balance]) =>
            isReserved(account) || balance <= 0n ? [] : [{ chainId, address: account, balance: String(balance) }],
          )
          .sort((a, b) => Number(b.balance) - Number(a.balance) || (a.address < b.address ? -1 : 1))
        const supply = -(balances.get("0x") ?? 0n) - (balances.get("0x00") ?? 0n)
        return { chainId, address: token, createdAt: movements[0]!.time, holdersCount: holders.length, holders, supply }
      }),
    )

    test("holdings of an ERC-721 have the contract's texts, and never decimals", async () => {
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const chain = new TestChain().block([nftTransfer(t1, zeroAddress, p1, 5n), nftTransfer(t1, zeroAddress, p1, 6n)])
      await store.run(writer.append(chain.segment(0)))
      const [token] = await store.run(writer.listUndescribedTokens(100))
      await store.run(
        writer.describeTokens([{ token: token!, description: { name: "Art", symbol: "A", decimals: 18 } }]),
      )
      const { value } = await store.run(
        HolderStore.use((s) => s.listHoldings("erc721", { chainId, holder: p1, window: { page: 1, offset: 100 } })),
      )
      expect(value).toEqual([{ tokenAddress: t1, name: "Art", symbol: "A", balance: "2" }])
    })

    test("holders come by balance, then address, by pages, windows and counts alike", async () => {
      for (const { chainId, address: token, holders, supply } of tokenRows) {
        const read = (page: PageRequest<HolderKey>) =>
          store.run(HolderStore.use((s) => s.list("erc20", { chainId, token, page, count: true })))
        for (const limit of [1, 3, 1000]) {
          expect(await walkForward(read, limit)).toEqual(holders)
          expect(await walkBackward(read, limit)).toEqual(holders)
        }
        const { value } = await read({ limit: 1 })
        expect([value.supply, value.count]).toEqual([String(supply), { count: holders.length, countType: "exact" }])
        const count = await store.run(HolderStore.use((s) => s.count(chainId, token)))
        expect(count.value).toBe(holders.length)
        const window = await store.run(HolderStore.use((s) => s.listWindow(chainId, token, { page: 2, offset: 2 })))
        expect(window.value).toEqual(holders.slice(2, 4))
      }
    })

    test("an unknown token has no holders, no supply, no balance and no error", async () => {
      const [chainId, token] = [ids[0]!, address(0xdead)]
      const holders = await store.run(
        HolderStore.use((s) => s.list("erc20", { chainId, token, page: { limit: 5 }, count: true })),
      )
      expect(holders.value).toEqual({ items: [], keys: [], hasMore: false, count: { count: 0, countType: "exact" } })
      const count = await store.run(HolderStore.use((s) => s.count(chainId, token)))
      const balance = await store.run(HolderStore.use((s) => s.findBalance(chainId, token, p1, 3)))
      const supply = await store.run(SupplyStore.use((s) => s.find(chainId, token)))
      expect([count.value, balance.value, supply.value]).toEqual([0, "0", "0"])
      expect(supply.asOf).toHaveLength(1)
    })

    test("every answer says which block it speaks of; a chain without blocks says nothing", async () => {
      const empty = freshChainId()
      await store.open({ chainId: empty })
      const never = freshChainId()
      const head = chains[0]!.blocks.at(-1)!.header
      const asked = [ids[0]!, empty, never]
      const wanted = {
        chainId: ids[0]!,
        blockNumber: head.number,
        hash: head.hash,
        time: head.time,
        finality: "latest",
        firstBlock: 0,
      }
      const [freshness] = await store.run(Freshness.use((s) => s.asOf(asked)))
      expect(freshness).toMatchObject(wanted)
      const feed = await transfers(asked)({ limit: 1 })
      expect(feed.asOf).toEqual([freshness!])
      const list = await store.run(
        TokenStore.use((s) =>
          s.list({
            standard: "erc20",
            chains: asked,
            sort: { field: "createdAt", direction: "desc" },
            page: { limit: 1 },
            count: false,
          }),
        ),
      )
      expect(list.asOf).toEqual([freshness!])
      const none = await transfers([never], true)({ limit: 5 })
      expect(none).toEqual({
        asOf: [],
        value: { items: [], keys: [], hasMore: false, count: { count: 0, countType: "exact" } },
      })
      expect((await transfers([])({ limit: 5 })).value.items).toEqual([])
    })

    test("the counters of each chain are those of its lists", async () => {
      const empty = freshChainId()
      await store.open({ chainId: empty })
      const counts = await store.run(LedgerCounts.use((port) => port.list([ids[1]!, empty, ids[0]!, freshChainId()])))
      expect(counts.map(({ chainId }) => chainId)).toEqual([ids[1]!, ids[0]!])
      expect(await store.run(LedgerCounts.use((port) => port.list([])))).toEqual([])
      for (const { chainId, transfers: kept } of counts)
        expect((await transfers([chainId], true)({ limit: 1 })).value.count).toEqual({
          count: kept.erc20,
          countType: "exact",
        })
    })

    test("a balance below zero is no holder, and its sum still is the supply", async () => {
      const chain = new TestChain().block([transfer(t1, p1, p2, 10n)])
      const chainId = await seed(store, chain)
      const holders = await store.run(
        HolderStore.use((s) => s.list("erc20", { chainId, token: t1, page: { limit: 5 }, count: true })),
      )
      expect(holders.value).toMatchObject({
        items: [{ chainId, address: p2, balance: "10" }],
        supply: "0",
        count: { count: 1 },
      })
      const balance = await store.run(HolderStore.use((s) => s.findBalance(chainId, t1, p1)))
      expect(balance.value).toBe("-10")
    })
  })
