/** Every store contract over PostgreSQL 15, the oldest version that is promised. */
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import { testDatabase } from "../support/postgres.ts"
import { storeContracts } from "./all.ts"

storeContracts("PostgreSQL 15", async () => PostgresStore.layer({ url: await testDatabase(15) }), {
  replays: 6,
  filtered: [40],
})
