/** The Ledger port's contract of ERC-721 and ERC-1155 rows: who owns what after them, and after they are taken back. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type ChainId, zeroAddress } from "../../../src/model/primitives.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { NftStore } from "../../../src/ports/NftStore.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import {
  address,
  consecutiveTransfer,
  multiTransfer,
  nftTransfer,
  TestChain,
  type TestEvent,
  transfer,
} from "../../support/chain/testChain.ts"
import { contentOf } from "../content.ts"
import { freshChainId, type MakeStore, openStore, seed, type TestStore } from "../store.ts"

const token = address(0x80)
const [alice, bob, carol] = [address(0xa), address(0xb), address(0xc)]
const page = { limit: 100 }

export const nftLedgerContract = (name: string, makeStore: MakeStore) =>
  describe(`ERC-721 and ERC-1155 in the ledger on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    /** Blocks of 12 seconds from the chain's genesis time on. */
    const chainOf = (...blocks: ReadonlyArray<ReadonlyArray<TestEvent>>) => {
      const chain = new TestChain()
      for (const events of blocks) chain.block(events)
      return chain
    }
    const timeOf = (block: number) => new Date((1_700_000_012 + 12 * block) * 1000).toISOString()
    /** Who owns which ids, when they were minted, who holds how many, and how many live. */
    const ownersOf = async (chainId: ChainId) => {
      const { value: ids } = await store.run(NftStore.use((s) => s.list({ chainId, token, page, count: true })))
      const { value: holders } = await store.run(
        HolderStore.use((s) => s.list("erc721", { chainId, token, page, count: true })),
      )
      return {
        ids: ids.items.map(({ tokenId, createdAt }) => `${tokenId} ${createdAt}`),
        holders: holders.items.map((holder) => `${holder.address} ${holder.balance}`),
        supply: holders.supply,
        counts: [ids.count?.count, holders.count?.count],
      }
    }
    const unitsOf = async (chainId: ChainId) => {
      const units = await store.run(HolderStore.use((s) => s.listErc1155({ chainId, token, page, count: true })))
      const sums = await store.run(HolderStore.use((s) => s.listWindow(chainId, token, { page: 1, offset: 100 })))
      return {
        units: units.value.items.map((unit) => `${unit.address} ${unit.tokenId} ${unit.balance}`),
        count: units.value.count?.count,
        sums: sums.value.map((holder) => `${holder.address} ${holder.balance}`),
      }
    }
    const feedOf = async (standard: "erc721" | "erc1155", chainId: ChainId) =>
      (
        await store.run(
          TransferStore.use((s) =>
            s.list({ standard, chains: [chainId], filter: {}, direction: "asc", page, count: false }),
          ),
        )
      ).value.items.map((row) => `${row.blockNumber} ${row.logIndex} ${row.from} ${row.to} ${row.tokenId}`)

    test("an id is minted, moved, burnt and minted again: its owner, its mint and the live ids follow", async () => {
      const chain = chainOf(
        [nftTransfer(token, zeroAddress, alice, 1n), nftTransfer(token, zeroAddress, alice, 2n ** 256n - 1n)],
        [nftTransfer(token, alice, bob, 1n)],
        [nftTransfer(token, bob, zeroAddress, 1n)],
        [nftTransfer(token, zeroAddress, carol, 1n)],
      )
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const big = `${2n ** 256n - 1n} ${timeOf(0)}`
      const wanted = [
        { ids: [`1 ${timeOf(0)}`, big], holders: [`${alice} 2`], supply: "2", counts: [2, 1] },
        { ids: [`1 ${timeOf(0)}`, big], holders: [`${alice} 1`, `${bob} 1`], supply: "2", counts: [2, 2] },
        { ids: [big], holders: [`${alice} 1`], supply: "1", counts: [1, 1] },
        { ids: [`1 ${timeOf(3)}`, big], holders: [`${alice} 1`, `${carol} 1`], supply: "2", counts: [2, 2] },
      ]
      for (let block = 0; block < 4; block++) {
        await store.run(writer.append(chain.segment(block, block)))
        expect(await ownersOf(chainId)).toEqual(wanted[block]!)
      }
      for (let block = 3; block > 0; block--) {
        await store.run(writer.rollback(block))
        expect(await ownersOf(chainId)).toEqual(wanted[block - 1]!)
      }
      await store.run(writer.append(chain.segment(1)))
      expect(await ownersOf(chainId)).toEqual(wanted[3]!)
    })

    test("a rollback over a burn and a new mint gives back the mint of that life, not of an earlier one", async () => {
      const chain = chainOf(
        [nftTransfer(token, zeroAddress, alice, 1n)],
        [nftTransfer(token, alice, zeroAddress, 1n)],
        [nftTransfer(token, zeroAddress, bob, 1n)],
        [nftTransfer(token, bob, carol, 1n)],
        [nftTransfer(token, carol, zeroAddress, 1n)],
        [nftTransfer(token, zeroAddress, alice, 1n)],
      )
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      const owned = (who: string, block: number) => ({
        ids: [`1 ${timeOf(block)}`],
        holders: [`${who} 1`],
        supply: "1",
        counts: [1, 1],
      })
      expect(await ownersOf(chainId)).toEqual(owned(alice, 5))
      await store.run(writer.rollback(4))
      expect(await ownersOf(chainId)).toEqual(owned(carol, 2))
      await store.run(writer.rollback(1))
      expect(await ownersOf(chainId)).toEqual(owned(alice, 0))
    })

    test("the ledger's owner loses an id, whatever the log's from says; the feed shows the log as it is", async () => {
      const chainId = await seed(
        store,
        chainOf(
          [nftTransfer(token, zeroAddress, alice, 1n)],
          [nftTransfer(token, carol, bob, 1n), nftTransfer(token, carol, bob, 2n)],
          [nftTransfer(token, zeroAddress, carol, 1n), nftTransfer(token, alice, zeroAddress, 2n)],
        ),
      )
      expect(await ownersOf(chainId)).toEqual({
        ids: [`1 ${timeOf(0)}`],
        holders: [`${carol} 1`],
        supply: "1",
        counts: [1, 1],
      })
      expect(await feedOf("erc721", chainId)).toEqual([
        `0 0 ${zeroAddress} ${alice} 1`,
        `1 0 ${carol} ${bob} 1`,
        `1 1 ${carol} ${bob} 2`,
        `2 0 ${zeroAddress} ${carol} 1`,
        `2 1 ${alice} ${zeroAddress} 2`,
      ])
      const balances = await Promise.all(
        [0, 1, 2].map((block) => store.run(HolderStore.use((s) => s.findBalance(chainId, token, bob, block)))),
      )
      expect(balances.map(({ value }) => value)).toEqual(["0", "2", "0"])
    })

    test("from zero to zero is listed and owns nothing; to zero of an id that nobody owns changes nothing", async () => {
      const chainId = await seed(
        store,
        chainOf([nftTransfer(token, zeroAddress, zeroAddress, 1n), nftTransfer(token, alice, zeroAddress, 2n)]),
      )
      expect(await ownersOf(chainId)).toEqual({ ids: [], holders: [], supply: "0", counts: [0, 0] })
      expect(await feedOf("erc721", chainId)).toEqual([
        `0 0 ${zeroAddress} ${zeroAddress} 1`,
        `0 1 ${alice} ${zeroAddress} 2`,
      ])
    })

    test("an ERC-2309 log is a row per id, in order", async () => {
      const chain = chainOf(
        [consecutiveTransfer(token, zeroAddress, alice, 3n, 6n)],
        [nftTransfer(token, alice, bob, 4n), consecutiveTransfer(token, alice, zeroAddress, 5n, 6n)],
      )
      const chainId = await seed(store, chain)
      expect(await ownersOf(chainId)).toEqual({
        ids: [`3 ${timeOf(0)}`, `4 ${timeOf(0)}`],
        holders: [`${alice} 1`, `${bob} 1`],
        supply: "2",
        counts: [2, 2],
      })
      expect((await feedOf("erc721", chainId)).slice(0, 4)).toEqual(
        [3, 4, 5, 6].map((id) => `0 0 ${zeroAddress} ${alice} ${id}`),
      )
    })

    test("a batch is a row per id, the same id twice too; what is held is per address and id, and its sum", async () => {
      const chain = chainOf(
        [
          multiTransfer(token, zeroAddress, alice, [
            [1n, 5n],
            [2n, 2n ** 256n - 1n],
            [1n, 7n],
          ]),
        ],
        [
          multiTransfer(token, alice, bob, [
            [1n, 4n],
            [1n, 8n],
          ]),
        ],
        [
          multiTransfer(token, bob, zeroAddress, [[1n, 2n]]),
          multiTransfer(token, zeroAddress, zeroAddress, [[9n, 1n]]),
        ],
        [multiTransfer(token, alice, alice, [[2n, 1n]]), multiTransfer(token, alice, bob, [])],
      )
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const huge = 2n ** 256n - 1n
      const wanted = [
        { units: [`${alice} 2 ${huge}`, `${alice} 1 12`], count: 2, sums: [`${alice} ${huge + 12n}`] },
        { units: [`${alice} 2 ${huge}`, `${bob} 1 12`], count: 2, sums: [`${alice} ${huge}`, `${bob} 12`] },
        {
          units: [`${alice} 2 ${huge}`, `${bob} 1 10`, `${zeroAddress} 9 1`],
          count: 3,
          sums: [`${alice} ${huge}`, `${bob} 10`, `${zeroAddress} 1`],
        },
      ]
      for (let block = 0; block < 3; block++) {
        await store.run(writer.append(chain.segment(block, block)))
        expect(await unitsOf(chainId)).toEqual(wanted[block]!)
      }
      await store.run(writer.append(chain.segment(3)))
      expect(await unitsOf(chainId)).toEqual(wanted[2]!)
      for (let block = 2; block > 0; block--) {
        await store.run(writer.rollback(block))
        expect(await unitsOf(chainId)).toEqual(wanted[block - 1]!)
      }
      expect(await feedOf("erc1155", chainId)).toEqual([1, 2, 1].map((id) => `0 0 ${zeroAddress} ${alice} ${id}`))
    })

    test("an id below zero is not held and takes nothing from the sum of the others", async () => {
      const chain = chainOf(
        [multiTransfer(token, zeroAddress, alice, [[1n, 5n]])],
        [multiTransfer(token, alice, bob, [[2n, 3n]])],
        [multiTransfer(token, zeroAddress, alice, [[2n, 4n]])],
      )
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0, 1)))
      expect(await unitsOf(chainId)).toEqual({
        units: [`${alice} 1 5`, `${bob} 2 3`],
        count: 2,
        sums: [`${alice} 5`, `${bob} 3`],
      })
      await store.run(writer.append(chain.segment(2)))
      expect(await unitsOf(chainId)).toEqual({
        units: [`${alice} 1 5`, `${bob} 2 3`, `${alice} 2 1`],
        count: 3,
        sums: [`${alice} 6`, `${bob} 3`],
      })
    })

    test("a contract that emits all three standards is a token of each; each goes with its own blocks", async () => {
      const chain = chainOf(
        [nftTransfer(token, zeroAddress, alice, 1n)],
        [transfer(token, zeroAddress, alice, 50n)],
        [multiTransfer(token, zeroAddress, bob, [[1n, 3n]]), nftTransfer(token, alice, bob, 1n)],
      )
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      const found = async () =>
        (await store.run(TokenStore.use((s) => s.find(chainId, token)))).value.map(
          ({ standard, record, supply }) =>
            `${standard}: ${record.holdersCount} hold ${supply ?? "something"}, ${record.transfers?.last24h} rows`,
        )
      expect(await found()).toEqual([
        "erc20: 1 hold 50, 1 rows",
        "erc721: 1 hold 1, 2 rows",
        "erc1155: 1 hold something, 1 rows",
      ])
      expect((await store.run(SupplyStore.use((s) => s.find(chainId, token, 1)))).value).toBe("50")
      await store.run(writer.rollback(2))
      expect(await found()).toEqual(["erc20: 1 hold 50, 1 rows", "erc721: 1 hold 1, 1 rows"])
      await store.run(writer.rollback(1))
      expect(await found()).toEqual(["erc721: 1 hold 1, 1 rows"])
    })

    test("a rollback gives an id back to the owner who lost it to a log that named another", async () => {
      const chain = chainOf([nftTransfer(token, zeroAddress, alice, 1n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      const before = await contentOf(store, chainId, chain)
      chain.block([nftTransfer(token, carol, bob, 1n)])
      await store.run(writer.append(chain.segment(1)))
      await store.run(writer.rollback(1))
      chain.truncate(1)
      expect(await contentOf(store, chainId, chain)).toEqual(before)
    })
  })
