/** What a read does that has to wait for a chain's node: in whose turn, how long, and what a caller is told where it was in vain. */
import { type Cause, Duration, Effect } from "effect"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"
import { NodeTurn } from "../../ports/NodeTurn.ts"

/** That one call may take. */
export const nodeTimeout = Duration.seconds(10)
/** The same of what an answer can do without, and of a turn for that. */
export const briefNodeTimeout = Duration.seconds(2)

/** Fails as `refused` says where too many others wait. */
export const takeNodeTurn = <E>(refused: (why: string) => E): Effect.Effect<void, E> =>
  Effect.flatMap(NodeTurn, (turn) =>
    Effect.mapError(turn, () => refused("too many others wait for the chain's node. Try again shortly")),
  )

/** Whether the process has no node of the chain: then trying again is in vain. */
export const lacksNode = (error: SourceUnavailable | Cause.TimeoutError): error is SourceUnavailable =>
  error._tag === "SourceUnavailable" && error.noNode === true

export const whyUnasked = (error: SourceUnavailable | Cause.TimeoutError): string =>
  lacksNode(error) ? error.message : "the chain's node could not be asked. Try again shortly"
