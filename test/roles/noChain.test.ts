/** Where no chain is known, whether the store answers is asked of it all the same. */
import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { Database, type DatabaseShape } from "../../src/adapters/postgres/database/Database.ts"
import * as PostgresFreshness from "../../src/adapters/postgres/reads/chains/PostgresFreshness.ts"
import { StoreUnavailable } from "../../src/model/errors.ts"
import { Freshness } from "../../src/ports/Freshness.ts"

test("a database that does not answer is no store that is up", async () => {
  const gone = new StoreUnavailable({ cause: "gone" })
  const down = { query: () => Effect.fail(gone), sql: () => undefined }
  const database = { ...down, schema: "cowry", probes: down, wide: down } as unknown as DatabaseShape
  const asked = Freshness.use((it) => it.asOf([])).pipe(
    Effect.provide(PostgresFreshness.layer.pipe(Layer.provide(Layer.succeed(Database, database)))),
  )
  expect(await Effect.runPromise(Effect.flip(asked))).toBe(gone)
})
