/** Large tables on a server, the stores that read them, and a connection that plans as the readers' do. */
import postgres from "postgres"
import { openStores, type Stores } from "../../../bench/support/stores.ts"
import { readerParameters } from "../../../src/adapters/postgres/database/client.ts"
import { ledgerMigrations, migrate } from "../../../src/adapters/postgres/database/migrate.ts"
import { testDatabase, type Version } from "../../support/postgres.ts"

export interface Plans {
  readonly stores: Stores
  readonly admin: postgres.Sql
  readonly planner: postgres.ReservedSql
  readonly close: () => Promise<void>
}

/** `seed` fills the tables of chain 1, whose schema is `<schema>_1`; they are analysed afterwards. */
export const openPlans = async (
  version: Version,
  schema: string,
  seed: (sql: postgres.TransactionSql) => Promise<void>,
): Promise<Plans> => {
  const url = await testDatabase(version)
  const admin = postgres(url, { max: 2, onnotice: () => {} })
  await migrate(admin, `${schema}_1`, ledgerMigrations)
  await admin.begin(seed)
  await admin.unsafe("analyze")
  const stores = await openStores(url, schema)
  const planner = await admin.reserve()
  for (const [name, value] of Object.entries(readerParameters))
    await planner`select set_config(${name}, ${value}, false)`
  const close = async () => {
    planner.release()
    await stores.close()
    await admin.end()
  }
  return { stores, admin, planner, close }
}
