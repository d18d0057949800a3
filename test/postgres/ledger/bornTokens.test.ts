/** Many new tokens in one append: no statement reads the list of them anew for each row. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { sessionSettings } from "../../../src/adapters/postgres/ledger/wire/session.ts"
import { freshChainId } from "../../contracts/store.ts"
import { anyChain, anyChainSettings } from "../../support/chain/anyEvents.ts"
import { transfer } from "../../support/chain/events.ts"
import { address } from "../../support/chain/testChain.ts"
import { type LedgerDatabase, openLedgers } from "./ledger.support.ts"

let ledgers: LedgerDatabase
const statements: Array<string> = []
beforeAll(async () => {
  ledgers = await openLedgers(18, undefined, (statement) => statements.push(statement))
})
afterAll(() => ledgers.close())

const tokens = 4000

test("are trusted by a plan that joins them: where an array filters rows its text is read for each of them", async () => {
  const chainId = freshChainId()
  const { writer, close } = await ledgers.open({ chainId, firstBlock: 0, ...anyChainSettings })
  const chain = anyChain(0)
  const events = Array.from({ length: tokens }, (_, at) => transfer(address(100_000 + at), address(1), address(2), 5n))
  chain.block(events, {})
  statements.length = 0
  await ledgers.run(writer.append(chain.segment(0)))
  const [row] = await ledgers.sql`select count(*)::int as rows from ${ledgers.sql(`cowry_${chainId}.token`)}`
  expect(row!.rows).toBe(tokens)
  const updates = [...new Set(statements.filter((statement) => statement.includes("set trusted = true")))]
  expect(updates).toHaveLength(2)
  const plans = await ledgers.sql.begin(async (sql) => {
    const settings = { ...sessionSettings, search_path: `cowry_${chainId}` }
    for (const [name, value] of Object.entries(settings)) await sql`select set_config(${name}, ${value}, true)`
    return await Promise.all(updates.map((statement) => sql.unsafe(`explain (generic_plan) ${statement}`)))
  })
  for (const plan of plans) {
    const lines = plan.map((line) => String(line["QUERY PLAN"]))
    expect(lines.join("\n")).toContain("Function Scan on unnest born")
    expect(lines.filter((line) => line.includes("ANY ("))).toEqual([])
  }
  await close()
})
