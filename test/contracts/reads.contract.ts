/** The read ports' contract: orders, filters, pages and counts, over several chains, against plain sorting of plain rows. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { HolderKey } from "../../src/domain/model/holder.ts"
import type { PageRequest } from "../../src/domain/model/page.ts"
import { dateTimeOf, zeroAddress } from "../../src/domain/model/primitives.ts"
import type { TokenKey, TokenSortField } from "../../src/domain/model/token.ts"
import type { FeedKey, TransferFilter } from "../../src/domain/model/transfer.ts"
import { Freshness } from "../../src/ports/Freshness.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import { address, TestChain, transfer } from "../support/testChain.ts"
import { freshChainId, type MakeStore, openStore, seed, type TestStore } from "./store.ts"
import { walkBackward, walkForward } from "./walk.ts"

const tokens = [1, 2, 3, 4, 5, 6].map((n) => address(0x7000 + n))
const people = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => address(0xa000 + n))
const limits = [1, 7, 100, 1000]
const names: ReadonlyArray<string | undefined> = ["Zebra", undefined, "apple", "Ärger", "\u{1F947}", undefined]

/** Forty blocks of chatter between eight people in six tokens; several blocks share a time. */
const chatter = (seedNumber: number): TestChain => {
  let state = seedNumber
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
  const chain = new TestChain()
  for (const [index, token] of tokens.entries()) {
    chain.block(people.slice(0, 3 + (index % 3)).map((person) => transfer(token, zeroAddress, person, 1000n)))
  }
  for (let block = 0; block < 40; block++) {
    const events = Array.from({ length: next(5) }, () => {
      const to = next(12) === 0 ? zeroAddress : people[next(people.length)]!
      return transfer(tokens[next(tokens.length)]!, people[next(people.length)]!, to, BigInt(next(20)))
    })
    const time = chain.blocks.at(-1)!.header.time + next(3)
    chain.block(events, { time })
  }
  return chain
}

