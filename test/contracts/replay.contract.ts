/** However blocks went in and out, the store is that of one append of the final chain. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { zeroAddress } from "../../src/domain/model/primitives.ts"
import { address, deposit, TestChain, type TestEvent, transfer, withdrawal } from "../support/testChain.ts"
import { contentOf } from "./content.ts"
import { freshChainId, type MakeStore, openStore, seed, type TestStore } from "./store.ts"

const weth = address(0x71)
const tokens = [address(0x72), address(0x73), address(0x74), weth]
const people = [zeroAddress, address(0xa1), address(0xa2), address(0xa3)]
const amount = fc.oneof(
  fc.bigInt(0n, 20n),
  fc.constantFrom(0n, 2n ** 127n, 2n ** 127n - 1n, 2n ** 128n, 2n ** 255n, 2n ** 256n - 1n),
)
const person = fc.constantFrom(...people)
const event: fc.Arbitrary<TestEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom(...tokens), person, person, amount).map((a) => transfer(...a)) },
  { weight: 1, arbitrary: fc.tuple(person, amount).map(([who, value]) => deposit(weth, who, value)) },
  { weight: 1, arbitrary: fc.tuple(person, amount).map(([who, value]) => withdrawal(weth, who, value)) },
)
/** In and out again: a block that touches pairs and changes nothing. */
const netZero = fc
  .tuple(fc.constantFrom(...tokens), amount)
  .map(([token, value]) => [
    transfer(token, people[1]!, people[2]!, value),
    transfer(token, people[2]!, people[1]!, value),
  ])
const depositsOnly = fc.array(
  fc.tuple(person, amount).map(([who, value]) => deposit(weth, who, value)),
  {
    minLength: 1,
    maxLength: 3,
  },
)
const block = fc.oneof(
  { weight: 4, arbitrary: fc.array(event, { maxLength: 6 }) },
  { weight: 1, arbitrary: netZero },
  { weight: 1, arbitrary: depositsOnly },
)
/** In how many parts an append goes in, and whether it is discarded and done once more. */
const parts = fc.integer({ min: 1, max: 5 })
const again = fc.boolean()
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ append: fc.array(block, { minLength: 1, maxLength: 4 }), parts, again }) },
  { weight: 1, arbitrary: fc.record({ append: fc.array(block, { minLength: 20, maxLength: 40 }), parts, again }) },
  { weight: 2, arbitrary: fc.record({ rollback: fc.nat(50) }) },
)

export const replayContract = (name: string, makeStore: MakeStore, numRuns: number) =>
  describe(`Replay on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    test("after any sequence of appends, whole or in parts, and rollbacks the store equals that of one append of the final chain", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
          const chain = new TestChain(new Set([weth]))
          const chainId = freshChainId()
          const writer = await store.open({ chainId, wrappedNative: [weth] })
          let salt = 0
          const extend = async (from: number, count: number) => {
            const length = Math.ceil((chain.nextBlock - from) / count)
            for (let begin = from; begin < chain.nextBlock; begin += length) {
              await store.run(writer.extend(chain.segment(begin, Math.min(begin + length, chain.nextBlock) - 1)))
            }
          }
          for (const next of [...steps, { append: [[]], parts: 1, again: false }]) {
            const from = chain.nextBlock
            if ("append" in next) {
              for (const events of next.append) chain.block(events, { salt: String(salt) })
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
          const whole = await seed(store, chain)
          const strip = (content: unknown, id: string) =>
            JSON.parse(JSON.stringify(content).replaceAll(`"${id}"`, '"id"'))
          expect(strip(await contentOf(store, chainId, chain), chainId)).toEqual(
            strip(await contentOf(store, whole, chain), whole),
          )
        }),
        { numRuns },
      )
    })
  })
