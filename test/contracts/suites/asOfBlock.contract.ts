/** The contract of lists as of a block: each is what a plain fold of the blocks up to it says, while blocks come and are taken back. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { isReserved } from "../../../src/model/event.ts"
import type { Erc1155HolderKey, HolderKey } from "../../../src/model/holder.ts"
import type { PageRequest, Pin } from "../../../src/model/page.ts"
import { type Address, type ChainId, dateTimeOf, zeroAddress } from "../../../src/model/primitives.ts"
import { type NftKey, type Standard, standards } from "../../../src/model/token.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { NftStore } from "../../../src/ports/NftStore.ts"
import { anyBlock, anyChain, anyChainSettings, weth } from "../../support/chain/anyEvents.ts"
import {
  address,
  deposit,
  multiTransfer,
  nftTransfer,
  TestChain,
  transfer,
  withdrawal,
} from "../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../store.ts"
import { walkBackward, walkForward } from "../walk.ts"
import { type Facts, factsOf } from "../worlds/bazaar.ts"

const windows = [
  { page: 1, offset: 1000 },
  { page: 2, offset: 2 },
]
const cut = <Row>(rows: ReadonlyArray<Row>, { page, offset }: (typeof windows)[number]) =>
  rows.slice((page - 1) * offset, page * offset)
const exactly = (count: number) => ({ count, countType: "exact" as const })

const step = fc.record({
  /** Blocks taken back before. */
  rollback: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
  blocks: fc.array(anyBlock, { minLength: 1, maxLength: 8 }),
  /** Where to look, as a part of the way to the head, and at which third of the tokens and people. */
  look: fc.double({ min: 0, max: 1, noNaN: true }),
  third: fc.nat(2),
  limit: fc.constantFrom(2, 5, 1000),
})

