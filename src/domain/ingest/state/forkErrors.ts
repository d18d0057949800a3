/** How the ledger's blocks and the node's chain can part. */
import { Effect, Schema } from "effect"
import type { Checkpoint } from "../../../model/event.ts"
import { FaultKind } from "../../../model/fault.ts"
import type { ChainSourceClient } from "../../../ports/ChainSource.ts"

/** The node's chain does not go on from the ledger's head: a reorg, or a node that contradicts itself. */
export class Detached extends Schema.TaggedError<Detached>()("Detached", {
  kind: FaultKind,
  message: Schema.String,
}) {}

/** The chains part below the blocks that can be taken back. The message says what to do; `head` is the hash of the ledger's newest block. */
export class ForkTooDeep extends Schema.TaggedError<ForkTooDeep>()("ForkTooDeep", {
  message: Schema.String,
  head: Schema.optional(Schema.String),
  /** The stored block that the node had another one for. */
  block: Schema.Struct({ number: Schema.Finite, hash: Schema.String }),
}) {}

/** Whether this ledger would end there again: its head is the same, and the node has another block still, or none. */
export const endsThereAgain = Effect.fnUntraced(function* (
  { head, block }: ForkTooDeep,
  node: Pick<ChainSourceClient, "headers">,
  checkpoint: Checkpoint,
) {
  if (head !== checkpoint.head?.hash) return false
  const [theirs] = yield* node.headers([block.number])
  return theirs?.hash !== block.hash
})
