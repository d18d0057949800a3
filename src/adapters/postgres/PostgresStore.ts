/** Every Postgres adapter over one database: a whole store in one layer. */
import { Layer } from "effect"
import type { DatabaseSettings } from "./database/Database.ts"
import * as PostgresDatabase from "./database/PostgresDatabase.ts"
import * as PostgresLedger from "./ledger/PostgresLedger.ts"
import type { WriterLimits } from "./ledger/writerState.ts"
import * as PostgresKeptCopies from "./PostgresKeptCopies.ts"
import * as PostgresKeptTransactions from "./PostgresKeptTransactions.ts"
import * as PostgresReadServers from "./PostgresReadServers.ts"
import * as PostgresSnapshots from "./PostgresSnapshots.ts"
import * as PostgresApprovals from "./reads/approvals/PostgresApprovals.ts"
import * as PostgresAudits from "./reads/audit/PostgresAudits.ts"
import * as PostgresBlockTimes from "./reads/chains/PostgresBlockTimes.ts"
import * as PostgresFreshness from "./reads/chains/PostgresFreshness.ts"
import * as PostgresLedgerCounts from "./reads/chains/PostgresLedgerCounts.ts"
import * as PostgresCodes from "./reads/codes/PostgresCodes.ts"
import * as PostgresEvents from "./reads/events/PostgresEvents.ts"
import * as PostgresHolders from "./reads/holders/PostgresHolders.ts"
import * as PostgresSupply from "./reads/holders/PostgresSupply.ts"
import * as PostgresLedgerLogs from "./reads/logs/PostgresLedgerLogs.ts"
import * as PostgresNfts from "./reads/nfts/PostgresNfts.ts"
import * as PostgresTokenNotes from "./reads/notes/PostgresTokenNotes.ts"
import * as PostgresTokenPrices from "./reads/prices/PostgresTokenPrices.ts"
import * as PostgresSwapHistory from "./reads/swaps/PostgresSwapHistory.ts"
import * as PostgresSwaps from "./reads/swaps/PostgresSwaps.ts"
import * as PostgresTokens from "./reads/tokens/PostgresTokens.ts"
import * as PostgresTrustedTokens from "./reads/tokens/PostgresTrustedTokens.ts"
import * as PostgresAccountMarks from "./reads/transfers/marks/PostgresAccountMarks.ts"
import * as PostgresTransfers from "./reads/transfers/PostgresTransfers.ts"
import * as PostgresTokenHistories from "./reads/wallet/PostgresTokenHistories.ts"
import * as PostgresWallet from "./reads/wallet/PostgresWallet.ts"
import * as PostgresWantedCodes from "./registry/PostgresWantedCodes.ts"
import * as PostgresWebhooks from "./registry/PostgresWebhooks.ts"

export interface StoreLimits {
  /** Transactions of which the columns are kept. */
  readonly keptTransactions?: number
  /** Rows from mark to mark of a busy account's list; how many rows a page lies behind what is known for the marks to be used; how many are written at once. */
  readonly marks?: { readonly stride?: number; readonly far?: number; readonly atOnce?: number }
}

/** Ledger and all read ports on the database of `settings`. `limits`: what the writers may use. */
export const layer = (settings: DatabaseSettings, limits: Partial<WriterLimits> & StoreLimits = {}) =>
  layerOn(limits).pipe(Layer.provide(PostgresDatabase.layer(settings)))

/** The same on a database that is open. */
export const layerOn = (limits: Partial<WriterLimits> & StoreLimits = {}) =>
  Layer.mergeAll(
    PostgresLedger.layerWith(limits),
    PostgresTokens.layer,
    PostgresTrustedTokens.layer,
    PostgresTokenNotes.layer,
    PostgresKeptCopies.layer,
    PostgresKeptTransactions.layerWith(limits.keptTransactions),
    PostgresTransfers.layerWith(limits.marks),
    PostgresHolders.layer,
    PostgresNfts.layer,
    PostgresApprovals.layer,
    PostgresSupply.layer,
    PostgresSwaps.layer,
    PostgresSwapHistory.layer,
    PostgresTokenPrices.layer,
    PostgresFreshness.layer,
    PostgresBlockTimes.layer,
    PostgresLedgerCounts.layer,
    PostgresLedgerLogs.layer,
    PostgresAudits.layer,
    PostgresSnapshots.layer,
    PostgresEvents.layer,
    PostgresWebhooks.layer,
    PostgresReadServers.layer,
    PostgresWallet.layer,
    PostgresTokenHistories.layer,
    PostgresCodes.layer,
    PostgresWantedCodes.layer,
    PostgresAccountMarks.layerWith(limits.marks),
  )
