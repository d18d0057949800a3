/** The contract of holders, holdings, ids and supply, of contracts of every standard and of several, against a plain fold of plain rows. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Erc1155HolderKey, HolderKey } from "../../../src/model/holder.ts"
import type { PageRequest } from "../../../src/model/page.ts"
import { dateTimeOf, zeroAddress } from "../../../src/model/primitives.ts"
import type { NftKey, Standard } from "../../../src/model/token.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { NftStore } from "../../../src/ports/NftStore.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { address, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, seed, type TestStore } from "../store.ts"
import { walkBackward, walkForward } from "../walk.ts"
import { bazaar, contracts, crowd, crowded, type Facts, factsOf, traders } from "../worlds/bazaar.ts"

const windows = [
  { page: 1, offset: 1000 },
  { page: 1, offset: 2 },
  { page: 2, offset: 3 },
  { page: 10, offset: 1000 },
]
const cut = <Row>(rows: ReadonlyArray<Row>, { page, offset }: (typeof windows)[number]) =>
  rows.slice((page - 1) * offset, page * offset)

export const holdingsContract = (name: string, makeStore: MakeStore) =>
  describe(`Holdings on ${name}`, () => {
    let store: TestStore
    const cases = [
      { chain: bazaar(21), chainId: freshChainId(), tokens: contracts.map((it) => it.address), limits: [1, 7, 1000] },
      { chain: bazaar(22), chainId: freshChainId(), tokens: contracts.map((it) => it.address), limits: [2, 1000] },
      { chain: crowd(), chainId: freshChainId(), tokens: crowded, limits: [1, 7, 100, 1000] },
    ].map((it) => ({ ...it, facts: factsOf(it.chain.blocks) }))

    beforeAll(async () => {
      store = await openStore(makeStore)
      for (const { chain, chainId } of cases) await seed(store, chain, chainId)
    })
    afterAll(() => store.close())

    const find = (facts: ReadonlyArray<Facts>, standard: Standard, token: string) =>
      facts.find((it) => it.standard === standard && it.address === token)
    /** What a contract is where no standard is named. */
    const first = (facts: ReadonlyArray<Facts>, token: string) =>
      find(facts, "erc20", token) ?? find(facts, "erc721", token) ?? find(facts, "erc1155", token)
    const exactly = (count: number) => ({ count, countType: "exact" as const })

    for (const standard of ["erc20", "erc721"] as const) {
      test(`holders of ${standard} tokens come by balance, then address, walked both ways, with supply and count`, async () => {
        for (const { chainId, facts, tokens, limits } of cases) {
          for (const token of tokens) {
            const truth = find(facts, standard, token)
            const wanted = (truth?.holders ?? []).map((holder) => ({ chainId, ...holder }))
            const read = (page: PageRequest<HolderKey>) =>
              store.run(HolderStore.use((s) => s.list(standard, { chainId, token, page, count: page.limit === 7 })))
            for (const limit of limits) {
              expect(await walkForward(read, limit)).toEqual(wanted)
              expect(await walkBackward(read, limit)).toEqual(wanted)
            }
            const { value } = await read({ limit: 7 })
            expect([value.supply, value.count]).toEqual([truth && String(truth.supply), exactly(wanted.length)])
          }
        }
      })
    }

    test("holders of ERC-1155 contracts are rows of address and id by balance, address, id, walked both ways", async () => {
      for (const { chainId, facts, tokens, limits } of cases) {
        for (const token of tokens) {
          const wanted = (find(facts, "erc1155", token)?.units ?? []).map((unit) => ({ chainId, ...unit }))
          const read = (page: PageRequest<Erc1155HolderKey>) =>
            store.run(HolderStore.use((s) => s.listErc1155({ chainId, token, page, count: page.limit === 7 })))
          for (const limit of limits) {
            expect(await walkForward(read, limit)).toEqual(wanted)
            expect(await walkBackward(read, limit)).toEqual(wanted)
          }
          const { value } = await read({ limit: 7 })
          expect(value.count).toEqual(exactly(wanted.length))
        }
      }
    })

    test("live ids come ascending as numbers, each with the time of its latest mint, walked both ways", async () => {
      for (const { chainId, facts, tokens, limits } of cases) {
        for (const token of tokens) {
          const wanted = (find(facts, "erc721", token)?.ids ?? []).map(({ tokenId, mintTime }) => ({
            chainId,
            tokenAddress: token,
            tokenId,
            createdAt: dateTimeOf(mintTime),
          }))
          const read = (page: PageRequest<NftKey>) =>
            store.run(NftStore.use((s) => s.list({ chainId, token, page, count: page.limit === 7 })))
          for (const limit of limits) {
            expect(await walkForward(read, limit)).toEqual(wanted)
            expect(await walkBackward(read, limit)).toEqual(wanted)
          }
          const { value } = await read({ limit: 7 })
          expect(value.count).toEqual(exactly(wanted.length))
        }
      }
    })

    test("a page of ids starts behind its key, live, burnt or never seen", async () => {
      const { chainId, facts } = cases[2]!
      const live = find(facts, "erc721", crowded[0])!.ids.map(({ tokenId }) => BigInt(tokenId))
      for (const tokenId of [0n, 5n, 148n, 4242n, 2n ** 255n, 2n ** 256n - 1n]) {
        const read = (page: PageRequest<NftKey>) =>
          store.run(NftStore.use((s) => s.list({ chainId, token: crowded[0], page, count: false })))
        const idsOf = async (page: PageRequest<NftKey>) => (await read(page)).value.items.map((it) => it.tokenId)
        const key = { tokenId: String(tokenId) }
        const [behind, ahead] = [live.filter((id) => id > tokenId), live.filter((id) => id < tokenId)]
        expect(await idsOf({ limit: 9, after: key })).toEqual(behind.slice(0, 9).map(String))
        expect(await idsOf({ limit: 9, before: key })).toEqual(ahead.slice(-9).map(String))
      }
    })

    test("an inventory is the ids that an address owns, ascending, by page and offset", async () => {
      for (const { chainId, facts, tokens } of cases) {
        for (const token of tokens) {
          for (const owner of [zeroAddress, ...traders, address(0xc000), address(0xc003)]) {
            const owned = (find(facts, "erc721", token)?.ids ?? []).filter((id) => id.owner === owner)
            for (const window of windows) {
              const { value } = await store.run(NftStore.use((s) => s.listInventory({ chainId, token, owner, window })))
              expect(value).toEqual(
                cut(
                  owned.map(({ tokenId }) => tokenId),
                  window,
                ),
              )
            }
          }
        }
      }
    })

    test("where no standard is named a contract answers as the first it emits", async () => {
      for (const { chainId, facts, tokens } of cases) {
        for (const token of tokens) {
          const { holders, supply } = first(facts, token)!
          const count = await store.run(HolderStore.use((s) => s.count(chainId, token)))
          const total = await store.run(SupplyStore.use((s) => s.find(chainId, token)))
          expect([count.value, total.value]).toEqual([holders.length, String(supply)])
          for (const window of windows) {
            const { value } = await store.run(HolderStore.use((s) => s.listWindow(chainId, token, window)))
            expect(value).toEqual(
              cut(
                holders.map((holder) => ({ chainId, ...holder })),
                window,
              ),
            )
          }
        }
      }
    })

    test("balances and supply after a block are those of the blocks up to it", async () => {
      const { chain, chainId } = cases[0]!
      for (let block = -1; block <= chain.nextBlock; block += 6) {
        const facts = factsOf(chain.blocks.slice(0, block + 1))
        for (const token of contracts.map((it) => it.address)) {
          // The standard is the first that the contract emits today, whether it did so by then or not.
          const standard = contracts.find((it) => it.address === token)!.emits[0]!
          const then = find(facts, standard, token)
          const supply = await store.run(SupplyStore.use((s) => s.find(chainId, token, block)))
          expect(supply.value).toBe(String(then?.supply ?? 0n))
          for (const holder of [zeroAddress, ...traders]) {
            const { value } = await store.run(HolderStore.use((s) => s.findBalance(chainId, token, holder, block)))
            expect(value).toBe(String(then?.balances.get(holder) ?? 0n))
          }
        }
      }
    })

    test("holdings of an address are the standard's tokens by contract address, by page and offset", async () => {
      for (const { chainId, facts } of cases) {
        for (const standard of ["erc20", "erc721"] as const) {
          for (const holder of [zeroAddress, ...traders, address(0xc000)]) {
            const wanted = facts
              .filter((it) => it.standard === standard && (it.balances.get(holder) ?? 0n) > 0n)
              .sort((a, b) => (a.address < b.address ? -1 : 1))
              .map((it) => ({ tokenAddress: it.address, balance: String(it.balances.get(holder)) }))
            for (const window of windows) {
              const { value } = await store.run(
                HolderStore.use((s) => s.listHoldings(standard, { chainId, holder, window })),
              )
              expect(value).toEqual(cut(wanted, window))
            }
          }
        }
      }
    })

    test("holdings of an address that has nearly every token come in the same order as those of others", async () => {
      const [whale, other] = [traders[0]!, traders[1]!]
      const contractOf = (n: number) => address(0xa000 + ((n * 37) % 130))
      const chain = new TestChain()
      const owns = (n: number) => n % 5 !== 0
      const all = Array.from({ length: 130 }, (_, n) => n)
      chain.block(all.map((n) => transfer(contractOf(n), zeroAddress, owns(n) ? whale : other, BigInt(n + 1))))
      chain.block(all.map((n) => nftTransfer(contractOf(n), zeroAddress, owns(n) ? whale : other, BigInt(n))))
      chain.block(all.slice(0, 4).map((n) => transfer(contractOf(n), owns(n) ? whale : other, other, BigInt(n + 1))))
      const chainId = await seed(store, chain)
      const facts = factsOf(chain.blocks)
      for (const standard of ["erc20", "erc721"] as const) {
        for (const holder of [whale, other, traders[2]!]) {
          const wanted = facts
            .filter((it) => it.standard === standard && (it.balances.get(holder) ?? 0n) > 0n)
            .sort((a, b) => (a.address < b.address ? -1 : 1))
            .map((it) => ({ tokenAddress: it.address, balance: String(it.balances.get(holder)) }))
          for (const [page, offset] of [
            [1, 1],
            [2, 1],
            [1, 4],
            [3, 7],
            [5, 20],
            [1, 1000],
            [2, 1000],
          ] as const) {
            const window = { page, offset }
            const { value } = await store.run(
              HolderStore.use((s) => s.listHoldings(standard, { chainId, holder, window })),
            )
            expect(value).toEqual(cut(wanted, window))
          }
        }
      }
    })

    test("an id has the address recorded since its latest mint, and none after a burn and a new mint", async () => {
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const [art, owner] = [address(0x9101), traders[0]!]
      const chain = new TestChain().block(
        [1n, 2n, 2n ** 256n - 1n].map((id) => nftTransfer(art, zeroAddress, owner, id)),
      )
      await store.run(writer.append(chain.segment(0)))
      const asked = await store.run(writer.listNftsWithoutUri(10))
      const found = asked.map((nft) => ({ nft, ...(nft.tokenId === "2" ? {} : { uri: `ipfs://${nft.tokenId}` }) }))
      await store.run(writer.recordTokenUris(found))
      const texts = async () => {
        const page = { limit: 10 }
        const { value } = await store.run(NftStore.use((s) => s.list({ chainId, token: art, page, count: false })))
        return value.items.map(({ tokenId, tokenUri }) => [tokenId, tokenUri])
      }
      const huge = String(2n ** 256n - 1n)
      expect(await texts()).toEqual([
        ["1", "ipfs://1"],
        ["2", undefined],
        [huge, `ipfs://${huge}`],
      ])
      chain.block([nftTransfer(art, owner, zeroAddress, 1n), nftTransfer(art, zeroAddress, owner, 1n)])
      await store.run(writer.append(chain.segment(1)))
      expect(await texts()).toEqual([
        ["1", undefined],
        ["2", undefined],
        [huge, `ipfs://${huge}`],
      ])
    })

    test("an unknown contract has no holders, no ids, no holdings, no supply and no error", async () => {
      const token = address(0xdead)
      const { chainId } = cases[0]!
      const none = { items: [], keys: [], hasMore: false, count: exactly(0) }
      const page = { limit: 5 }
      const window = { page: 1, offset: 5 }
      for (const { asOf, id } of [
        { asOf: 1, id: chainId },
        { asOf: 0, id: freshChainId() },
      ]) {
        const query = { chainId: id, token, page, count: true }
        const lists = [
          await store.run(HolderStore.use((s) => s.list("erc721", query))),
          await store.run(HolderStore.use((s) => s.listErc1155(query))),
          await store.run(NftStore.use((s) => s.list(query))),
        ]
        for (const list of lists) expect<unknown>(list.value).toEqual(none)
        const windowed = [
          await store.run(HolderStore.use((s) => s.listWindow(id, token, window))),
          await store.run(HolderStore.use((s) => s.listHoldings("erc721", { chainId: id, holder: token, window }))),
          await store.run(NftStore.use((s) => s.listInventory({ chainId: id, token, owner: traders[0]!, window }))),
        ]
        for (const list of windowed) expect(list.value).toEqual([])
        expect([...lists, ...windowed].map((list) => list.asOf.length)).toEqual(Array(6).fill(asOf))
      }
    })
  })
