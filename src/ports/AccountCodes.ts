/** Asks a chain's node what code addresses have. */
import { Context, type Effect } from "effect"
import type { Address, ChainId } from "../model/primitives.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

/**
 * `none`: there is no code, so calls run none. `delegation`: the account lends the code of another address by EIP-7702. A key
 * still signs for it, so it is no contract; but whoever calls it runs that code.
 */
export type CodeKind = "none" | "delegation" | "contract"

export class AccountCodes extends Context.Service<
  AccountCodes,
  {
    /**
     * In order, after block `blockNumber`: what each has. A node that does not have that state is an error, never a `none`.
     */
    kindsOf(
      chainId: ChainId,
      addresses: ReadonlyArray<Address>,
      blockNumber: number,
    ): Effect.Effect<ReadonlyArray<CodeKind>, SourceUnavailable>
  }
>()("cowry/AccountCodes") {}
