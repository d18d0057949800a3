/** Counts the transfers of busy accounts beside the ledger, so that pages far down their lists are found. TransferStore's lists read it. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import type { Standard } from "../model/token.ts"

export interface StandardAccount {
  readonly standard: Standard
  readonly address: Address
}

/** Final blocks that were not counted yet, from `from` on and below `to`. */
export interface MarkWindow {
  /** What is counted hangs on this: it is another one when all is counted anew. */
  readonly generation: string
  /** The newest rollback of the ledger that was looked at. */
  readonly rollbacks: number
  readonly from: number
  readonly to: number
  /** The first block that is not final. */
  readonly end: number
  /** Nothing is counted yet: no account has rows before it. */
  readonly isFirst: boolean
}

/** Accounts that are not counted yet, with their rows in some blocks. */
export interface MarkSample {
  /** Rows of all accounts. */
  readonly rows: number
  readonly accounts: ReadonlyArray<StandardAccount & { readonly rows: number }>
}

export class AccountMarks extends Context.Service<
  AccountMarks,
  {
    /**
     * The next window of at most so many blocks; undefined = all final blocks are counted, or the chain has no ledger. Forgets
     * all that was counted where a counted block was changed since.
     */
    next(chainId: ChainId, blocks: number): Effect.Effect<MarkWindow | undefined, StoreError>
    /** The accounts of `blocks` blocks from `from` on. */
    sample(chainId: ChainId, from: number, blocks: number): Effect.Effect<MarkSample, StoreError>
    /**
     * Begins to count an account that has at least so many rows in final blocks: those before the window. Gives how many it
     * was found to have, `least` at most; of fewer, nothing is kept. Before the first window it is not looked at.
     */
    begin(
      chainId: ChainId,
      window: MarkWindow,
      account: StandardAccount,
      least: number,
    ): Effect.Effect<number, StoreError>
    /** Counts the window's rows of the accounts that are counted. Nothing is done where another did it, or all is void. */
    count(chainId: ChainId, window: MarkWindow): Effect.Effect<void, StoreError>
  }
>()("cowry/AccountMarks") {}
