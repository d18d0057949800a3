/** A line of the log for each answer, at level `debug`: which endpoint, how it ended, how long it took. Nothing of what was asked: keys and addresses stand in that. */
import { Context, Effect, References } from "effect"
import type { Endpoint } from "./contract/endpoint.ts"
import type { Kind } from "./contract/statuses.ts"

export interface Answered {
  readonly requestId: string
  /** Its row; undefined = no such path. */
  readonly endpoint: Endpoint | undefined
  /** undefined = the caller left. */
  readonly status: number | undefined
  /** Why it is a refusal; absent = it is none. */
  readonly fault?: Kind | undefined
  readonly tookMs: number
}

const chatty: ReadonlySet<string> = new Set(["All", "Trace", "Debug"])

/** Costs nothing where the level is above. */
export const logAnswer = <R>(context: Context.Context<R>, answered: Answered): void => {
  if (!chatty.has(Context.get(context as Context.Context<never>, References.MinimumLogLevel))) return
  const { requestId, endpoint, status, tookMs } = answered
  const line = Effect.logDebug(
    `answered ${endpoint?.id ?? "none"}: ${status ?? "the caller left"}, ${tookMs.toFixed(1)} ms`,
  )
  Effect.runForkWith(context)(Effect.annotateLogs(line, { requestId }))
}
