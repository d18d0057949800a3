/** The transfer feeds' contract: orders, filters, pages and counts of every standard, over several chains, against plain sorting of plain rows. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { PageRequest, Rows, Snapshot } from "../../../src/model/page.ts"
import { type Address, type ChainId, zeroAddress } from "../../../src/model/primitives.ts"
import { type Standard, standards } from "../../../src/model/token.ts"
import type { FeedKey, TransferFilter } from "../../../src/model/transfer.ts"
import { TokenNotes } from "../../../src/ports/TokenNotes.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { consecutiveTransfer, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
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
import { people } from "../worlds/chatter.ts"
import { filters, idFilters, trustedFilters } from "../worlds/feeds.filters.ts"
import {
  ascending,
  contracts,
  finalBlock,
  matches,
  mixedChatter,
  rowsOf,
  trustedContracts,
} from "../worlds/feeds.truth.ts"

const limits = [1, 7, 100, 1000]

export const feedsContract = (name: string, makeStore: MakeStore, scope: ContractScope) =>
  describe(`Feeds on ${name}`, () => {
    let store: TestStore
    const ids = [freshChainId(), freshChainId(), freshChainId()]
    const chains = [mixedChatter(1), mixedChatter(2), mixedChatter(3)]
    const rows = chains.flatMap((chain, index) => rowsOf(ids[index]!, chain.blocks)).sort(ascending)

    beforeAll(async () => {
      store = await openStore(makeStore)
      for (const [index, chain] of chains.entries()) await seed(store, chain, ids[index]!, finalBlock)
      const notes = contracts.map((token) => ({ address: token, trusted: trustedContracts.includes(token), texts: {} }))
      for (const chainId of ids) await store.run(TokenNotes.use((s) => s.record(chainId, notes)))
    })
    afterAll(() => store.close())

    const list = (
      standard: Standard,
      chainIds: ReadonlyArray<ChainId>,
      filter: TransferFilter,
      direction: "asc" | "desc",
      page: PageRequest<FeedKey>,
      count = false,
    ): Promise<Snapshot<Rows<object, FeedKey>>> =>
      store.run(TransferStore.use((s) => s.list({ standard, chains: chainIds, filter, direction, page, count })))

    /** Rows with their keys beside them. */
    const feed =
      (standard: Standard, chainIds: ReadonlyArray<ChainId>, filter: TransferFilter, direction: "asc" | "desc") =>
      async (page: PageRequest<FeedKey>) => {
        const { asOf, value } = await list(standard, chainIds, filter, direction, page)
        const { items, keys } = value
        return { asOf, value: { ...value, items: items.map((item, index) => ({ item, key: keys[index]! })) } }
      }

    const wantedOf = (standard: Standard, chainIds: ReadonlyArray<string>, filter: TransferFilter) =>
      rows
        .filter((row) => row.standard === standard && chainIds.includes(row.key.chainId) && matches(row, filter))
        .map(({ item, key }) => ({ item, key }))

    for (const standard of standards) {
      for (const [asked, chainIds] of [
        ["one chain", [ids[0]!]],
        ["many chains", ids],
      ] as const) {
        for (const limit of stepsOf(scope, limits)) {
          test(`the ${standard} feed of ${asked}, walked by ${limit} forward and back, gives each row once in order`, async () => {
            const wanted = wantedOf(standard, chainIds, {})
            for (const [direction, ordered] of [
              ["asc", wanted],
              ["desc", wanted.toReversed()],
            ] as const) {
              expect(await walkForward(feed(standard, chainIds, {}, direction), limit)).toEqual(ordered)
              expect(await walkBackward(feed(standard, chainIds, {}, direction), limit)).toEqual(ordered)
            }
          })
        }
      }

      for (const [label, filter] of Object.entries(standard === "erc20" ? filters : { ...filters, ...idFilters })) {
        test(`${standard} transfers filtered by ${label} are those rows, in order, with their count`, async () => {
          for (const chainIds of [[ids[1]!], ids]) {
            const wanted = wantedOf(standard, chainIds, filter)
            const newestFirst = feed(standard, chainIds, filter, "desc")
            for (const limit of filteredStepsOf(scope, [7, 1000], wanted.length)) {
              const rows = await walkForward(newestFirst, limit)
              expect(rows).toEqual(wanted.toReversed())
              const last = rows.at(-1)
              expect(await walkBackward(newestFirst, limit, last && { item: last, key: last.key })).toEqual(rows)
            }
            for (const limit of filteredStepsOf(scope, [23], wanted.length))
              expect(await walkForward(feed(standard, chainIds, filter, "asc"), limit)).toEqual(wanted)
            const { value } = await list(standard, chainIds, filter, "desc", { limit: 1 }, true)
            expect(value.count).toEqual({ count: wanted.length, countType: "exact" })
          }
        })
      }

      test(`${standard} transfers of tokens on lists are those rows, in order, with their count`, async () => {
        for (const [label, filter] of Object.entries(trustedFilters)) {
          const ofOne = feed(standard, [ids[1]!], filter, "desc")
          expect([label, await walkForward(ofOne, 23)]).toEqual([
            label,
            wantedOf(standard, [ids[1]!], filter).toReversed(),
          ])
          const wanted = wantedOf(standard, ids, filter)
          const { value } = await list(standard, ids, filter, "asc", { limit: 1000 }, true)
          expect([label, value.keys]).toEqual([label, wanted.map(({ key }) => key)])
          expect([label, value.count]).toEqual([label, { count: wanted.length, countType: "exact" }])
        }
        expect(wantedOf(standard, ids, { trusted: true }).length).toBeGreaterThan(9)
      })

      test(`${standard} transfers by page and offset are those rows, whatever is passed over`, async () => {
        const chainIds = [ids[1]!]
        for (const [label, filter] of Object.entries({ ...filters, ...(standard === "erc20" ? {} : idFilters) })) {
          const wanted = wantedOf(standard, chainIds, filter)
          for (const direction of ["asc", "desc"] as const) {
            const ordered = direction === "asc" ? wanted : wanted.toReversed()
            const all: ReadonlyArray<readonly [limit: number, skip: number]> = [
              [5, 5],
              [10, ordered.length],
              [7, 70],
              [1, ordered.length - 1],
              [3, 0],
              [1000, 11],
            ]
            const some = direction === "asc" ? all.slice(0, 2) : all.slice(2, 4)
            for (const [limit, skip] of scope.oneStep ? some : all) {
              if (skip < 0) continue
              const { value } = await store.run(
                TransferStore.use((s) =>
                  s.list({ standard, chains: chainIds, filter, direction, page: { limit }, skip, count: false }),
                ),
              )
              const part = ordered.slice(skip, skip + limit)
              expect([label, value.keys]).toEqual([label, part.map(({ key }) => key)])
              expect(value.hasMore).toBe(ordered.length > skip + limit)
            }
          }
        }
      })

      test(`every filter of the ${standard} feed meets rows, but those that name what nobody knows`, () => {
        const all = Object.entries(standard === "erc20" ? filters : { ...filters, ...idFilters })
        const empty = all.filter(([, filter]) => wantedOf(standard, ids, filter).length === 0).map(([label]) => label)
        const unknown = ["a token nobody knows", "blocks beyond the head", "times after all", "a stranger"]
        const unknownIds = ["an id nobody knows", "an id of a token nobody knows"]
        const ofStandard = {
          erc20: [...unknown, "a rare token", "zero to zero in a token"],
          erc721: [...unknown, ...unknownIds],
          erc1155: [...unknown, ...unknownIds, "a rare token"],
        }
        expect(empty.toSorted()).toEqual(ofStandard[standard].toSorted())
      })
    }

    const [hot] = contracts as [Address]
    const [p1, p2] = people as [Address, Address]

    test("an id moved several times by one batch is as many rows, in the batch's order, a page ending between them", async () => {
      const batch = multiTransfer(hot, zeroAddress, p1, [
        [5n, 1n],
        [5n, 2n],
        [6n, 3n],
        [5n, 1n],
      ])
      const chainId = await seed(store, new TestChain().block([batch]))
      const read = (page: PageRequest<FeedKey>) =>
        list("erc1155", [chainId], { tokenAddress: [hot], tokenId: ["5"], to: [p1] }, "asc", page)
      const first = await read({ limit: 2 })
      expect(first.value.items).toMatchObject([{ amount: "1" }, { amount: "2" }])
      expect(first.value.keys.map(({ logIndex, sub }) => [logIndex, sub])).toEqual([
        [0, 0],
        [0, 1],
      ])
      const second = await read({ limit: 2, after: first.value.keys[1]! })
      expect(second.value.keys.map(({ logIndex, sub }) => [logIndex, sub])).toEqual([[0, 3]])
      expect(second.value.hasMore).toBe(false)
    })

    test("names appear on the transfers of all standards, decimals on ERC-20's; what is unknown stays absent", async () => {
      const chain = new TestChain()
      for (const token of contracts.slice(0, 2)) {
        const moved = [nftTransfer(token, p1, p2, 1n), multiTransfer(token, p1, p2, [[1n, 1n]])]
        chain.block([transfer(token, zeroAddress, p1, 5n), ...moved])
      }
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      const born = await store.run(writer.listUndescribedTokens(100))
      const description = { name: "Zebra", symbol: "S", decimals: 6 }
      await store.run(
        writer.describeTokens(born.map((token) => ({ token, description: token.address === hot ? description : {} }))),
      )
      const texts = { tokenName: "Zebra", tokenSymbol: "S" }
      const described = { erc20: { ...texts, tokenDecimals: 6 }, erc721: texts, erc1155: texts }
      const wanted = rowsOf(chainId, chain.blocks)
      for (const standard of standards) {
        const { value } = await list(standard, [chainId], {}, "asc", { limit: 5 })
        const [named, nameless] = wanted.filter((row) => row.standard === standard).map(({ item }) => item)
        expect(value.items).toEqual([{ ...named, ...described[standard] }, nameless!])
      }
    })

    test("counts are exact for a chain and its tokens, and stop at 10,000 under any other filter", async () => {
      const ranges = [0n, 5000n, 10_000n].map((first) =>
        consecutiveTransfer(hot, zeroAddress, p1, first, first + 4999n),
      )
      const chain = new TestChain().block(ranges).block([nftTransfer(hot, p1, p2, 7n)])
      const chainId = await seed(store, chain)
      const countOf = async (filter: TransferFilter) =>
        (await list("erc721", [chainId], filter, "desc", { limit: 1 }, true)).value.count
      const exact = (count: number) => ({ count, countType: "exact" as const })
      const capped = { count: 10_000, countType: "lowerBound" as const }
      expect([await countOf({}), await countOf({ tokenAddress: [hot] })]).toEqual([exact(15_001), exact(15_001)])
      expect(await countOf({ from: [zeroAddress] })).toEqual(capped)
      expect(await countOf({ address: [p1] })).toEqual(capped)
      expect(await countOf({ blockNumberFrom: 0 })).toEqual(capped)
      expect(await countOf({ address: [p2] })).toEqual(exact(1))
      expect(await countOf({ tokenAddress: [hot], tokenId: ["7"] })).toEqual(exact(2))
      expect(await countOf({ tokenAddress: [hot], tokenId: ["7"], from: [zeroAddress] })).toEqual(exact(1))
    })

    test("a long ERC-2309 range is walked by its receiver and as mints, page by page inside the log", async () => {
      const range = consecutiveTransfer(hot, zeroAddress, p1, 100n, 1699n)
      const chainId = await seed(store, new TestChain().block([range]))
      const wanted = Array.from({ length: 1600 }, (_, sub) => [String(1699 - sub), 1599 - sub])
      for (const filter of [{ to: [p1] }, { from: [zeroAddress] }, { to: [p1], tokenAddress: [hot] }, {}]) {
        const pages = await walkForward(feed("erc721", [chainId], filter, "desc"), 370)
        expect(pages.map(({ item, key }) => [(item as { tokenId: string }).tokenId, key.sub])).toEqual(wanted)
      }
    })

    test("pages by offset one after the other give each row once, before and after blocks come and are taken back", async () => {
      const chain = new TestChain()
      for (let block = 0; block < 20; block++)
        chain.block([
          transfer(hot, zeroAddress, p1, 3n),
          transfer(hot, p1, p2, BigInt(block % 3)),
          nftTransfer(hot, zeroAddress, p1, BigInt(block)),
        ])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const expectPages = async (head: number) => {
        const wanted = rowsOf(chainId, chain.blocks.slice(0, head + 1))
        for (const [standard, direction, size] of [
          ["erc20", "asc", 7],
          ["erc20", "desc", 7],
          ["erc20", "desc", 3],
          ["erc721", "asc", 2],
        ] as const) {
          const rows = wanted.filter((row) => row.standard === standard && matches(row, { address: [p1] }))
          const ordered = (direction === "asc" ? rows : rows.toReversed()).map(({ key }) => key)
          const pages: Array<FeedKey> = []
          for (let skip = 0; skip < ordered.length + size; skip += size) {
            const { value } = await store.run(
              TransferStore.use((s) =>
                s.list({
                  standard,
                  chains: [chainId],
                  filter: { address: [p1] },
                  direction,
                  page: { limit: size },
                  skip,
                  count: false,
                }),
              ),
            )
            pages.push(...value.keys)
          }
          expect([standard, direction, pages]).toEqual([standard, direction, ordered])
        }
      }
      await store.run(writer.append(chain.segment(0, 9)))
      await expectPages(9)
      await expectPages(9)
      await store.run(writer.append(chain.segment(10, 19)))
      await expectPages(19)
      await store.run(writer.rollback(15))
      await expectPages(14)
    })

    test("a row tells its block's hash as long as a reorg may take that block back", async () => {
      const chain = new TestChain()
      for (let block = 0; block < 6; block++) chain.block([transfer(hot, zeroAddress, p1, 1n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0, 5, { finalizedBlock: 2 })))
      const ask = (filter: TransferFilter) =>
        store.run(
          TransferStore.use((s) =>
            s.list({
              ...{ standard: "erc20", chains: [chainId], filter, direction: "asc", count: false },
              ...{ page: { limit: 10 }, include: ["blockHash"] },
            }),
          ),
        )
      for (const filter of [{}, { tokenAddress: [hot] }, { address: [p1] }]) {
        const { value } = await ask(filter)
        const told = value.items.map((row) => row.blockHash)
        const hashes = chain.blocks.map(({ header }) => header.hash)
        const first = told.findIndex((hash) => hash !== undefined)
        expect(first).toBeGreaterThan(0)
        expect(told).toEqual([...Array<undefined>(first).fill(undefined), ...hashes.slice(first)])
        expect(first).toBeLessThanOrEqual(3)
      }
    })

    test("a chain that was never opened has an empty feed of every standard", async () => {
      for (const standard of standards) {
        const filter = { address: [p1] }
        for (const asked of [filter, {}]) {
          expect(await list(standard, [freshChainId()], asked, "desc", { limit: 5 }, true)).toEqual({
            asOf: [],
            value: { items: [], keys: [], hasMore: false, count: { count: 0, countType: "exact" } },
          })
        }
      }
    })
  })
