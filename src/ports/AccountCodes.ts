/** Asks a chain's node which addresses have code. */
import { Context, type Effect } from "effect"
import type { Address, ChainId } from "../model/primitives.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

export class AccountCodes extends Context.Service<
  AccountCodes,
  {
    /**
     * In order, after block `blockNumber`: whether each is a contract. What delegates by EIP-7702 is none. A node that does not
     * have that state is an error, never a no.
     */
    areContracts(
      chainId: ChainId,
      addresses: ReadonlyArray<Address>,
      blockNumber: number,
    ): Effect.Effect<ReadonlyArray<boolean>, SourceUnavailable>
  }
>()("cowry/AccountCodes") {}
