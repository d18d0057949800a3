/** The Ledger port's contract of open appends: extended by parts, visible as a whole or never. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { type ChainId, zeroAddress } from "../../../src/model/primitives.ts"
import { Ledger, type LedgerWriter } from "../../../src/ports/Ledger.ts"
import {
  address,
  deposit,
  hash,
  multiTransfer,
  nftTransfer,
  TestChain,
  transfer,
  withdrawal,
} from "../../support/chain/testChain.ts"
import { contentOf } from "../content.ts"
import { freshChainId, type MakeStore, openStore, seed, settingsOf, type TestStore } from "../store.ts"

const [token, weth, late] = [address(0x70), address(0x71), address(0x72)]
const [alice, bob, carol] = [address(0xa), address(0xb), address(0xc)]

/** Six blocks: pairs, ids and units touched in several of them, tokens and holders born in the first, the middle and the last. */
const sixBlocks = () =>
  new TestChain(new Set([weth]))
    .block([transfer(token, zeroAddress, alice, 100n), deposit(weth, alice, 3n)])
    .block([transfer(token, alice, bob, 60n), nftTransfer(late, zeroAddress, alice, 1n)])
    .block([transfer(late, zeroAddress, bob, 2n ** 200n), transfer(token, bob, carol, 60n)])
    .block([
      nftTransfer(late, carol, bob, 1n),
      multiTransfer(token, zeroAddress, bob, [
        [1n, 2n],
        [1n, 3n],
      ]),
    ])
    .block([withdrawal(weth, alice, 3n), transfer(token, carol, zeroAddress, 1n), transfer(late, bob, alice, 1n)])
    .block([
      nftTransfer(late, bob, zeroAddress, 1n),
      multiTransfer(token, bob, carol, [[1n, 4n]]),
      transfer(address(0x73), zeroAddress, carol, 1n),
      transfer(token, alice, alice, 0n),
    ])

export const openAppendContract = (name: string, makeStore: MakeStore) =>
  describe(`An open append on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    /** What the reference says of a chain that came whole, in one append. */
    const wholeOf = async (chain: TestChain, chainId: ChainId) => {
      const reference = await openStore(async () => MemoryStore.layer)
      try {
        await seed(reference, chain, chainId)
        return await contentOf(reference, chainId, chain)
      } finally {
        await reference.close()
      }
    }

    const refusal = (effect: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>) =>
      store.run(Effect.flip(effect)).then((error) => error._tag)
    /** A chain with its first block stored. */
    const begin = async () => {
      const chain = sixBlocks()
      const chainId = freshChainId()
      const writer = await store.open({ chainId, wrappedNative: [weth] })
      const { checkpoint: stored } = await store.run(writer.append(chain.segment(0, 0)))
      const content = () => contentOf(store, chainId, chain)
      return { chain, chainId, writer, stored, content }
    }

    test("is seen by nobody before the commit, and by everybody after it", async () => {
      const { chain, writer, stored, content } = await begin()
      const before = await content()
      const first = await store.run(writer.extend(chain.segment(1, 2)))
      const second = await store.run(writer.extend(chain.segment(3, 5, { finalizedBlock: 4 })))
      const headers = chain.blocks.map(({ header }) => header)
      expect([first, second]).toEqual([
        {
          checkpoint: { nextBlock: 3, firstBlock: 0, finalizedBlock: -1, head: headers[2]! },
          unknownPool: 0,
          full: false,
        },
        {
          checkpoint: { nextBlock: 6, firstBlock: 0, finalizedBlock: 4, head: headers[5]! },
          unknownPool: 0,
          full: false,
        },
      ])
      expect(await content()).toEqual(before)
      expect(await store.run(writer.checkpoint)).toEqual(stored)
      expect(await store.run(writer.recentHeaders)).toEqual(headers.slice(0, 1))
      expect(await store.run(writer.commit)).toEqual(second.checkpoint)
      expect(await store.run(writer.checkpoint)).toEqual(second.checkpoint)
      expect(await store.run(writer.recentHeaders)).toEqual(headers.slice(4))
      expect((await content()).asOf).toMatchObject({ blockNumber: 5 })
    })

    test("of many segments is what one append of all of them is, and can be gone on from", async () => {
      const { chain, chainId, writer, content } = await begin()
      for (let block = 1; block < 4; block++) await store.run(writer.extend(chain.segment(block, block)))
      await store.run(writer.commit)
      await store.run(writer.extend(chain.segment(4, 4)))
      await store.run(writer.append(chain.segment(5)))
      expect(await content()).toEqual(await wholeOf(chain, chainId))
      expect(await store.run(writer.rollback(2))).toMatchObject({ nextBlock: 2 })
      chain.truncate(2)
      expect(await content()).toEqual(await wholeOf(chain, chainId))
    })

    test("refuses what does not follow it, and stays as it was", async () => {
      const { chain, chainId, writer, content } = await begin()
      await store.run(writer.extend(chain.segment(1, 2)))
      for (const segment of [
        chain.segment(1, 2),
        chain.segment(4, 5),
        chain.segment(3, 5, { parentHash: hash("another parent") }),
        chain.segment(3, 5, { movements: chain.segment(2).movements }),
      ]) {
        expect(await refusal(writer.extend(segment))).toBe("SegmentRefused")
        expect(await refusal(writer.append(segment))).toBe("SegmentRefused")
      }
      expect(await refusal(writer.rollback(1))).toBe("SegmentRefused")
      await store.run(writer.extend(chain.segment(3)))
      await store.run(writer.commit)
      expect(await content()).toEqual(await wholeOf(chain, chainId))
    })

    test("is forgotten when it is discarded; another one takes its place", async () => {
      const { chain, chainId, writer, stored, content } = await begin()
      const before = await content()
      await store.run(writer.extend(chain.segment(1, 3)))
      await store.run(writer.extend(chain.segment(4)))
      await store.run(writer.discard)
      expect(await store.run(writer.commit)).toEqual(stored)
      expect(await content()).toEqual(before)
      chain.truncate(1).block([transfer(late, zeroAddress, alice, 7n), transfer(token, alice, bob, 1n)], { salt: "b" })
      await store.run(writer.extend(chain.segment(1)))
      await store.run(writer.commit)
      expect(await content()).toEqual(await wholeOf(chain, chainId))
    })

    test("leaves nothing when its writer is closed", async () => {
      const chain = sixBlocks()
      const chainId = freshChainId()
      const settings = settingsOf({ chainId, wrappedNative: [weth] })
      const using = <A, E>(use: (writer: LedgerWriter) => Effect.Effect<A, E>) =>
        store.run(
          Effect.scoped(
            Effect.flatMap(
              Ledger.use((ledger) => ledger.open(settings)),
              use,
            ),
          ),
        )
      await using((writer) => Effect.andThen(writer.append(chain.segment(0, 0)), writer.extend(chain.segment(1, 4))))
      expect(await using((writer) => writer.checkpoint)).toMatchObject({ nextBlock: 1 })
      await using((writer) => Effect.andThen(writer.extend(chain.segment(1)), writer.commit))
      expect(await contentOf(store, chainId, chain)).toEqual(await wholeOf(chain, chainId))
    })

    test("that was never opened commits and discards to nothing", async () => {
      const { writer, stored, content } = await begin()
      const before = await content()
      expect(await store.run(writer.commit)).toEqual(stored)
      await store.run(writer.discard)
      expect(await store.run(writer.checkpoint)).toEqual(stored)
      expect(await content()).toEqual(before)
    })
  })
