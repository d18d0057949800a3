/** What a read does before it waits for a node: it hands the turn that it has to who needs the ledger alone. */
import { Context, Effect, Schema } from "effect"

/** Too many others wait for the node. */
export class NodeTurnRefused extends Schema.TaggedError<NodeTurnRefused>()("NodeTurnRefused", {}) {}

/** Once is enough; usually nobody's turn is held and nothing is to be done. */
export const NodeTurn = Context.Reference<Effect.Effect<void, NodeTurnRefused>>("cowry/NodeTurn", {
  defaultValue: () => Effect.void,
})
