/** How the ledger's blocks and the node's chain can part. */
import { Effect, Schema } from "effect"
import type { BlockHeader } from "../../../model/block.ts"
import type { Checkpoint } from "../../../model/event.ts"
import { FaultKind } from "../../../model/fault.ts"
import type { ChainSourceClient } from "../../../ports/ChainSource.ts"
import { rebuildCommand } from "../../../ports/Ledger.ts"
import type { FollowSettings } from "./settings.ts"

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
  /** Hash of the node's one. */
  theirs: Schema.String,
}) {}

/** What the ledger and the node have at the same height. */
interface Parted {
  readonly own: Pick<BlockHeader, "number" | "hash">
  readonly theirs: Pick<BlockHeader, "hash">
  readonly checkpoint: Checkpoint
  readonly settings: Pick<FollowSettings, "chainId" | "finality">
}

export const forkTooDeep = ({ own, theirs, checkpoint: { head, finalizedBlock }, settings }: Parted): ForkTooDeep =>
  new ForkTooDeep({
    ...(head === undefined ? {} : { head: head.hash }),
    block: { number: own.number, hash: own.hash },
    theirs: theirs.hash,
    message:
      `the node's block ${own.number} is ${theirs.hash}, the stored one ${own.hash}. ` +
      `Blocks this old cannot be taken back (final up to block ${finalizedBlock}); nothing was changed. ` +
      `Check that the node is on the right chain. If it is, set FINALITY_${settings.chainId} above ` +
      `${settings.finality} and run: ${rebuildCommand(settings.chainId)}`,
  })

type Nodes = Pick<ChainSourceClient, "headers" | "failover" | "nodes">

/** Whether any node has the stored block: each is asked in turn, and the one that has it is left in use. */
export const isHeldByAny = Effect.fnUntraced(function* ({ block }: Pick<ForkTooDeep, "block">, node: Nodes) {
  for (let left = node.nodes?.labels.length ?? 1; left > 0; left--) {
    const [theirs] = yield* node.headers([block.number])
    if (theirs?.hash === block.hash) return true
    yield* node.failover
  }
  return false
})

/** Whether this ledger would end there again: its head is the same, and every node has another block still, or none. */
export const endsThereAgain = Effect.fnUntraced(function* (fork: ForkTooDeep, node: Nodes, checkpoint: Checkpoint) {
  if (fork.head !== checkpoint.head?.hash) return false
  return !(yield* isHeldByAny(fork, node))
})
