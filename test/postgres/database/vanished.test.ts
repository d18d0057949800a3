/** A process whose host vanished, or that stands still, holds no rows and no tables for hours. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect } from "effect"
import type postgres from "postgres"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import { Database, type DatabaseShape } from "../../../src/adapters/postgres/database/Database.ts"
import { ledgerMigrations, migrate } from "../../../src/adapters/postgres/database/migrate.ts"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import { openSession } from "../../../src/adapters/postgres/ledger/wire/session.ts"
import { exclusively } from "../../../src/adapters/postgres/rebuild/exclusively.ts"
import { holdStored } from "../../../src/adapters/postgres/rebuild/rebuild.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { hash } from "../../support/chain/testChain.ts"
import { testDatabase } from "../../support/postgres.ts"

const chainId = ChainId.make("1")

let url: string
let sql: postgres.Sql
beforeAll(async () => {
  url = await testDatabase()
  sql = makeClient({ url, max: 1 })
  await migrate(sql, "cowry_1", ledgerMigrations)
  await sql`insert into cowry_1.state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_time)
    values (1, '', '{}', 0, 10, ${hash("head")}, 0)`
})
afterAll(() => sql.end())

const observed: Array<string> = []
const use = <A, E>(body: (database: DatabaseShape) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    Database.use(body).pipe(
      Effect.provide(PostgresDatabase.layer({ url, observe: (statement) => observed.push(statement) })),
    ),
  )

const limitOf = async (sql: Pick<postgres.Sql, "unsafe">): Promise<unknown> =>
  (await sql.unsafe("select current_setting('idle_in_transaction_session_timeout') as limit"))[0]!.limit

test("every connection is looked at by the server, whether its other end is still there", async () => {
  const looks = (sql: Pick<postgres.Sql, "unsafe">) =>
    sql.unsafe(`select current_setting('tcp_keepalives_idle') as idle,
      current_setting('tcp_keepalives_interval') as interval, current_setting('tcp_keepalives_count') as count`)
  const asked = { idle: "30", interval: "10", count: "3" }
  await use((database) =>
    Effect.promise(async () => {
      const own = database.connect({ max: 1 })
      const session = await openSession(database, "cowry_1")
      for (const connection of [database.sql, database.probes.sql, own, session.sql])
        expect<unknown>((await looks(connection))[0]).toEqual(asked)
      await session.close()
      await own.end()
    }),
  )
})

test("a transaction that writes ends where it stands still, and costs no further round trip for that", () =>
  use((database) =>
    Effect.gen(function* () {
      observed.length = 0
      expect(yield* database.transact(limitOf)).toBe("30s")
      // Its begin, these settings, what it asks, its commit.
      expect(observed).toHaveLength(4)
    }),
  ))

test("so does one that has a chain's tables for itself, and one that holds its ledger", () =>
  use((database) =>
    Effect.gen(function* () {
      const session = yield* Effect.promise(() => openSession(database, "cowry_1"))
      const limit = () => session.run(limitOf)
      expect(yield* exclusively(session, ["cowry_1"], limit, () => {})).toBe("30s")
      yield* holdStored(database, session, chainId)
      expect(yield* Effect.promise(limit)).toBe("1min")
      yield* Effect.promise(() => session.close())
    }),
  ))
