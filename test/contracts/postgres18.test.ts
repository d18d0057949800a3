/** Every store contract over PostgreSQL 18, the newest version that is promised. */
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import { testDatabase } from "../support/postgres.ts"
import { storeContracts } from "./all.ts"

storeContracts("PostgreSQL 18", async () => PostgresStore.layer({ url: await testDatabase(18) }), {
  replays: 15,
  filtered: [7, 1000],
})
