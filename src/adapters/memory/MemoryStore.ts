/** Every memory adapter over one shared state: a whole store in one layer. */
import { Layer } from "effect"
import * as MemoryAccountMarks from "./MemoryAccountMarks.ts"
import * as MemoryApprovals from "./MemoryApprovals.ts"
import * as MemoryAudits from "./MemoryAudits.ts"
import * as MemoryBlockTimes from "./MemoryBlockTimes.ts"
import * as MemoryCodes from "./MemoryCodes.ts"
import * as MemoryEvents from "./MemoryEvents.ts"
import * as MemoryFreshness from "./MemoryFreshness.ts"
import * as MemoryHolders from "./MemoryHolders.ts"
import * as MemoryKeptCopies from "./MemoryKeptCopies.ts"
import * as MemoryKeptTransactions from "./MemoryKeptTransactions.ts"
import * as MemoryLedger from "./MemoryLedger.ts"
import * as MemoryLedgerCounts from "./MemoryLedgerCounts.ts"
import * as MemoryLedgerLogs from "./MemoryLedgerLogs.ts"
import * as MemoryNfts from "./MemoryNfts.ts"
import * as MemoryReadServers from "./MemoryReadServers.ts"
import * as MemorySnapshots from "./MemorySnapshots.ts"
import * as MemorySupply from "./MemorySupply.ts"
import * as MemorySwapHistory from "./MemorySwapHistory.ts"
import * as MemorySwaps from "./MemorySwaps.ts"
import * as MemoryTokenHistories from "./MemoryTokenHistories.ts"
import * as MemoryTokenNotes from "./MemoryTokenNotes.ts"
import * as MemoryTokenPrices from "./MemoryTokenPrices.ts"
import * as MemoryTokens from "./MemoryTokens.ts"
import * as MemoryTransfers from "./MemoryTransfers.ts"
import * as MemoryTrustedTokens from "./MemoryTrustedTokens.ts"
import * as MemoryWallet from "./MemoryWallet.ts"
import * as MemoryWantedCodes from "./MemoryWantedCodes.ts"
import * as MemoryWebhooks from "./MemoryWebhooks.ts"
import * as State from "./state.ts"

/** Ledger and all read ports. Each build of the layer is a store of its own. */
export const layer = Layer.mergeAll(
  MemoryLedger.layer,
  MemoryTokens.layer,
  MemoryTrustedTokens.layer,
  MemoryTokenNotes.layer,
  MemoryKeptCopies.layer,
  MemoryKeptTransactions.layer,
  MemoryTransfers.layer,
  MemoryApprovals.layer,
  MemoryHolders.layer,
  MemoryNfts.layer,
  MemorySupply.layer,
  MemorySwaps.layer,
  MemorySwapHistory.layer,
  MemoryTokenPrices.layer,
  MemoryFreshness.layer,
  MemoryBlockTimes.layer,
  MemoryLedgerCounts.layer,
  MemoryLedgerLogs.layer,
  MemoryAudits.layer,
  MemorySnapshots.layer,
  MemoryEvents.layer,
  MemoryWebhooks.layer,
  MemoryReadServers.layer,
  MemoryWallet.layer,
  MemoryTokenHistories.layer,
  MemoryCodes.layer,
  MemoryWantedCodes.layer,
  MemoryAccountMarks.layer,
).pipe(Layer.provide(State.layer))
