/** Lines of the log about answers that were refused: one at once, of more like it only the number, ever more rarely. */
import { Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { makeRareLines, quietTimes } from "../../../model/time/rareLines.ts"

/** `kind`: which lines are alike. */
export const makeComplaints = (chainId: ChainId) => {
  const rarely = makeRareLines(quietTimes)
  return (kind: string, message: string): Effect.Effect<void> =>
    rarely(kind, (more) =>
      Effect.logWarning(`chain ${chainId}: an answer of the node is refused (${kind}): ${message}${more}`),
    )
}
