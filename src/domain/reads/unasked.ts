/** Why nobody could be asked, in words for a caller. */
import type { Cause } from "effect"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"

/** Whoever has no node is not told to try again. */
export const whyUnasked = (error: SourceUnavailable | Cause.TimeoutError): string =>
  error._tag === "SourceUnavailable" && error.noNode === true
    ? error.message
    : "the chain's node could not be asked. Try again shortly"
