/** Finds where the ledger and the node's chain part, and takes the ledger back to there. */
import { Effect, Schema } from "effect"
import type { BlockHeader } from "../../model/block.ts"
import type { Checkpoint } from "../../model/event.ts"
import { type ChainSourceClient, SourceUnavailable } from "../../ports/ChainSource.ts"
import { rebuildCommand } from "../../ports/Ledger.ts"
import { takeBackMistimed } from "./mistimed.ts"
import { type Following, rollback } from "./state.ts"
import { checkIdentity } from "./verify/identity.ts"

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
  source: ChainSourceClient,
  checkpoint: Checkpoint,
) {
  if (head !== checkpoint.head?.hash) return false
  const [theirs] = yield* source.headers([block.number])
  return theirs?.hash !== block.hash
})

/** Headers compared in one go. */
const step = 64

/**
 * Rolls back to the newest stored block that the node has too. Nothing happens where the node has another block at
 * none of the heights it has: it is behind, or was contradicting itself; unless it has one at another time than was
 * stored. True = blocks were taken back.
 */
export const reconcile = Effect.fn("reconcile")(function* (following: Following) {
  const { checkpoint, writer, settings } = following
  const kept = yield* keptHeaders(following, yield* writer.recentHeaders)
  let deepest: { readonly own: BlockHeader; readonly theirs: BlockHeader } | undefined
  for (let end = kept.length; end > 0; end -= step) {
    const part = kept.slice(Math.max(0, end - step), end)
    const theirs = yield* following.source.headers(part.map(({ number }) => number))
    for (let index = part.length - 1; index >= 0; index--) {
      const [own, other] = [part[index]!, theirs[index]]
      if (other === undefined) continue
      if (other.hash !== own.hash) {
        deepest = { own, theirs: other }
        continue
      }
      if (deepest === undefined) return yield* takeBackMistimed(following, kept)
      yield* checkIdentity(following, false)
      yield* rollback(following, own.number + 1)
      return true
    }
  }
  if (deepest === undefined) {
    return yield* new SourceUnavailable({ kind: "behind", message: "the node has none of the newest blocks" })
  }
  yield* checkIdentity(following, true)
  const { firstBlock, finalizedBlock } = checkpoint
  if (kept[0]!.number === firstBlock && finalizedBlock < firstBlock) {
    yield* rollback(following, firstBlock)
    return true
  }
  const { own, theirs } = deepest
  return yield* new ForkTooDeep({
    ...(checkpoint.head === undefined ? {} : { head: checkpoint.head.hash }),
    block: { number: own.number, hash: own.hash },
    message:
      `the node's block ${own.number} is ${theirs.hash}, the stored one ${own.hash}. ` +
      `Blocks this old cannot be taken back (final up to block ${finalizedBlock}); nothing was changed. ` +
      `Check that the node is on the right chain. If it is, set FINALITY_${settings.chainId} above ` +
      `${settings.finality} and run: ${rebuildCommand(settings.chainId)}`,
  })
})

/** The ledger's head counts too, where its header is not among the kept ones. */
const keptHeaders = ({ checkpoint: { head } }: Following, recent: ReadonlyArray<BlockHeader>) =>
  Effect.succeed(head === undefined || recent.at(-1)?.number === head.number ? recent : [...recent, head])
