/** Whether the node's chain is the one that the stored ledger was made of, by final blocks whose hashes are kept for ever. */
import { Effect } from "effect"
import type { ChainSourceClient, SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { Landmark } from "../../../ports/Ledger.ts"

/** Newest ones that are looked at: a chain that parted from the ledger's below them has others at all of these heights. */
export const landmarksLookedAt = 4
/** One answer may be of a node that is on no chain of ours for a moment; another is asked then. */
const fewestTries = 3
const pauseMs = 500

export interface OtherLandmark {
  readonly own: Landmark
  readonly theirs: Pick<SourceHeader, "hash">
}

/** The newest of them that the node has otherwise, each time that it is asked; blocks that it does not have say nothing. */
export const findOther = Effect.fnUntraced(function* (
  node: Pick<ChainSourceClient, "headers" | "failover" | "nodes">,
  landmarks: ReadonlyArray<Landmark>,
): Effect.fn.Return<OtherLandmark | undefined, SourceUnavailable> {
  if (landmarks.length === 0) return undefined
  let other: OtherLandmark | undefined
  const tries = Math.max(fewestTries, node.nodes?.labels.length ?? 1)
  for (let left = tries; left > 0; left--) {
    const found = yield* node.headers(landmarks.map(({ number }) => number))
    other = landmarks.flatMap((own, place) => {
      const theirs = found[place]
      return theirs === undefined || theirs.hash === own.hash ? [] : [{ own, theirs }]
    })[0]
    if (other === undefined) return undefined
    yield* node.failover
    if (left > 1) yield* Effect.sleep(pauseMs)
  }
  return other
})
