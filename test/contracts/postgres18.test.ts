/** Every store contract over PostgreSQL 18, the newest version that is promised. */
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import { testSettings } from "../support/givenServer.ts"
import { marks, storeContracts } from "./all.ts"

// Of more connections each would plan each statement anew.
storeContracts("PostgreSQL 18", async () => PostgresStore.layer({ ...(await testSettings(18)), max: 1 }, { marks }), {
  replays: 3,
  oneStep: true,
})
