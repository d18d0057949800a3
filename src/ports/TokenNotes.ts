/** The write side of what people say of tokens; TokenStore and TrustedTokens read it. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { ChainId } from "../model/primitives.ts"
import type { AddressedNote } from "../model/tokenNote.ts"

/**
 * `absent`: the chain has no ledger yet, nothing was recorded. `partly`: what the ledger's writer is at work on was left
 * out rather than waited for; record again.
 */
export type Recorded = "all" | "partly" | "absent"

export class TokenNotes extends Context.Service<
  TokenNotes,
  {
    /**
     * Makes these the chain's notes, and no others; at most one an address. Tokens that the ledger meets later have theirs
     * from birth. Moves the chain's revision where something changed, and only there.
     */
    record(chainId: ChainId, notes: ReadonlyArray<AddressedNote>): Effect.Effect<Recorded, StoreError>
  }
>()("cowry/TokenNotes") {}
