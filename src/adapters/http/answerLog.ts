/** A line of the log for each answer, at level `debug`: which endpoint, how it ended, how long it took. Nothing of what was asked: keys and addresses stand in that. */
import { Context, Effect, References } from "effect"

export interface Answered {
  readonly requestId: string
  /** Of its row; undefined = no such path. */
  readonly endpoint: string | undefined
  /** undefined = the caller left. */
  readonly status: number | undefined
  readonly tookMs: number
}

const chatty: ReadonlySet<string> = new Set(["All", "Trace", "Debug"])

/** Costs nothing where the level is above. */
export const logAnswer = <R>(context: Context.Context<R>, answered: Answered): void => {
  if (!chatty.has(Context.get(context as Context.Context<never>, References.MinimumLogLevel))) return
  const { requestId, endpoint = "none", status, tookMs } = answered
  const line = Effect.logDebug(`answered ${endpoint}: ${status ?? "the caller left"}, ${tookMs.toFixed(1)} ms`)
  Effect.runForkWith(context)(Effect.annotateLogs(line, { requestId }))
}
