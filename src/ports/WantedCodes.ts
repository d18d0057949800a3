/** Accounts that callers asked about and of whom nobody knows whether they are contracts: whoever has the node and the ledger asks about them next. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { Address, ChainId } from "../model/primitives.ts"

/** Accounts of a chain that wait at most, of all processes: those who come then wait until they are met again. */
export const mostWanted = 10_000

export class WantedCodes extends Context.Service<
  WantedCodes,
  {
    /** Returns at once: they are written a moment later, and not at all where no server takes writes. */
    want(chainId: ChainId, addresses: ReadonlyArray<Address>): Effect.Effect<void>
    /** Who waited longest first. */
    list(chainId: ChainId, limit: number): Effect.Effect<ReadonlyArray<Address>, StoreError>
    /** They were asked about, whatever the node said. */
    remove(chainId: ChainId, addresses: ReadonlyArray<Address>): Effect.Effect<void, StoreError>
  }
>()("cowry/WantedCodes") {}
