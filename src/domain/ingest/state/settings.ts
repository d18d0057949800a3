/** What a chain is followed by. */
import type { Address, ChainId, Hash } from "../../../model/primitives.ts"
import type { LedgerSettings } from "../../../ports/Ledger.ts"
import type { Contracts } from "../decode/sorting.ts"
import type { HistoryCheck } from "../history/History.ts"

export interface FollowSettings {
  readonly chainId: ChainId
  /** START_BLOCK: the first block of the ledger. */
  readonly startBlock: number
  readonly wrappedNative: ReadonlyArray<Address>
  /** SWAPS: whether swaps are stored. Never where TOKENS narrows the logs that are asked for. */
  readonly swaps: boolean
  /** Uniswap V4 pool managers whose swaps are. */
  readonly poolManagers: ReadonlyArray<Address>
  /** APPROVALS: whether approvals are stored; absent = no. */
  readonly approvals?: boolean
  /** TOKENS; absent = every token. */
  readonly tokens?: ReadonlyArray<Address>
  /** The chain adds logs beside its transactions, which neither receiptsRoot nor logsBloom hold; absent = not known. */
  readonly addsLogs?: boolean
  /** FINALITY: blocks this far below the head never change. */
  readonly finality: number
  /** POLL_MS: time between two looks at the head; less where blocks come faster. */
  readonly pollMs: number
  /** RPC_CONCURRENCY: ranges fetched ahead of the writer. */
  readonly rpcConcurrency: number
  /** BULK: whether a long history is loaded in bulk; default `auto`: where it is long. */
  readonly bulk?: "auto" | "on" | "off"
  /** VERIFY: the headers read below finality; default `range`: of range ends and blocks with logs. */
  readonly verify?: "range" | "full"
  /** HISTORY_CHECK: how much of a history from elsewhere is compared with the node; default `auto`. */
  readonly historyCheck?: HistoryCheck
}

/** What of it makes the ledger what it is. */
export const ledgerSettingsOf = (settings: FollowSettings, genesisHash: Hash): LedgerSettings => {
  const { chainId, startBlock: firstBlock, wrappedNative, tokens, swaps, poolManagers, approvals } = settings
  const options = { ...(tokens && { tokens }), ...(approvals && { approvals }) }
  return { chainId, genesisHash, firstBlock, wrappedNative, swaps, poolManagers, ...options }
}

/** What of it says which logs are which events. */
export const contractsOf = ({
  wrappedNative,
  swaps,
  poolManagers,
  approvals = false,
  tokens,
}: FollowSettings): Contracts => ({
  wrappedNative: new Set(wrappedNative),
  swaps,
  approvals,
  poolManagers: new Set(poolManagers),
  ...(tokens && { tokens: new Set(tokens) }),
})
