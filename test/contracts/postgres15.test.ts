/**
 * Every store contract over PostgreSQL 15, the oldest version that is promised, asked as if chains lay on different servers.
 * So each statement that a store or a writer can send is heard here, and holds what such a server asks for.
 */
import { afterAll, expect } from "bun:test"
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import { hearStatements } from "../postgres/database/lint.ts"
import { testSettings } from "../support/givenServer.ts"
import { marks, storeContracts } from "./all.ts"

const { observe, count, faults } = hearStatements()
storeContracts(
  "PostgreSQL 15",
  async () => PostgresStore.layer({ ...(await testSettings(15)), max: 3, distributed: true, observe }, { marks }),
  { replays: 2, oneStep: true },
)
afterAll(() => {
  expect(count()).toBeGreaterThan(300)
  expect(faults()).toEqual([])
})
