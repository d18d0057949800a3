/** Many new tokens in one append: each costs as much as where there are few. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { freshChainId } from "../../contracts/store.ts"
import { anyChain, anyChainSettings } from "../../support/chain/anyEvents.ts"
import { transfer } from "../../support/chain/events.ts"
import { address } from "../../support/chain/testChain.ts"
import { type LedgerDatabase, openLedgers } from "./ledger.support.ts"

let ledgers: LedgerDatabase
beforeAll(async () => {
  ledgers = await openLedgers(18)
})
afterAll(() => ledgers.close())

const tokens = 16_000

test("as many new tokens as a backfill's append brings are not looked up in one list, each by all of it", async () => {
  const chainId = freshChainId()
  const { writer, close } = await ledgers.open({ chainId, firstBlock: 0, ...anyChainSettings })
  const chain = anyChain(0)
  const events = Array.from({ length: tokens }, (_, at) => transfer(address(100_000 + at), address(1), address(2), 5n))
  chain.block(events, {})
  const began = process.hrtime.bigint()
  await ledgers.run(writer.append(chain.segment(0)))
  const seconds = Number(process.hrtime.bigint() - began) / 1e9
  const [row] = await ledgers.sql`select count(*)::int as rows from ${ledgers.sql(`cowry_${chainId}.token`)}`
  expect(row!.rows).toBe(tokens)
  // Of a list that is read for each row it takes 256 million steps.
  expect(seconds).toBeLessThan(6)
  await close()
}, 120_000)