export const readsContract = (name: string, makeStore: MakeStore) =>
  describe(`Reads on ${name}`, () => {
    let store: TestStore
    const ids = [freshChainId(), freshChainId(), freshChainId()]
    const chains = [chatter(1), chatter(2), chatter(3)]
    const rows = chains.flatMap((chain, index) =>
      chain.blocks.flatMap(({ movements }) => movements.map((movement) => ({ ...movement, chainId: ids[index]! }))),
    )
    const descending = [...rows].sort(
      (a, b) =>
        b.time - a.time ||
        Number(b.chainId) - Number(a.chainId) ||
        b.blockNumber - a.blockNumber ||
        b.logIndex - a.logIndex,
    )
    const placeOf = (row: { chainId: string; blockNumber: number; logIndex: number }) =>
      `${row.chainId}:${row.blockNumber}:${row.logIndex}`

    beforeAll(async () => {
      store = await openStore(makeStore)
      for (const [index, chain] of chains.entries()) await seed(store, chain, ids[index]!)
    })
    afterAll(() => store.close())

    const transfers =
      (chainIds: ReadonlyArray<string>, filter: TransferFilter, direction: "asc" | "desc", count = false) =>
      (page: PageRequest<FeedKey>) =>
        store.run(
          TransferStore.use((s) => s.list({ standard: "erc20", chains: chainIds, filter, direction, page, count })),
        )

    for (const limit of limits) {
      test(`feeds of one and of many chains, walked by ${limit} forward and back, give each row once in order`, async () => {
        for (const chainIds of [[ids[0]!], ids]) {
          const wanted = descending.filter((row) => chainIds.includes(row.chainId)).map(placeOf)
          expect((await walkForward(transfers(chainIds, {}, "desc"), limit)).map(placeOf)).toEqual(wanted)
          expect((await walkForward(transfers(chainIds, {}, "asc"), limit)).map(placeOf)).toEqual(wanted.toReversed())
          expect((await walkBackward(transfers(chainIds, {}, "desc"), limit)).map(placeOf)).toEqual(wanted)
          expect((await walkBackward(transfers(chainIds, {}, "asc"), limit)).map(placeOf)).toEqual(wanted.toReversed())
        }
      })
    }

    const [t1, t2, t3] = tokens as [string, string, string]
    const [p1, p2, p3] = people as [string, string, string]
    const filters: Record<string, TransferFilter> = {
      "one token": { tokenAddress: [t1] },
      "three tokens": { tokenAddress: [t1, t2, t3] },
      "a token nobody knows": { tokenAddress: [address(0xdead)] },
      from: { from: [p1] },
      "from two": { from: [p1, p2] },
      to: { to: [p3] },
      "from and to": { from: [p1, p2], to: [p2, p3] },
      address: { address: [p1] },
      "address of two": { address: [p1, p2] },
      "address and token": { address: [p2], tokenAddress: [t2] },
      "from in some tokens": { from: [p3], tokenAddress: [t1, t3] },
      mints: { from: [zeroAddress] },
      "mints of a token": { from: [zeroAddress], tokenAddress: [t3] },
      burns: { to: [zeroAddress] },
      "mints and burns": { address: [zeroAddress] },
      "mints to someone": { from: [zeroAddress], to: [p2] },
      "burns or gifts": { to: [zeroAddress, p1] },
      "address and from": { address: [p1], from: [p1, p2] },
      "zero or someone, in tokens": { address: [zeroAddress, p3], tokenAddress: [t1, t2] },
      "blocks from": { blockNumberFrom: 20 },
      "blocks to": { blockNumberTo: 20 },
      "one block": { blockNumberFrom: 3, blockNumberTo: 3 },
      "blocks beyond the head": { blockNumberFrom: 2 ** 53 - 1 },
      "blocks up to infinity": { blockNumberFrom: 10, blockNumberTo: 2 ** 53 - 1 },
      "address in blocks": { address: [p1], blockNumberFrom: 12, blockNumberTo: 40 },
      "a stranger": { address: [address(0xbeef)] },
    }
    const matches = (row: (typeof rows)[number], filter: TransferFilter) =>
      (filter.tokenAddress?.includes(row.token) ?? true) &&
      (filter.from?.includes(row.from) ?? true) &&
      (filter.to?.includes(row.to) ?? true) &&
      (filter.address?.some((who) => who === row.from || who === row.to) ?? true) &&
      row.blockNumber >= (filter.blockNumberFrom ?? 0) &&
      row.blockNumber <= (filter.blockNumberTo ?? Infinity)

    for (const [label, filter] of Object.entries(filters)) {
      test(`transfers filtered by ${label} are those rows, in order, with their count`, async () => {
        for (const chainIds of [[ids[1]!], ids]) {
          const wanted = descending.filter((row) => chainIds.includes(row.chainId) && matches(row, filter)).map(placeOf)
          for (const limit of [3, 1000]) {
            expect((await walkForward(transfers(chainIds, filter, "desc"), limit)).map(placeOf)).toEqual(wanted)
            expect((await walkBackward(transfers(chainIds, filter, "desc"), limit)).map(placeOf)).toEqual(wanted)
            expect((await walkForward(transfers(chainIds, filter, "asc"), limit)).map(placeOf)).toEqual(
              wanted.toReversed(),
            )
          }
          const { value } = await transfers(chainIds, filter, "desc", true)({ limit: 1 })
          expect(value.count).toEqual({ count: wanted.length, countType: "exact" })
        }
      })
    }

    test("a transfer record has the log's own parties, raw amount and block time", async () => {
      const movement = chains[0]!.blocks[0]!.movements[0]!
      const filter = { blockNumberFrom: 0, blockNumberTo: 0 }
      const { value } = await transfers([ids[0]!], filter, "asc")({ limit: 1 })
      const time = dateTimeOf(movement.time)
      expect(value.items).toEqual([
        {
          chainId: ids[0]!,
          blockNumber: 0,
          txHash: movement.txHash,
          logIndex: 0,
          from: zeroAddress,
          to: movement.to,
          createdAt: time,
          timestamp: time,
          amount: "1000",
          tokenAddress: movement.token,
        },
      ])
    })

    test("descriptions appear on tokens, transfers and holdings; what is unknown stays absent", async () => {
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
        HolderStore.use((s) => s.listHoldings("erc20", chainId, p1, { page: 1, offset: 100 })),
      )
      expect(holdings.value).toEqual(
        tokens.map((tokenAddress, index) => ({ tokenAddress, ...described[index]!.description, balance: "5" })),
      )
      const feed = await transfers([chainId], {}, "asc")({ limit: 2 })
      expect(feed.value.items.map((item) => [item.tokenName, item.tokenSymbol, item.tokenDecimals])).toEqual([
        ["Zebra", "S", 6],
        [undefined, undefined, undefined],
      ])
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
        const balances = new Map<string, bigint>()
        for (const { loser, gainer, amount } of movements) {
          balances.set(loser, (balances.get(loser) ?? 0n) - amount)
          balances.set(gainer, (balances.get(gainer) ?? 0n) + amount)
        }
        const holders = [...balances]
          .filter(([account, balance]) => account.length === 42 && balance > 0n)
          .map(([holder, balance]) => ({ chainId, address: holder, balance: String(balance) }))
          .sort((a, b) => Number(b.balance) - Number(a.balance) || (a.address < b.address ? -1 : 1))
        const supply = -(balances.get("0x") ?? 0n) - (balances.get("0x00") ?? 0n)
        return { chainId, address: token, createdAt: movements[0]!.time, holdersCount: holders.length, holders, supply }
      }),
    )

    for (const field of ["createdAt", "holdersCount"] satisfies ReadonlyArray<TokenSortField>) {
      test(`tokens sorted by ${field}: ties by chain and address, asc the exact reverse of desc, walked both ways`, async () => {
        for (const chainIds of [[ids[2]!], ids]) {
          const wanted = tokenRows
            .filter((row) => chainIds.includes(row.chainId))
            .sort(
              (a, b) =>
                b[field] - a[field] || Number(a.chainId) - Number(b.chainId) || (a.address < b.address ? -1 : 1),
            )
            .map(({ chainId, address, holdersCount, supply }) => ({
              chainId,
              address,
              totalSupply: String(supply),
              holdersCount,
            }))
          for (const direction of ["desc", "asc"] as const) {
            const read = (page: PageRequest<TokenKey>) =>
              store.run(
                TokenStore.use((s) =>
                  s.list({ standard: "erc20", chains: chainIds, sort: { field, direction }, page, count: true }),
                ),
              )
            const ordered = direction === "desc" ? wanted : wanted.toReversed()
            for (const limit of limits) {
              expect(await walkForward(read, limit)).toEqual(ordered)
              expect(await walkBackward(read, limit)).toEqual(ordered)
            }
            const { value } = await read({ limit: 1 })
            expect(value.count).toEqual({ count: wanted.length, countType: "exact" })
          }
        }
      })
    }

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
      const feed = await transfers(asked, {}, "desc")({ limit: 1 })
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
      const none = await transfers([never], {}, "desc", true)({ limit: 5 })
      expect(none).toEqual({
        asOf: [],
        value: { items: [], keys: [], hasMore: false, count: { count: 0, countType: "exact" } },
      })
      expect((await transfers([], {}, "desc")({ limit: 5 })).value.items).toEqual([])
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
