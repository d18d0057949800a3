/** Lines of the log about answers that were refused: one at once, of more like it only the number, ever more rarely. */
import { Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { makeRareLines } from "../../../model/time/rareLines.ts"

const quietTimes = { quietMs: 60_000, longestQuietMs: 3_600_000 }

/** `kind`: which lines are alike. */
export const makeComplaints = (chainId: ChainId) => {
  const rarely = makeRareLines(quietTimes)
  return (kind: string, message: string): Effect.Effect<void> =>
    rarely(kind, (more) =>
      Effect.logWarning(`chain ${chainId}: an answer of the node is refused (${kind}): ${message}${more}`),
    )
}
