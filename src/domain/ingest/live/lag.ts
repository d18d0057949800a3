/** A node that has less than it announced, or than another did: usual for seconds, then a problem. */
import { Effect } from "effect"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { Report } from "../status/report.ts"

/** So long it is usual where several nodes stand behind one address. */
const usualMs = 10_000

export interface Lag {
  /** The node lags, for this reason. */
  readonly note: (message: string) => Effect.Effect<void>
  /** It has what it lacked. True = it lagged until now. */
  readonly end: () => boolean
  /** It lags for longer than is usual. */
  readonly isLong: Effect.Effect<boolean>
}

export const makeLag = (report: Pick<Report, "noticed" | "refused">): Lag => {
  /** Steady milliseconds; undefined = it does not lag. */
  let since: number | undefined
  const isLong = Effect.map(steadyMillis, (now) => since !== undefined && now - since >= usualMs)
  return {
    note: Effect.fnUntraced(function* (message) {
      const isNew = since === undefined
      since ??= yield* steadyMillis
      if (yield* isLong) {
        yield* report.refused(new SourceUnavailable({ kind: "behind", message: `${message}: it is behind` }))
      } else if (isNew) yield* report.noticed("behind", message)
    }),
    end: () => {
      const lagged = since !== undefined
      since = undefined
      return lagged
    },
    isLong,
  }
}
