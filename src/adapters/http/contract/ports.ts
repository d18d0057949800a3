/** The ports that answering may need. */
import type { EventHub } from "../../../domain/events/EventHub.ts"
import type { AccountCodes } from "../../../ports/AccountCodes.ts"
import type { ApiKeys } from "../../../ports/ApiKeys.ts"
import type { AuditStore } from "../../../ports/AuditStore.ts"
import type { BlockTimes } from "../../../ports/BlockTimes.ts"
import type { ChainNode } from "../../../ports/ChainNode.ts"
import type { ChainSource } from "../../../ports/ChainSource.ts"
import type { CodeStore } from "../../../ports/CodeStore.ts"
import type { Freshness } from "../../../ports/Freshness.ts"
import type { KeptTransactions } from "../../../ports/KeptTransactions.ts"
import type { LedgerCounts } from "../../../ports/LedgerCounts.ts"
import type { LedgerLogs } from "../../../ports/LedgerLogs.ts"
import type { LogSearch } from "../../../ports/LogSearch.ts"
import type { NativeBalances } from "../../../ports/NativeBalances.ts"
import type { NativeHistories } from "../../../ports/NativeHistories.ts"
import type { NativeSupplySource } from "../../../ports/NativeSupplySource.ts"
import type { Networks } from "../../../ports/Networks.ts"
import type { ReadServers } from "../../../ports/ReadServers.ts"
import type { ListStores, Snapshots } from "../../../ports/Snapshots.ts"
import type { SupplyStore } from "../../../ports/SupplyStore.ts"
import type { SyncStatus } from "../../../ports/SyncStatus.ts"
import type { TokenViews } from "../../../ports/TokenViews.ts"
import type { TransactionSource } from "../../../ports/TransactionSource.ts"
import type { Upstream } from "../../../ports/Upstream.ts"
import type { WantedCodes } from "../../../ports/WantedCodes.ts"
import type { WebhookSender } from "../../../ports/WebhookSender.ts"
import type { WebhookStore } from "../../../ports/WebhookStore.ts"

export type Ports =
  | ListStores
  | AccountCodes
  | ApiKeys
  | AuditStore
  | ChainNode
  | Freshness
  | KeptTransactions
  | LedgerCounts
  | LedgerLogs
  | LogSearch
  | BlockTimes
  | ChainSource
  | CodeStore
  | EventHub
  | NativeBalances
  | NativeHistories
  | NativeSupplySource
  | Networks
  | ReadServers
  | Snapshots
  | SupplyStore
  | SyncStatus
  | TransactionSource
  | TokenViews
  | Upstream
  | WantedCodes
  | WebhookSender
  | WebhookStore
