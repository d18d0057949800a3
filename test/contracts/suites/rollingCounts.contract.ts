/** The contract of `transfers.last24h/48h/72h`: exact to the second of chain time, however time goes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { zeroAddress } from "../../../src/model/primitives.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { address, deposit, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../store.ts"

const [gold, weth] = [address(0x70), address(0x71)]
const [alice, bob] = [address(0xa), address(0xb)]
const hour = 3600
const start = 1_700_000_000

export const rollingCountsContract = (name: string, makeStore: MakeStore) =>
  describe(`Rolling counts on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const begin = async () => {
      const chain = new TestChain(new Set([weth]))
      const chainId = freshChainId()
      const writer = await store.open({ chainId, wrappedNative: [weth] })
      /** `[last24h, last48h, last72h]` of each standard that the contract has. */
      const counts = async (token = gold) =>
        (await store.run(TokenStore.use((s) => s.find(chainId, token)))).value.map(({ record: { transfers } }) => [
          transfers?.last24h,
          transfers?.last48h,
          transfers?.last72h,
        ])
      /** Appends the blocks that are new, as one segment. */
      let stored = 0
      const append = async () => {
        await store.run(writer.append(chain.segment(stored)))
        stored = chain.nextBlock
      }
      const rollback = async (fromBlock: number) => {
        await store.run(writer.rollback(fromBlock))
        chain.truncate(fromBlock)
        stored = fromBlock
      }
      return { chain, counts, append, rollback }
    }
    const mint = (token = gold) => transfer(token, zeroAddress, alice, 1n)

    test("a row counts while its time is above the head's less the hours, to the second, and empty blocks move time too", async () => {
      const { chain, counts, append } = await begin()
      chain.block([mint(), mint()], { time: start })
      await append()
      expect(await counts()).toEqual([[2, 2, 2]])
      for (const [after, wanted] of [
        [24 * hour - 1, [2, 2, 2]],
        [24 * hour, [0, 2, 2]],
        [48 * hour - 1, [0, 2, 2]],
        [48 * hour, [0, 0, 2]],
        [72 * hour - 1, [0, 0, 2]],
        [72 * hour, [0, 0, 0]],
      ] as const) {
        chain.block([], { time: start + after })
        await append()
        expect(await counts()).toEqual([[...wanted]])
      }
    })

    test("all standards are counted, each by its own rows; a Deposit is none", async () => {
      const { chain, counts, append } = await begin()
      chain
        .block(
          [
            mint(),
            nftTransfer(gold, zeroAddress, alice, 1n),
            multiTransfer(gold, zeroAddress, alice, [
              [1n, 1n],
              [2n, 1n],
            ]),
            deposit(weth, alice, 5n),
          ],
          { time: start },
        )
        .block([mint(weth), multiTransfer(gold, alice, bob, [[1n, 1n]])], { time: start + 30 * hour })
      await append()
      expect(await counts()).toEqual([
        [0, 1, 1],
        [0, 1, 1],
        [1, 3, 3],
      ])
      expect(await counts(weth)).toEqual([[1, 1, 1]])
    })

    test("an append longer than the windows counts only its own last hours", async () => {
      const { chain, counts, append } = await begin()
      for (let block = 0; block < 10; block++) chain.block([mint()], { time: start + block * 10 * hour })
      await append()
      // Rows of 90, 80 and 70 hours after the start; then down to 50; then down to 20.
      expect(await counts()).toEqual([[3, 5, 8]])
      for (let block = 10; block < 20; block++) chain.block([mint()], { time: start + block * 10 * hour })
      await append()
      expect(await counts()).toEqual([[3, 5, 8]])
    })

    test("blocks of one time enter and leave together, also those at an edge", async () => {
      const { chain, counts, append, rollback } = await begin()
      for (let block = 0; block < 4; block++) chain.block([mint()], { time: start })
      await append()
      expect(await counts()).toEqual([[4, 4, 4]])
      for (let block = 0; block < 3; block++) chain.block([mint()], { time: start + 24 * hour })
      await append()
      expect(await counts()).toEqual([[3, 7, 7]])
      await rollback(6)
      expect(await counts()).toEqual([[2, 6, 6]])
      await rollback(4)
      expect(await counts()).toEqual([[4, 4, 4]])
      await rollback(2)
      expect(await counts()).toEqual([[2, 2, 2]])
    })

    test("a halt of three days empties every window; its rollback fills them again", async () => {
      const { chain, counts, append, rollback } = await begin()
      for (let block = 0; block < 300; block++)
        chain.block(block % 3 === 0 ? [mint()] : [], { time: start + block * 600 })
      await append()
      // 299 × 600 s: rows younger than 24 hours are those of blocks above 155, than 48 hours above 11.
      expect(await counts()).toEqual([[48, 96, 100]])
      chain.block([], { time: start + 299 * 600 + 72 * hour })
      await append()
      expect(await counts()).toEqual([[0, 0, 0]])
      chain.block([mint(), mint()], { time: start + 299 * 600 + 72 * hour + 1 })
      await append()
      expect(await counts()).toEqual([[2, 2, 2]])
      await rollback(300)
      expect(await counts()).toEqual([[48, 96, 100]])
      await rollback(156)
      expect(await counts()).toEqual([[48, 52, 52]])
    })

    test("a rollback of the whole ledger leaves nothing to count, and counting begins anew", async () => {
      const { chain, counts, append, rollback } = await begin()
      chain.block([mint()], { time: start }).block([mint()], { time: start + 100 * hour })
      await append()
      await rollback(0)
      expect(await counts()).toEqual([])
      chain.block([mint(), mint()], { time: start + hour })
      await append()
      expect(await counts()).toEqual([[2, 2, 2]])
    })
  })
