/** However blocks went in and out, the store is that of one append of the final chain to the reference. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { anyBlock, anyChain, anyChainSettings } from "../../support/chain/anyEvents.ts"
import { contentOf } from "../content.ts"
import { freshChainId, type MakeStore, openStore, seed, type TestStore } from "../store.ts"

/** In how many parts an append goes in, and whether it is discarded and done once more. */
const parts = fc.integer({ min: 1, max: 5 })
const again = fc.boolean()
const blocks = (minLength: number, maxLength: number) => fc.array(anyBlock, { minLength, maxLength })
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ append: blocks(1, 4), parts, again }) },
  { weight: 1, arbitrary: fc.record({ append: blocks(12, 20), parts, again }) },
  { weight: 2, arbitrary: fc.record({ rollback: fc.nat(25) }) },
)

export const replayContract = (name: string, makeStore: MakeStore, numRuns: number) =>
  describe(`Replay on ${name}`, () => {
    let store: TestStore
    let reference: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
      reference = await openStore(async () => MemoryStore.layer)
    })
    afterAll(() => Promise.all([store.close(), reference.close()]))

    test("after any sequence of appends, whole or in parts, and rollbacks the store equals that of one append of the final chain", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
          const chain = anyChain()
          const chainId = freshChainId()
          const writer = await store.open({ chainId, ...anyChainSettings })
          let salt = 0
          const extend = async (from: number, count: number) => {
            const length = Math.ceil((chain.nextBlock - from) / count)
            for (let begin = from; begin < chain.nextBlock; begin += length) {
              await store.run(writer.extend(chain.segment(begin, Math.min(begin + length, chain.nextBlock) - 1)))
            }
          }
          for (const next of [...steps, { append: [{ events: [], pause: 12 }], parts: 1, again: false }]) {
            const from = chain.nextBlock
            if ("append" in next) {
              for (const { events, pause } of next.append) {
                const time = (chain.blocks.at(-1)?.header.time ?? chain.genesisTime) + pause
                chain.block(events, { salt: String(salt), time })
              }
              if (next.again) {
                await extend(from, next.parts + 1)
                await store.run(writer.discard)
              }
              if (next.parts === 1) await store.run(writer.append(chain.segment(from)))
              else {
                await extend(from, next.parts)
                await store.run(writer.commit)
              }
            } else {
              const fromBlock = Math.max(0, from - next.rollback)
              await store.run(writer.rollback(fromBlock))
              chain.truncate(fromBlock)
              salt++
            }
          }
          await seed(reference, chain, chainId)
          expect(await contentOf(store, chainId, chain)).toEqual(await contentOf(reference, chainId, chain))
        }),
        { numRuns },
      )
    })
  })
