/** Another service of Etherscan's API: it is asked what this one does not hold. */
import { Context, type Effect, Schema } from "effect"
import type { ChainId } from "../model/primitives.ts"

/** Why there is no answer, in words that hold no part of the upstream's URL, key or answer. */
export class UpstreamUnavailable extends Schema.TaggedError<UpstreamUnavailable>()("UpstreamUnavailable", {
  message: Schema.String,
  /** It has had enough questions for now: then the message is for the caller. */
  isLimited: Schema.optionalKey(Schema.Boolean),
}) {}

export interface UpstreamQuestion {
  readonly module: string
  readonly action: string
  /** Beside those two; never a key, never a chain. */
  readonly parameters: ReadonlyArray<readonly [name: string, value: string]>
}

export class Upstream extends Context.Service<
  Upstream,
  {
    /** Whether there is one for the chain. */
    serves(chainId: ChainId): boolean
    /** Its answer as it came: the text of one JSON object with `status`, `message` and `result`. A chain without one is a failure. */
    ask(chainId: ChainId, question: UpstreamQuestion): Effect.Effect<string, UpstreamUnavailable>
  }
>()("cowry/Upstream") {}
