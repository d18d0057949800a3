/** The transfer feeds' contract: orders, filters, pages and counts, over several chains, against plain sorting of plain rows. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { PageRequest } from "../../src/domain/model/page.ts"
import { dateTimeOf, zeroAddress } from "../../src/domain/model/primitives.ts"
import type { FeedKey, TransferFilter } from "../../src/domain/model/transfer.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import { address, TestChain, transfer } from "../support/testChain.ts"
import { chatter, people, tokens } from "./chatter.ts"
import { freshChainId, type MakeStore, openStore, seed, type TestStore } from "./store.ts"
import { walkBackward, walkForward } from "./walk.ts"

const limits = [1, 7, 100, 1000]

export const feedsContract = (name: string, makeStore: MakeStore) =>
  describe(`Feeds on ${name}`, () => {
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

    test("descriptions appear on transfers; what is unknown stays absent", async () => {
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const chain = new TestChain().block([t1, t2].map((token) => transfer(token, zeroAddress, p1, 5n)))
      await store.run(writer.append(chain.segment(0)))
      const [known, unknown] = await store.run(writer.listUndescribedTokens(100))
      await store.run(
        writer.describeTokens([
          { token: known!, description: { name: "Zebra", symbol: "S", decimals: 6 } },
          { token: unknown!, description: {} },
        ]),
      )
      const feed = await transfers([chainId], {}, "asc")({ limit: 2 })
      expect(feed.value.items.map((item) => [item.tokenName, item.tokenSymbol, item.tokenDecimals])).toEqual([
        ["Zebra", "S", 6],
        [undefined, undefined, undefined],
      ])
    })
  })
