/** Every store contract over PostgreSQL, the oldest and the newest version that is promised. */
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import { testDatabase } from "../support/postgres.ts"
import { storeContracts } from "./all.ts"

for (const version of [18, 15] as const) {
  storeContracts(
    `PostgreSQL ${version}`,
    async () => PostgresStore.layer({ url: await testDatabase(version) }),
    version === 18 ? { replays: 15, filtered: [7, 1000] } : { replays: 6, filtered: [40] },
  )
}
