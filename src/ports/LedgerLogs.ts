/** Followed logs as the ledger gives them back: from its rows where those say every byte, else as they were told. */
import { Context, type Effect } from "effect"
import type { Log } from "../model/block.ts"
import type { StoreError } from "../model/errors.ts"
import type { Snapshot } from "../model/page.ts"
import type { Address, ChainId, Hash } from "../model/primitives.ts"
import type { LogWindow } from "./LogSearch.ts"

export interface LedgerLogFilter {
  /** The first topic: of ERC-20, ERC-721, ERC-1155, ERC-2309, wrapped native or approvals. */
  readonly signature: string
  readonly address?: Address
  /** The second to the fourth topic, 32 bytes in lower-case hex each; absent = any. */
  readonly topics: readonly [string?, string?, string?]
  /** Whether all of `topics` must be as given, or one of them. */
  readonly match: "all" | "any"
  readonly fromBlock: number
  /** Absent = up to the ledger's head. */
  readonly toBlock?: number
}

export interface LedgerLog extends Omit<Log, "blockHash"> {
  /** While a reorg may take the block back; absent = none can. */
  readonly blockHash?: Hash
  /** Of its block, seconds; absent = the row does not say. */
  readonly time?: number
}

/** Of which logs the ledger has every one. */
export interface LogCoverage {
  /** From this block on. */
  readonly fromBlock: number
  /** Their Deposit and Withdrawal, and of no other contracts. */
  readonly wrappedNative: ReadonlyArray<Address>
  /** Whether approvals are. */
  readonly approvals: boolean
  /** Absent = of every contract. */
  readonly tokens?: ReadonlyArray<Address>
}

export interface LedgerLogPage {
  /** Absent = nothing is stored. */
  readonly coverage?: LogCoverage
  /** Ascending by block and place; absent = to find the page would take more rows than a search may read. */
  readonly logs?: ReadonlyArray<LedgerLog>
}

export class LedgerLogs extends Context.Service<
  LedgerLogs,
  {
    /** It reads so many rows and no more, whatever is asked. */
    find(
      chainId: ChainId,
      filter: LedgerLogFilter,
      window: LogWindow,
    ): Effect.Effect<Snapshot<LedgerLogPage>, StoreError>
  }
>()("cowry/LedgerLogs") {}
