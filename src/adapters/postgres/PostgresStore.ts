/** Every Postgres adapter over one database: a whole store in one layer. */
import { Layer } from "effect"
import type { DatabaseSettings } from "./client.ts"
import * as PostgresLedger from "./ledger/PostgresLedger.ts"
import type { WriterLimits } from "./ledger/writer.ts"
import * as PostgresAudits from "./PostgresAudits.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"
import * as PostgresFreshness from "./PostgresFreshness.ts"
import * as PostgresHolders from "./PostgresHolders.ts"
import * as PostgresKeptCopies from "./PostgresKeptCopies.ts"
import * as PostgresLedgerCounts from "./PostgresLedgerCounts.ts"
import * as PostgresNfts from "./PostgresNfts.ts"
import * as PostgresSnapshots from "./PostgresSnapshots.ts"
import * as PostgresSupply from "./PostgresSupply.ts"
import * as PostgresSwapHistory from "./PostgresSwapHistory.ts"
import * as PostgresSwaps from "./PostgresSwaps.ts"
import * as PostgresTokenNotes from "./PostgresTokenNotes.ts"
import * as PostgresTokenPrices from "./PostgresTokenPrices.ts"
import * as PostgresTokens from "./PostgresTokens.ts"
import * as PostgresTransfers from "./PostgresTransfers.ts"
import * as PostgresTrustedTokens from "./PostgresTrustedTokens.ts"

/** Ledger and all read ports on the database of `settings`. `limits`: what the writers may use. */
export const layer = (settings: DatabaseSettings, limits: Partial<WriterLimits> = {}) =>
  layerOn(limits).pipe(Layer.provide(PostgresDatabase.layer(settings)))

/** The same on a database that is open. */
export const layerOn = (limits: Partial<WriterLimits> = {}) =>
  Layer.mergeAll(
    PostgresLedger.layerWith(limits),
    PostgresTokens.layer,
    PostgresTrustedTokens.layer,
    PostgresTokenNotes.layer,
    PostgresKeptCopies.layer,
    PostgresTransfers.layer,
    PostgresHolders.layer,
    PostgresNfts.layer,
    PostgresSupply.layer,
    PostgresSwaps.layer,
    PostgresSwapHistory.layer,
    PostgresTokenPrices.layer,
    PostgresFreshness.layer,
    PostgresLedgerCounts.layer,
    PostgresAudits.layer,
    PostgresSnapshots.layer,
  )
