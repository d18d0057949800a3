/** What the statements of the feeds of swaps read of large tables: about what they return, of hot tokens and rare pairs, however planned. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { swapFeeds } from "../../../bench/plans/questions.swaps.ts"
import { seedSwaps } from "../../../bench/plans/seedSwaps.ts"
import { explain } from "../../../bench/support/plan.ts"
import { openStores, type Stores } from "../../../bench/support/stores.ts"
import { readerParameters } from "../../../src/adapters/postgres/database/client.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { testDatabase, VERSIONS } from "../../support/postgres.ts"

const rows = 20_000
const questions = swapFeeds(ChainId.make("1"), rows)

for (const version of VERSIONS) {
  let stores: Stores
  let admin: postgres.Sql

  beforeAll(async () => {
    const url = await testDatabase(version)
    admin = postgres(url, { max: 1, onnotice: () => {} })
    await seedSwaps(admin, "plans_1", rows)
    stores = await openStores(url, "plans")
    await stores.run(questions[0]!.ask)
  })
  afterAll(async () => {
    await stores.close()
    await admin.end()
  })

  test(`on PostgreSQL ${version}, no feed of swaps reads a table from end to end, or more than 20 times what it returns`, async () => {
    const planner = await admin.reserve()
    for (const [name, value] of Object.entries(readerParameters))
      await planner`select set_config(${name}, ${value}, false)`
    const faults: Array<string> = []
    for (const { name, ask, excuse } of questions) {
      stores.sent()
      const answered = await stores.run(ask)
      const statements = stores.sent()
      expect(statements).toHaveLength(1)
      for (const mode of ["custom", "generic"] as const) {
        const { read, scanned, widest } = await explain(planner, statements[0]!, mode)
        const whole = scanned.filter((table) => table !== "state")
        if (whole.length > 0) faults.push(`${name} (${mode}): reads all of ${whole.join(", ")}`)
        if (excuse === undefined && read > 20 * Math.max(1, answered))
          faults.push(`${name} (${mode}): ${read} rows for ${answered}, ${widest}`)
      }
    }
    planner.release()
    expect(faults).toEqual([])
  })
}
