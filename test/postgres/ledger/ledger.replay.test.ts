/** The Postgres ledger against a naive fold: every table, after any sequence of segments and rollbacks. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import { freshChainId } from "../../contracts/store.ts"
import { anyBlock, anyChain, anyChainSettings } from "../../support/chain/anyEvents.ts"
import { contentOfTables, findDisorder, type LedgerDatabase, openLedgers } from "./ledger.support.ts"
import { naiveContent } from "./naiveLedger.ts"

let ledgers: LedgerDatabase
beforeAll(async () => {
  ledgers = await openLedgers()
})
afterAll(() => ledgers.close())

const blocks = (maxLength: number) => fc.array(anyBlock, { minLength: 1, maxLength })
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ append: blocks(5), final: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ back: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ reopen: fc.constant(true) }) },
)
const limits = fc.constantFrom(
  {},
  { chunkSize: 3, cacheBytes: 1, maxTokens: 1, maxIds: 1, maxPools: 1 },
  { chunkSize: 2 },
)

test("after any segments, rollbacks and restarts every table is what a naive fold of the final chain gives", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), limits, async (steps, writerLimits) => {
      const chain = anyChain(250)
      const settings = { chainId: freshChainId(), firstBlock: 250, ...anyChainSettings }
      let open = await ledgers.open(settings, writerLimits)
      let finalized = -1
      let salt = 0
      for (const next of [...steps, { append: [{ events: [], pause: 12 }], final: 0 }]) {
        const from = chain.nextBlock
        if ("append" in next) {
          for (const { events, pause } of next.append) {
            const time = (chain.blocks.at(-1)?.header.time ?? chain.genesisTime) + pause
            chain.block(events, { salt: String(salt), logIndex: salt, time })
          }
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
    { numRuns: 10 },
  )
})
