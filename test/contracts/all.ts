/** Every contract a store must hold. */

import type { ContractScope, MakeStore } from "./store.ts"
import { approvalsContract } from "./suites/approvals.contract.ts"
import { asOfBlockContract } from "./suites/asOfBlock.contract.ts"
import { auditContract } from "./suites/audit.contract.ts"
import { burntContract } from "./suites/burnt.contract.ts"
import { eventsContract } from "./suites/events/events.contract.ts"
import { feedsContract } from "./suites/feeds.contract.ts"
import { blockTimesContract } from "./suites/found/blockTimes.contract.ts"
import { holdersContract } from "./suites/found/holders.contract.ts"
import { searchContract } from "./suites/found/search.contract.ts"
import { wrapsContract } from "./suites/found/wraps.contract.ts"
import { healContract } from "./suites/heal.contract.ts"
import { holdingsContract } from "./suites/holdings.contract.ts"
import { keptTransactionsContract } from "./suites/kept/keptTransactions.contract.ts"
import { ledgerLogsContract } from "./suites/kept/ledgerLogs.contract.ts"
import { pagesByOffsetContract } from "./suites/kept/pagesByOffset.contract.ts"
import { touchedContract } from "./suites/kept/touched.contract.ts"
import { learningContract } from "./suites/learning.contract.ts"
import { ledgerContract } from "./suites/ledger.contract.ts"
import { listsContract } from "./suites/lists.contract.ts"
import { nftLedgerContract } from "./suites/nftLedger.contract.ts"
import { openAppendContract } from "./suites/openAppend.contract.ts"
import { coinHoursContract } from "./suites/prices/coinHours.contract.ts"
import { pricesContract } from "./suites/prices/prices.contract.ts"
import { readsContract } from "./suites/reads.contract.ts"
import { replayContract } from "./suites/replay.contract.ts"
import { rollingCountsContract } from "./suites/rollingCounts.contract.ts"
import { snapshotsContract } from "./suites/snapshots.contract.ts"
import { swapLedgerContract } from "./suites/swapLedger.contract.ts"
import { swapsContract } from "./suites/swaps.contract.ts"
import { trustContract } from "./suites/trust.contract.ts"
import { historiesContract } from "./suites/wallet/histories.contract.ts"
import { manyTokensContract } from "./suites/wallet/manyTokens.contract.ts"
import { suspectsContract } from "./suites/wallet/suspects.contract.ts"
import { walletContract } from "./suites/wallet/wallet.contract.ts"

/** Short lists are far enough here. */
export const marks = { stride: 3, far: 2 }

export const storeContracts = (name: string, makeStore: MakeStore, scope: ContractScope) => {
  ledgerContract(name, makeStore)
  nftLedgerContract(name, makeStore)
  burntContract(name, makeStore, scope.replays)
  healContract(name, makeStore, scope.replays)
  rollingCountsContract(name, makeStore)
  swapLedgerContract(name, makeStore)
  learningContract(name, makeStore)
  openAppendContract(name, makeStore)
  snapshotsContract(name, makeStore)
  feedsContract(name, makeStore, scope)
  swapsContract(name, makeStore, scope)
  readsContract(name, makeStore)
  listsContract(name, makeStore, scope)
  holdingsContract(name, makeStore)
  asOfBlockContract(name, makeStore, Math.ceil(scope.replays / 4))
  trustContract(name, makeStore, scope)
  pricesContract(name, makeStore, scope)
  coinHoursContract(name, makeStore)
  auditContract(name, makeStore)
  keptTransactionsContract(name, makeStore)
  holdersContract(name, makeStore, scope)
  wrapsContract(name, makeStore, scope)
  walletContract(name, makeStore)
  historiesContract(name, makeStore)
  manyTokensContract(name, makeStore)
  suspectsContract(name, makeStore)
  searchContract(name, makeStore, scope)
  blockTimesContract(name, makeStore)
  approvalsContract(name, makeStore, Math.ceil(scope.replays / 4))
  pagesByOffsetContract(name, makeStore, 20)
  ledgerLogsContract(name, makeStore, Math.ceil(scope.replays / 4))
  eventsContract(name, makeStore, Math.ceil(scope.replays / 8))
  touchedContract(name, makeStore, Math.ceil(scope.replays / 4))
  replayContract(name, makeStore, scope.replays)
}
