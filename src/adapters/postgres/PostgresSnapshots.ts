/** The Snapshots port in PostgreSQL: a read-only transaction on a connection of its own, under the stores that everybody uses. */
import { Effect, Layer, Semaphore } from "effect"
import type { ReservedSql } from "postgres"
import { type StoreError, StoreUnavailable } from "../../model/errors.ts"
import { mostSnapshots, Snapshots } from "../../ports/Snapshots.ts"
import { readerParameters } from "./database/client.ts"
import { Database, type DatabaseShape } from "./database/Database.ts"
import { holding } from "./database/databaseOf.ts"
import { openHeld } from "./database/held.ts"
import * as PostgresApprovals from "./reads/approvals/PostgresApprovals.ts"
import * as SnapshotHolders from "./reads/holders/SnapshotHolders.ts"
import * as PostgresNfts from "./reads/nfts/PostgresNfts.ts"
import * as PostgresSwaps from "./reads/swaps/PostgresSwaps.ts"
import * as PostgresTokens from "./reads/tokens/PostgresTokens.ts"
import * as PostgresTrustedTokens from "./reads/tokens/PostgresTrustedTokens.ts"
import * as PostgresTransfers from "./reads/transfers/PostgresTransfers.ts"
import * as PostgresTokenHistories from "./reads/wallet/PostgresTokenHistories.ts"
import * as PostgresWallet from "./reads/wallet/PostgresWallet.ts"

const stores = Layer.mergeAll(
  SnapshotHolders.layer,
  PostgresNfts.layer,
  PostgresApprovals.layer,
  PostgresSwaps.layer,
  PostgresTokens.layer,
  PostgresTransfers.layer,
  PostgresTrustedTokens.layer,
  PostgresWallet.layer,
  PostgresTokenHistories.layer,
)

/**
 * A client that reads slowly keeps its transaction idle meanwhile: who cuts it off is the server of HTTP. Cursors are read to the
 * end. Said in the transaction, not as the connection is opened: a pooler need not know them.
 */
const beginOn = (sql: ReservedSql) =>
  Promise.all([
    sql`begin isolation level repeatable read read only`,
    sql`set local idle_in_transaction_session_timeout = 0`,
    sql`set local cursor_tuple_fraction = 1`,
  ])

export const layer = Layer.effect(
  Snapshots,
  Effect.gen(function* () {
    const database = yield* Database
    const permits = yield* Semaphore.make(mostSnapshots)
    return Snapshots.of({
      open: Effect.gen(function* () {
        yield* permits.takeScoped(1)
        const held = Layer.succeed(Database, yield* begin(yield* database.here))
        // Not the layers that this process has built already: those read from the pool.
        return yield* Layer.buildWithMemoMap(
          stores.pipe(Layer.provide(held)),
          yield* Layer.makeMemoMap,
          yield* Effect.scope,
        )
      }),
    })
  }),
)

/** The snapshot is that of the first statement after it. Ends with its connection. */
const begin = Effect.fnUntraced(function* (database: DatabaseShape) {
  const opened = Effect.tryPromise({
    try: () =>
      openHeld(database, {
        lost: "the snapshot's connection was lost",
        parameters: readerParameters,
        first: beginOn,
      }),
    catch: (cause): StoreError => new StoreUnavailable({ cause }),
  })
  const held = yield* Effect.acquireRelease(opened, (it) =>
    Effect.sync(() => it.fail(new Error("the snapshot was closed"))),
  )
  return holding(database, held)
})
