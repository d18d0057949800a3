/** The contract of block times: what a store says of the blocks around a time is true, and enough to tell the rows before it from those after. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { BlockTimes } from "../../../../src/ports/BlockTimes.ts"
import { hash, TestChain } from "../../../support/chain/testChain.ts"
import { append, freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"
import { mixedChatter } from "../../worlds/feeds.truth.ts"

export const blockTimesContract = (name: string, makeStore: MakeStore) =>
  describe(`Block times on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const around = async (chainId: Parameters<BlockTimes["Service"]["around"]>[0], time: number) =>
      (await store.run(BlockTimes.use((times) => times.around(chainId, time)))).value

    test("of every second part the chain's rows, whatever headers were kept", async () => {
      const chain = mixedChatter(7)
      const { blocks } = chain
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      // No header is kept but the head's: between the first landmark and it only rows tell times.
      await append(store, writer, chain.segment(0, undefined, { finalizedBlock: chain.nextBlock - 1, headers: [] }))
      const rows = blocks.flatMap(({ movements, nfts }) => [...movements, ...nfts])
      const [first, last] = [blocks[0]!.header.time, blocks.at(-1)!.header.time]
      for (let time = first; time <= last + 1; time++) {
        const { before, after, isQuiet, rollbacks } = await around(chainId, time)
        for (const known of [before, after]) {
          if (known !== undefined) expect(blocks[known.block]!.header.time).toBe(known.time)
        }
        expect([time, (before?.time ?? -1) < time, (after?.time ?? Infinity) >= time]).toEqual([time, true, true])
        expect([isQuiet, rollbacks]).toEqual([true, 0])
        const older = rows.filter((row) => row.time < time)
        expect([time, older.every((row) => row.blockNumber <= (before?.block ?? -1))]).toEqual([time, true])
        const younger = rows.filter((row) => row.time >= time)
        expect([time, younger.every((row) => row.blockNumber >= (after?.block ?? Infinity))]).toEqual([time, true])
      }
    })

    test("of every block the nearest whose times are known: its own where a row is in it", async () => {
      const chain = mixedChatter(7)
      const { blocks } = chain
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const head = chain.nextBlock - 1
      await append(store, writer, chain.segment(0, undefined, { finalizedBlock: head, headers: [] }))
      const when = async (block: number) =>
        (await store.run(BlockTimes.use((times) => times.when(chainId, block)))).value
      let unknown = 0
      for (const { header, movements, nfts } of blocks) {
        const { before, after, hash, rollbacks } = await when(header.number)
        for (const known of [before, after]) {
          if (known !== undefined) expect(blocks[known.block]!.header.time).toBe(known.time)
        }
        expect([header.number, before!.block <= header.number, after!.block >= header.number]).toEqual([
          ...[header.number, true, true],
        ])
        const isKnown = header.number === head || movements.length + nfts.length > 0
        if (isKnown) expect([before, after]).toEqual([before, { block: header.number, time: header.time }])
        if (before!.block < header.number) unknown++
        expect([hash, rollbacks]).toEqual([header.number === head ? header.hash : undefined, 0])
        // Nothing that is known lies between.
        for (let between = before!.block + 1; between < after!.block; between++)
          expect((await when(between)).before).toEqual(before)
      }
      expect(unknown).toBeGreaterThan(0)
      const { before, after } = await when(head + 5)
      expect([before, after]).toEqual([{ block: head, time: blocks[head]!.header.time }, undefined])
    })

    test("a hash is found as long as a reorg may take its block, and of the head; rollbacks are counted", async () => {
      const chain = new TestChain()
      for (let block = 0; block < 6; block++) chain.block()
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await append(store, writer, chain.segment(0, 4, { finalizedBlock: 1 }))
      await append(store, writer, chain.segment(5, 5, { finalizedBlock: 2 }))
      const newest = async (of?: string) =>
        (await store.run(BlockTimes.use((times) => times.newest(chainId, of as ReturnType<typeof hash>)))).value
      // The header of the block itself: those below it are gone.
      // The making of the ledger is the same through all of it, and another one's is another.
      const { birth } = await newest()
      const final = { finalizedBlock: 2, finalizedTime: chain.blocks[2]!.header.time, birth: birth! }
      expect(await store.run(writer.birth)).toBe(birth!)
      const other = freshChainId()
      await append(store, await store.open({ chainId: other }), chain.segment(0, 4, { finalizedBlock: 1 }))
      expect((await store.run(BlockTimes.use((times) => times.newest(other)))).value.birth).not.toBe(birth!)
      expect(await newest()).toEqual({ ...final, rollbacks: 0 })
      for (const block of [3, 4, 5]) {
        const found = await newest(chain.blocks[block]!.header.hash)
        expect(found).toEqual({ ...final, rollbacks: 0, ofHash: block })
      }
      expect(await newest(hash("nothing"))).toEqual({ ...final, rollbacks: 0 })
      await store.run(writer.rollback(5))
      expect(await newest(chain.blocks[5]!.header.hash)).toEqual({ ...final, rollbacks: 1 })
      expect(await newest(chain.blocks[4]!.header.hash)).toEqual({ ...final, rollbacks: 1, ofHash: 4 })
      const when = async (block: number) =>
        (await store.run(BlockTimes.use((times) => times.when(chainId, block)))).value
      const itself = ({ number: block, time }: { readonly number: number; readonly time: number }) => ({ block, time })
      for (const block of [3, 4]) {
        const { header } = chain.blocks[block]!
        const known = itself(header)
        expect(await when(block)).toEqual({ before: known, after: known, hash: header.hash, rollbacks: 1 })
      }
      expect(await when(5)).toEqual({ before: itself(chain.blocks[4]!.header), rollbacks: 1 })
      expect((await around(chainId, 2 ** 40)).rollbacks).toBe(1)
    })

    test("the newest final block's time is the head's where all are final; where none is there is none", async () => {
      const chain = new TestChain()
      for (let block = 0; block < 4; block++) chain.block()
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const newest = async () => (await store.run(BlockTimes.use((times) => times.newest(chainId)))).value
      await append(store, writer, chain.segment(0, 2, { finalizedBlock: -1 }))
      expect(await newest()).toEqual({ finalizedBlock: -1, rollbacks: 0, birth: expect.any(String) })
      await append(store, writer, chain.segment(3, 3, { finalizedBlock: 9, headers: [] }))
      expect(await newest()).toEqual({
        finalizedBlock: 3,
        finalizedTime: chain.blocks[3]!.header.time,
        rollbacks: 0,
        birth: expect.any(String),
      })
    })

    test("of a chain that was never opened say nothing", async () => {
      const chainId = freshChainId()
      expect(await around(chainId, 5)).toEqual({ isQuiet: true, rollbacks: 0 })
      const { asOf, value } = await store.run(BlockTimes.use((times) => times.newest(chainId)))
      expect([asOf, value]).toEqual([[], { finalizedBlock: -1, rollbacks: 0 }])
      expect((await store.run(BlockTimes.use((times) => times.when(chainId, 5)))).value).toEqual({ rollbacks: 0 })
    })
  })
