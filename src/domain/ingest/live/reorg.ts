/** Finds where the ledger and the node's chain part, and takes the ledger back to there. */
import { Effect } from "effect"
import type { BlockHeader } from "../../../model/block.ts"
import type { Checkpoint } from "../../../model/event.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { FollowState } from "../state/FollowState.ts"
import { forkTooDeep } from "../state/forkErrors.ts"
import { takeBackMistimed } from "./mistimed.ts"

/** Headers compared in one go. */
const headersStep = 64

/**
 * Rolls back to the newest stored block that the node has too. Nothing happens where the node has another block at
 * none of the heights it has: it is behind, or was contradicting itself; unless it has one at another time than was
 * stored. True = blocks were taken back.
 */
export const reconcile = Effect.fn("reconcile")(function* (
  state: Pick<FollowState, "ledger" | "report" | "settings" | "source">,
) {
  const { ledger, source, settings } = state
  const checkpoint = ledger.checkpoint()
  const kept = withHead(checkpoint, yield* ledger.recentHeaders)
  let deepest: { readonly own: BlockHeader; readonly theirs: BlockHeader } | undefined
  for (let end = kept.length; end > 0; end -= headersStep) {
    const part = kept.slice(Math.max(0, end - headersStep), end)
    const theirs = yield* source.headers(part.map(({ number }) => number))
    for (let index = part.length - 1; index >= 0; index--) {
      const [own, other] = [part[index]!, theirs[index]]
      if (other === undefined) continue
      if (other.hash !== own.hash) {
        deepest = { own, theirs: other }
        continue
      }
      if (deepest === undefined) return yield* takeBackMistimed(state, kept)
      yield* source.checkGenesis
      yield* ledger.rollback(own.number + 1)
      return true
    }
  }
  if (deepest === undefined) {
    return yield* new SourceUnavailable({ kind: "behind", message: "the node has none of the newest blocks" })
  }
  yield* source.checkIdentity
  const { firstBlock, finalizedBlock } = checkpoint
  if (kept[0]!.number === firstBlock && finalizedBlock < firstBlock) {
    yield* ledger.rollback(firstBlock)
    return true
  }
  return yield* forkTooDeep({ ...deepest, checkpoint, settings })
})

/** The ledger's head counts too, where its header is not among the kept ones. */
const withHead = ({ head }: Checkpoint, recent: ReadonlyArray<BlockHeader>): ReadonlyArray<BlockHeader> =>
  head === undefined || recent.at(-1)?.number === head.number ? recent : [...recent, head]