export const asOfBlockContract = (name: string, makeStore: MakeStore, numRuns: number) =>
  describe(`Lists as of a block on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const find = (facts: ReadonlyArray<Facts>, standard: Standard, token: string) =>
      facts.find((it) => it.standard === standard && it.address === token)

    /** Compares the lists of a third of the tokens and people as of a block, walked in pages of `limit`. */
    const compare = async (
      chainId: ChainId,
      chain: TestChain,
      blockNumber: number,
      { limit, third }: { readonly limit: number; readonly third: number },
    ) => {
      const some = <A>(all: Iterable<A>) => [...new Set(all)].filter((_, place) => place % 3 === third)
      const now = factsOf(chain.blocks)
      const then = factsOf(chain.blocks.slice(0, blockNumber + 1))
      const tokens = some(now.map((facts) => facts.address))
      const accounts = [zeroAddress, ...now.flatMap((facts) => [...facts.balances.keys()])]
      const people = some(accounts.filter((account): account is Address => !isReserved(account))).slice(0, 4)
      for (const token of tokens) {
        const query = { chainId, token, count: true, blockNumber }
        for (const standard of ["erc20", "erc721"] as const) {
          const read = (page: PageRequest<HolderKey>) =>
            store.run(HolderStore.use((s) => s.list(standard, { ...query, page })))
          const facts = find(then, standard, token)
          const wanted = (facts?.holders ?? []).map((holder) => ({ chainId, ...holder }))
          expect(await walkForward(read, limit)).toEqual(wanted)
          expect(await walkBackward(read, limit)).toEqual(wanted)
          const supply = find(now, standard, token) && String(facts?.supply ?? 0n)
          const { value } = await read({ limit })
          expect([value.supply, value.count]).toEqual([supply, exactly(wanted.length)])
        }
        const units = (page: PageRequest<Erc1155HolderKey>) =>
          store.run(HolderStore.use((s) => s.listErc1155({ ...query, page })))
        const wantedUnits = (find(then, "erc1155", token)?.units ?? []).map((unit) => ({ chainId, ...unit }))
        expect(await walkForward(units, limit)).toEqual(wantedUnits)
        expect(await walkBackward(units, limit)).toEqual(wantedUnits)
        expect((await units({ limit })).value.count).toEqual(exactly(wantedUnits.length))
        const ids = (page: PageRequest<NftKey>) => store.run(NftStore.use((s) => s.list({ ...query, page })))
        const wantedIds = (find(then, "erc721", token)?.ids ?? []).map(({ tokenId, mintTime }) => ({
          chainId,
          tokenAddress: token,
          tokenId,
          createdAt: dateTimeOf(mintTime),
        }))
        expect(await walkForward(ids, limit)).toEqual(wantedIds)
        expect(await walkBackward(ids, limit)).toEqual(wantedIds)
        expect((await ids({ limit })).value.count).toEqual(exactly(wantedIds.length))
        for (const [place, owner] of people.entries()) {
          const owned = (find(then, "erc721", token)?.ids ?? []).filter((id) => id.owner === owner)
          const window = windows[place % 2]!
          const read = await store.run(
            NftStore.use((s) => s.listInventory({ chainId, token, owner, window, blockNumber })),
          )
          expect(read.value).toEqual(
            cut(
              owned.map(({ tokenId }) => tokenId),
              window,
            ),
          )
        }
        for (const [place, holder] of people.entries()) {
          const held = (find(then, "erc1155", token)?.units ?? [])
            .filter(({ address }) => address === holder)
            .map(({ tokenId, balance }) => ({ tokenId, balance }))
            .sort((a, b) => (BigInt(a.tokenId) < BigInt(b.tokenId) ? -1 : 1))
          const window = windows[place % 2]!
          const read = await store.run(HolderStore.use((s) => s.listUnits(chainId, token, holder, window, blockNumber)))
          expect(read.value).toEqual(cut(held, window))
        }
        // The standard is the first that the contract emits today, whether it did so by then or not.
        const first = standards.find((standard) => find(now, standard, token) !== undefined)!
        const holders = find(then, first, token)?.holders ?? []
        expect((await store.run(HolderStore.use((s) => s.count(chainId, token, blockNumber)))).value).toBe(
          holders.length,
        )
        for (const window of windows) {
          const read = await store.run(HolderStore.use((s) => s.listWindow(chainId, token, window, blockNumber)))
          expect(read.value).toEqual(
            cut(
              holders.map((holder) => ({ chainId, ...holder })),
              window,
            ),
          )
        }
      }
      for (const standard of ["erc20", "erc721"] as const) {
        for (const [place, holder] of people.entries()) {
          const wanted = then
            .filter((it) => it.standard === standard && (it.balances.get(holder) ?? 0n) > 0n)
            .sort((a, b) => (a.address < b.address ? -1 : 1))
            .map((it) => ({ tokenAddress: it.address, balance: String(it.balances.get(holder)) }))
          const window = windows[place % 2]!
          const read = await store.run(
            HolderStore.use((s) => s.listHoldings(standard, { chainId, holder, window, blockNumber })),
          )
          expect(read.value).toEqual(cut(wanted, window))
        }
      }
    }

    test("every list as of any block is what a fold of the blocks up to it says, while blocks come and go", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 3 }), async (steps) => {
          const chain = anyChain()
          const chainId = freshChainId()
          const writer = await store.open({ chainId, ...anyChainSettings })
          for (const [salt, { rollback, blocks, look, ...scope }] of steps.entries()) {
            const from = Math.max(0, chain.nextBlock - rollback)
            if (from < chain.nextBlock) await store.run(writer.rollback(from))
            chain.truncate(from)
            for (const { events, pause } of blocks) {
              const time = (chain.blocks.at(-1)?.header.time ?? chain.genesisTime) + pause
              chain.block(events, { salt: String(salt), time })
            }
            await store.run(writer.append(chain.segment(from)))
            await compare(chainId, chain, Math.floor(look * (chain.nextBlock - 1)), scope)
          }
        }),
        { numRuns },
      )
    })

    test("so is every list of tokens with hundreds of rows since, of few accounts and of many", async () => {
      const chainId = freshChainId()
      const chain = busyChain()
      const writer = await store.open({ chainId, wrappedNative: [...chain.wrappedNative] })
      await store.run(writer.append(chain.segment(0)))
      for (const block of [4, 20]) {
        for (const third of [0, 1, 2]) await compare(chainId, chain, block, { limit: 60, third })
      }
    })

    const [token, alice, bob] = [address(0x80), address(0xa), address(0xb)]

    test("a block that the ledger does not hold gives what there is: nothing before it, the newest beyond the head", async () => {
      const chainId = freshChainId()
      const chain = new TestChain(new Set(), 7).block([
        transfer(token, zeroAddress, alice, 5n),
        nftTransfer(token, zeroAddress, alice, 3n),
        multiTransfer(token, zeroAddress, alice, [[2n, 9n]]),
      ])
      const writer = await store.open({ chainId, firstBlock: 7 })
      await store.run(writer.append(chain.segment(7)))
      const lengths = async (blockNumber: number) => {
        const query = { chainId, token, page: { limit: 5 }, count: true, blockNumber }
        const window = { page: 1, offset: 5 }
        return [
          (await store.run(HolderStore.use((s) => s.list("erc20", query)))).value.items.length,
          (await store.run(HolderStore.use((s) => s.listErc1155(query)))).value.items.length,
          (await store.run(NftStore.use((s) => s.list(query)))).value.items.length,
          (await store.run(HolderStore.use((s) => s.listWindow(chainId, token, window, blockNumber)))).value.length,
          (await store.run(HolderStore.use((s) => s.count(chainId, token, blockNumber)))).value,
          (
            await store.run(
              HolderStore.use((s) => s.listHoldings("erc20", { chainId, holder: alice, window, blockNumber })),
            )
          ).value.length,
          (await store.run(NftStore.use((s) => s.listInventory({ chainId, token, owner: alice, window, blockNumber }))))
            .value.length,
          (await store.run(HolderStore.use((s) => s.listUnits(chainId, token, alice, window, blockNumber)))).value
            .length,
        ]
      }
      for (const block of [0, 6]) expect(await lengths(block)).toEqual(Array(8).fill(0))
      for (const block of [7, 8, 2 ** 31, Number.MAX_SAFE_INTEGER])
        expect(await lengths(block)).toEqual(Array(8).fill(1))
    })

    test("a page says whether its block was taken back or healed since the page before", async () => {
      const chainId = freshChainId()
      const chain = new TestChain()
      for (let block = 0; block < 10; block++) chain.block([transfer(token, zeroAddress, alice, 1n)])
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0, 9, { finalizedBlock: 2 })))
      const pins = async (blockNumber: number, rollbacks?: number): Promise<ReadonlyArray<Pin | undefined>> => {
        const page = { limit: 5, ...(rollbacks === undefined ? {} : { rollbacks }) }
        const query = { chainId, token, page, count: false, blockNumber }
        return [
          (await store.run(HolderStore.use((s) => s.list("erc20", query)))).value.pin,
          (await store.run(HolderStore.use((s) => s.listErc1155(query)))).value.pin,
          (await store.run(NftStore.use((s) => s.list(query)))).value.pin,
        ]
      }
      const alike = (pin: Pin) => [pin, pin, pin]
      expect(await pins(2)).toEqual(alike({ rollbacks: 0, replaced: false }))
      expect(await pins(3)).toEqual(alike({ rollbacks: 0, replaced: false }))
      expect(await pins(9, 0)).toEqual(alike({ rollbacks: 0, replaced: false }))
      await store.run(writer.rollback(8))
      await store.run(writer.rollback(6))
      await store.run(writer.append(chain.segment(6, 9, { finalizedBlock: 9 })))
      expect(await pins(5, 0)).toEqual(alike({ rollbacks: 2, replaced: false }))
      expect(await pins(6, 0)).toEqual(alike({ rollbacks: 2, replaced: true }))
      expect(await pins(9, 1)).toEqual(alike({ rollbacks: 2, replaced: true }))
      expect(await pins(9, 2)).toEqual(alike({ rollbacks: 2, replaced: false }))
      expect(await pins(5, 3)).toEqual(alike({ rollbacks: 2, replaced: true }))
      await store.run(writer.append(chain.block().segment(10)))
      expect(await pins(10)).toEqual(alike({ rollbacks: 2, replaced: false }))
      expect(await pins(10, 2)).toEqual(alike({ rollbacks: 2, replaced: false }))
      // What was missed in a final block changes it.
      const lost = chain.blocks[4]!
      const { blockNumber, time } = lost.movements[0]!
      const missed = { ...lost.movements[0]!, logIndex: 7 }
      expect([blockNumber, time]).toEqual([4, lost.header.time])
      await store.run(writer.heal({ movements: [missed], nfts: [], headers: [lost.header] }))
      expect(await pins(3, 2)).toEqual(alike({ rollbacks: 3, replaced: false }))
      expect(await pins(4, 2)).toEqual(alike({ rollbacks: 3, replaced: true }))
    })

    test("an id as of a block has what was said of its latest mint, if it lives of that mint still", async () => {
      const chainId = freshChainId()
      const chain = new TestChain()
        .block([1n, 2n, 3n].map((id) => nftTransfer(token, zeroAddress, alice, id)))
        .block([nftTransfer(token, alice, bob, 1n)])
        .block([nftTransfer(token, alice, zeroAddress, 2n), nftTransfer(token, alice, zeroAddress, 3n)])
        .block([nftTransfer(token, zeroAddress, bob, 3n)])
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      const asked = await store.run(writer.listNftsWithoutUri(10))
      await store.run(writer.recordTokenUris(asked.map((nft) => ({ nft, uri: `ipfs://${nft.tokenId}` }))))
      const uris = async (blockNumber: number) => {
        const query = { chainId, token, page: { limit: 5 }, count: false, blockNumber }
        const { value } = await store.run(NftStore.use((s) => s.list(query)))
        return value.items.map(({ tokenId, tokenUri }) => `${tokenId} ${tokenUri}`)
      }
      expect(await uris(1)).toEqual(["1 ipfs://1", "2 undefined", "3 undefined"])
      expect(await uris(2)).toEqual(["1 ipfs://1"])
      expect(await uris(3)).toEqual(["1 ipfs://1", "3 ipfs://3"])
    })
  })

/** A contract of each standard whose rows are of five people, and one whose are of a hundred, in every odd way. */
const busyChain = (): TestChain => {
  let state = 5
  const below = (bound: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * bound)
  }
  const chain = new TestChain(new Set([weth]))
  for (let block = 0; block < 24; block++) {
    const events = [5, 100].flatMap((people, place) => {
      const party = () => (below(5) === 0 ? zeroAddress : address(0xb000 + below(people)))
      const rows = Array.from({ length: 14 }, () => [
        transfer(place === 0 ? weth : address(0x90), party(), party(), BigInt(below(9))),
        nftTransfer(address(0x91 + 16 * place), party(), party(), BigInt(below(people * 3))),
        multiTransfer(address(0x92 + 16 * place), party(), party(), [[BigInt(below(4)), BigInt(below(9))]]),
      ])
      return [...rows.flat(), ...(place === 0 ? [deposit(weth, party(), 3n), withdrawal(weth, party(), 2n)] : [])]
    })
    chain.block(events)
  }
  return chain
}
