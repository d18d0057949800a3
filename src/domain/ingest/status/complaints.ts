/** Lines of the log about answers that were refused: one at once, of more like it only the number, ever more rarely. */
import { Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"

/** Milliseconds without a line of the same kind; twice as long each time it comes again, up to an hour. */
const shortestQuietMs = 60_000
const longestQuietMs = 3_600_000
/** After so many milliseconds without one it is new again. */
const forgottenMs = 600_000

/** What was said of one kind of fault. */
interface Said {
  until: number
  silenceMs: number
  unsaid: number
  last: number
}

/** `kind`: which lines are alike. */
export const makeComplaints = (chainId: ChainId) => {
  const said = new Map<string, Said>()
  return Effect.fnUntraced(function* (kind: string, message: string) {
    const now = yield* steadyMillis
    const before = said.get(kind)
    const known = before !== undefined && now - before.last < Math.max(forgottenMs, before.silenceMs)
    if (known && now < before.until) {
      before.unsaid++
      before.last = now
      return
    }
    const more = known && before.unsaid > 0 ? ` (and ${before.unsaid} more of this kind since the last line)` : ""
    const silenceMs = known ? Math.min(before.silenceMs * 2, longestQuietMs) : shortestQuietMs
    said.set(kind, { until: now + silenceMs, silenceMs, unsaid: 0, last: now })
    yield* Effect.logWarning(`chain ${chainId}: an answer of the node is refused (${kind}): ${message}${more}`)
  })
}
