/** Keeps which holders are contracts, chain by chain, beside the ledger. HolderStore's lists read it too. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import type { AccountCode } from "../model/wallet/accountCode.ts"

/** The largest holders of so many tokens, behind so many: tokens of a standard with most holders first. */
export interface TopHolders {
  readonly standard: "erc20" | "erc721"
  readonly tokens: number
  readonly skip: number
  readonly holders: number
}

/** What was asked before that is asked again, in seconds since 1970; and so is what was asked later than that, by a clock that was ahead. */
export interface AskedAgain {
  readonly askedBefore: number
  readonly askedAfter: number
}

export class CodeStore extends Context.Service<
  CodeStore,
  {
    /** What is known of these, in no order; those of which nothing is are left out. */
    find(chainId: ChainId, addresses: ReadonlyArray<Address>): Effect.Effect<ReadonlyArray<AccountCode>, StoreError>
    /** Each once, the largest holders of the first token first. `tokens`: how many there were to look at. */
    listUnknown(
      chainId: ChainId,
      top: TopHolders & AskedAgain,
    ): Effect.Effect<{ readonly addresses: ReadonlyArray<Address>; readonly tokens: number }, StoreError>
    /** Who is to be asked about again: the longest ago first. */
    listOld(chainId: ChainId, again: AskedAgain, limit: number): Effect.Effect<ReadonlyArray<Address>, StoreError>
    /** Moves the chain's revision. Nothing is recorded where the chain has no ledger. `askedAt`: seconds since 1970. */
    record(chainId: ChainId, codes: ReadonlyArray<AccountCode>, askedAt: number): Effect.Effect<void, StoreError>
  }
>()("cowry/CodeStore") {}
