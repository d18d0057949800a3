/** The Postgres ledger against a naive fold: every table, after any sequence of segments and rollbacks. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import { zeroAddress } from "../../src/domain/model/primitives.ts"
import { freshChainId } from "../contracts/store.ts"
import { address, deposit, TestChain, type TestEvent, transfer, withdrawal } from "../support/testChain.ts"
import { contentOfTables, findDisorder, type LedgerDatabase, openLedgers } from "./ledger.support.ts"
import { naiveContent } from "./naiveLedger.ts"

let ledgers: LedgerDatabase
beforeAll(async () => {
  ledgers = await openLedgers()
})
afterAll(() => ledgers.close())

const weth = address(0x71)
const tokens = [address(0x72), address(0x73), address(0x74), weth]
const people = [zeroAddress, address(1), ...Array.from({ length: 6 }, (_, index) => address(2 ** 40 * index + 0xa1))]
const amount = fc.oneof(
  fc.bigInt(0n, 20n),
  fc.bigInt(0n, 2n ** 256n - 1n),
  fc.constantFrom(2n ** 64n, 2n ** 127n - 1n, 2n ** 127n, 2n ** 128n, 2n ** 256n - 1n, 10n ** 18n),
)
const person = fc.constantFrom(...people)
const event: fc.Arbitrary<TestEvent> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constantFrom(...tokens), person, person, amount).map((it) => transfer(...it)) },
  { weight: 1, arbitrary: fc.tuple(person, amount).map((it) => deposit(weth, ...it)) },
  { weight: 1, arbitrary: fc.tuple(person, amount).map((it) => withdrawal(weth, ...it)) },
)
const blocks = (maxLength: number) => fc.array(fc.array(event, { maxLength: 8 }), { minLength: 1, maxLength })
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ append: blocks(5), final: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ back: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ reopen: fc.constant(true) }) },
)
const limits = fc.constantFrom({}, { chunkSize: 3, cacheBytes: 1, maxTokens: 1 }, { chunkSize: 2 })

test("after any segments, rollbacks and restarts every table is what a naive fold of the final chain gives", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), limits, async (steps, writerLimits) => {
      const chain = new TestChain(new Set([weth]), 250)
      const settings = { chainId: freshChainId(), firstBlock: 250, wrappedNative: [weth] }
      let open = await ledgers.open(settings, writerLimits)
      let finalized = -1
      let salt = 0
      for (const next of [...steps, { append: [[]], final: 0 }]) {
        const from = chain.nextBlock
        if ("append" in next) {
          for (const events of next.append) chain.block(events, { salt: String(salt), logIndex: salt })
          finalized = Math.max(finalized, from - next.final)
          await ledgers.run(open.writer.append(chain.segment(from, undefined, { finalizedBlock: finalized })))
        } else if ("back" in next) {
          const to = Math.max(finalized + 1, 250, from - next.back)
          await ledgers.run(open.writer.rollback(to))
          chain.truncate(to)
          salt++
        } else {
          await open.close()
          open = await ledgers.open(settings, writerLimits)
        }
      }
      const content = await contentOfTables(ledgers.sql, settings.chainId)
      const plain = JSON.parse(JSON.stringify(content))
      expect(plain).toEqual(naiveContent(chain, finalized, chain.nextBlock - 1))
      expect([...(await findDisorder(ledgers.sql, settings.chainId))]).toEqual([])
      await open.close()
    }),
    { numRuns: 30 },
  )
})
