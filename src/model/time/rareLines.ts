/** Lines of the log about what comes again and again: one at once, of more like it only the number, ever more rarely. */
import { Effect } from "effect"
import { steadyMillis } from "./steadyClock.ts"

export interface QuietTimes {
  /** Milliseconds without a line of the same kind; twice as long each time it comes again, up to `longestQuietMs`. */
  readonly quietMs: number
  readonly longestQuietMs: number
}

/** Of bugs and refused answers, which come with every round. */
export const quietTimes: QuietTimes = { quietMs: 60_000, longestQuietMs: 3_600_000 }

/** After so many milliseconds without one it is new again. */
const forgottenMs = 600_000

/** What was said of one kind. */
interface Said {
  until: number
  silenceMs: number
  unsaid: number
  last: number
}

/**
 * `kind`: which lines are alike; there may be as many as the code has, never as many as callers can think of. `say` is run
 * where a line is due, with what to add to it.
 */
export const makeRareLines = ({ quietMs, longestQuietMs }: QuietTimes) => {
  const said = new Map<string, Said>()
  return Effect.fnUntraced(function* (kind: string, say: (more: string) => Effect.Effect<void>) {
    const now = yield* steadyMillis
    const before = said.get(kind)
    const known = before !== undefined && now - before.last < Math.max(forgottenMs, before.silenceMs)
    if (known && now < before.until) {
      before.unsaid++
      before.last = now
      return
    }
    const more = known && before.unsaid > 0 ? ` (and ${before.unsaid} more of this kind since the last line)` : ""
    const silenceMs = known ? Math.min(before.silenceMs * 2, longestQuietMs) : quietMs
    said.set(kind, { until: now + silenceMs, silenceMs, unsaid: 0, last: now })
    yield* say(more)
  })
}
