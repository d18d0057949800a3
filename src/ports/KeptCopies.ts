/** Last good copies of what came from outside: they outlive a restart, and instances on one store share them. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"

export interface KeptCopy {
  readonly text: string
  /** The source's validator of that text, for `If-None-Match`. */
  readonly etag?: string
  /** When the source last vouched for it, milliseconds since 1970. */
  readonly checkedAt: number
}

export class KeptCopies extends Context.Service<
  KeptCopies,
  {
    /** undefined = none is kept. Keys must hold no secret: a digest of a URL, not the URL. */
    find(key: string): Effect.Effect<KeptCopy | undefined, StoreError>
    /** In the place of an older one; a copy that is kept already and was checked later stays. */
    keep(key: string, copy: KeptCopy): Effect.Effect<void, StoreError>
  }
>()("cowry/KeptCopies") {}
