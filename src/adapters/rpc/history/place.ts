/** Where a history is read, behind the port: a place told in promises becomes a client whose failures show no secret. */
import { Duration, Effect } from "effect"
import {
  type HistoryClient,
  type HistoryPart,
  type HistorySpan,
  HistoryUnavailable,
} from "../../../ports/HistorySource.ts"
import { Malformed } from "../wire/shapes.ts"

export interface Place {
  /** What may be shown of it. */
  readonly label: string
  /** A text without what its address keeps secret. */
  readonly clean: (text: string) => string
  readonly span: (signal: AbortSignal) => Promise<HistorySpan>
  readonly parts: (from: number, to: number, signal: AbortSignal) => AsyncGenerator<HistoryPart>
}

/** For a part much has to be passed over perhaps: files are read from their beginnings. */
const patience = { span: Duration.seconds(120), part: Duration.seconds(600) }

export const clientOf = (place: Place): HistoryClient => {
  const { label } = place
  /** Of a mount that hangs nothing ever comes, not even a fault. */
  const within = (duration: Duration.Duration) =>
    Effect.timeoutOrElse({
      duration,
      orElse: () => {
        const message = `${label}: nothing came for ${Duration.toSeconds(duration)} s`
        return Effect.fail(new HistoryUnavailable({ kind: "call", message }))
      },
    })
  const faultOf = (cause: unknown): HistoryUnavailable => {
    if (cause instanceof HistoryUnavailable) return cause
    if (cause instanceof Malformed) {
      return new HistoryUnavailable({ kind: cause.what, message: `${label}: ${place.clean(cause.message)}` })
    }
    const { code, name } = Object(cause) as { readonly code?: unknown; readonly name?: unknown }
    const word = [code, name].find((it) => typeof it === "string" && /^\w{1,40}$/.test(it))
    return new HistoryUnavailable({ kind: "call", message: `${label}: cannot be read (${word ?? "unknown"})` })
  }
  return {
    label,
    span: Effect.tryPromise({ try: (signal) => place.span(signal), catch: faultOf }).pipe(within(patience.span)),
    read: Effect.fnUntraced(function* (from, to) {
      const controller = new AbortController()
      const parts = yield* Effect.acquireRelease(
        Effect.sync(() => place.parts(from, to, controller.signal)),
        (open) =>
          Effect.promise(async () => {
            controller.abort()
            // One that waits for the next piece ends by the signal.
            await Promise.race([open.return(undefined).catch(() => {}), new Promise((end) => setTimeout(end, 1000))])
          }),
      )
      const next = Effect.tryPromise({ try: () => parts.next(), catch: faultOf }).pipe(within(patience.part))
      return { next: Effect.map(next, ({ done, value }) => (done === true ? undefined : value)) }
    }),
  }
}
