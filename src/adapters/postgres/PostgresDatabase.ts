/** Opens the database: refuses one that cannot work, makes or updates the registry, and ends its pool with the scope. */
import { Effect, Layer } from "effect"
import { StoreUnavailable } from "../../domain/model/errors.ts"
import { Database, type DatabaseSettings, databaseOf, makeClient, readerParameters } from "./client.ts"
import { DatabaseRefused } from "./connectionUrl.ts"
import { migrate, registryMigrations } from "./migrate.ts"
import { findObstacle } from "./serverCheck.ts"

export const layer = (settings: DatabaseSettings): Layer.Layer<Database, DatabaseRefused | StoreUnavailable> =>
  Layer.effect(
    Database,
    Effect.gen(function* () {
      const { url, schema = "cowry", max = 10 } = settings
      if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
        return yield* new DatabaseRefused({
          message: `the schema's name: expected at most 40 lower-case letters, digits and _, got ${schema}`,
        })
      }
      const sql = yield* Effect.acquireRelease(
        attempt(async () => makeClient({ url, max, parameters: readerParameters })),
        (it) => Effect.promise(() => it.end({ timeout: 1 })),
      )
      const database = databaseOf(sql, settings)
      const obstacle = yield* attempt(() => findObstacle(database))
      if (obstacle !== undefined) return yield* new DatabaseRefused({ message: obstacle })
      yield* attempt(() => migrate(sql, schema, registryMigrations))
      return database
    }),
  )

/** A refusal stays one; any other failure is an unreachable or failing server. */
const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, DatabaseRefused | StoreUnavailable> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => (cause instanceof DatabaseRefused ? cause : new StoreUnavailable({ cause })),
  })
