/** Every contract a store must hold. */

import { asOfBlockContract } from "./asOfBlock.contract.ts"
import { auditContract } from "./audit.contract.ts"
import { burntContract } from "./burnt.contract.ts"
import { feedsContract } from "./feeds.contract.ts"
import { holdingsContract } from "./holdings.contract.ts"
import { learningContract } from "./learning.contract.ts"
import { ledgerContract } from "./ledger.contract.ts"
import { listsContract } from "./lists.contract.ts"
import { nftLedgerContract } from "./nftLedger.contract.ts"
import { openAppendContract } from "./openAppend.contract.ts"
import { pricesContract } from "./prices.contract.ts"
import { readsContract } from "./reads.contract.ts"
import { replayContract } from "./replay.contract.ts"
import { rollingCountsContract } from "./rollingCounts.contract.ts"
import { snapshotsContract } from "./snapshots.contract.ts"
import type { ContractScope, MakeStore } from "./store.ts"
import { swapLedgerContract } from "./swapLedger.contract.ts"
import { swapsContract } from "./swaps.contract.ts"
import { trustContract } from "./trust.contract.ts"

export const storeContracts = (name: string, makeStore: MakeStore, scope: ContractScope) => {
  ledgerContract(name, makeStore)
  nftLedgerContract(name, makeStore)
  burntContract(name, makeStore, scope.replays)
  rollingCountsContract(name, makeStore)
  swapLedgerContract(name, makeStore)
  learningContract(name, makeStore)
  openAppendContract(name, makeStore)
  snapshotsContract(name, makeStore)
  feedsContract(name, makeStore, scope)
  swapsContract(name, makeStore, scope)
  readsContract(name, makeStore)
  listsContract(name, makeStore)
  holdingsContract(name, makeStore)
  asOfBlockContract(name, makeStore, Math.ceil(scope.replays / 4))
  trustContract(name, makeStore)
  pricesContract(name, makeStore)
  auditContract(name, makeStore)
  replayContract(name, makeStore, scope.replays)
}
