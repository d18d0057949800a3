/** Every store contract over PostgreSQL 15, the oldest version that is promised. */
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import { testSettings } from "../support/givenServer.ts"
import { storeContracts } from "./all.ts"

storeContracts("PostgreSQL 15", async () => PostgresStore.layer(await testSettings(15)), {
  replays: 6,
  filtered: [40],
})
