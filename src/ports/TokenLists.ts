/** What the configured token lists, and the file of token information, say of tokens. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { ChainId } from "../model/primitives.ts"
import type { AddressedNote } from "../model/tokenNote.ts"

/** At most one an address. Chains that nothing is said of are left out. */
export type ChainNotes = ReadonlyMap<ChainId, ReadonlyArray<AddressedNote>>

export class TokenLists extends Context.Service<
  TokenLists,
  {
    /**
     * Asks the sources that are due, then gives what all of them say; the same lists while nothing changed. A source that
     * fails, or that gives what is no token list, counts with its last good copy. Fails where those cannot be read.
     */
    readonly read: Effect.Effect<ChainNotes, StoreError>
  }
>()("cowry/TokenLists") {}
