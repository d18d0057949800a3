/** The next blocks of a history, while it has them and is in use; else the node goes on. */
import { Effect, Exit, Option, Scope } from "effect"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { HistoryPart, HistoryReader, HistorySpan } from "../../../ports/HistorySource.ts"
import { HistoryUnavailable } from "../../../ports/HistorySource.ts"
import type { BlockRange } from "../verify/rangeAnswers.ts"
import { type History, isLeft, rest, tell } from "./History.ts"

/** Who gives fewer blocks and logs a second than these, waited for so long, is left for the node for a while. */
const slow = { fewestPerSecond: 50, leastMs: 1000, longestMs: 10_000 }
/** What it has is asked for again after so long. */
const spanAgeMs = 30_000

/** Blocks of a history, and the range that they speak of: with those that it left out. */
export interface ToldPart extends HistoryPart {
  readonly range: BlockRange
}

/** What a look at it came to. `isFirst`: of its reader. */
interface Look {
  readonly part: HistoryPart | undefined
  readonly isFirst: boolean
}

const nothing: Look = { part: undefined, isFirst: false }

export interface HistoryReading {
  /** Blocks from `from` on, up to `to`; undefined = the node is to be asked. */
  readonly take: (range: BlockRange) => Effect.Effect<ToldPart | undefined>
}

/** Until the scope ends. */
export const makeHistoryReading = Effect.fnUntraced(function* (history: History) {
  let open: { readonly reader: HistoryReader; readonly scope: Scope.Closeable; next: number } | undefined
  let span: (HistorySpan & { readonly at: number }) | undefined
  /** Milliseconds that its last parts were waited for, each of them long; and without the first of a reader, which may have much to pass over. */
  let waitedMs = 0
  let slowMs = 0
  const close = Effect.suspend(() => {
    const closing = open
    open = undefined
    return closing === undefined ? Effect.void : Scope.close(closing.scope, Exit.void)
  })
  // Who is stopped while he waits for the next blocks learns nothing of the history.
  let isOver = false
  yield* Effect.addFinalizer(() => {
    isOver = true
    return close
  })
  const leaveFor = Effect.fnUntraced(function* (error: HistoryUnavailable, tookMs: number) {
    const waited = waitedMs + tookMs
    waitedMs = 0
    slowMs = 0
    yield* close
    if (!isOver) yield* rest(history, error, waited)
  })
  const spanNow = Effect.fnUntraced(function* (now: number, from: number) {
    if (span !== undefined && (span.to >= from || now - span.at < spanAgeMs)) return span
    const { to, ...rest } = yield* history.client.span
    // It lags: what it had before it has still.
    span = { ...rest, to: Math.max(to, span?.to ?? -1), at: now }
    return span
  })
  const begin = Effect.fnUntraced(function* (from: number, to: number) {
    const scope = yield* Scope.make()
    const reader = yield* Scope.provide(history.client.read(from, to), scope)
    open = { reader, scope, next: from }
    return open
  })
  const read = Effect.fnUntraced(function* ({ from, to }: BlockRange, now: number) {
    if (open !== undefined && open.next !== from) yield* close
    const isFirst = open === undefined
    let isNew = isFirst
    while (true) {
      if (open === undefined) {
        const { from: first, to: last } = yield* spanNow(now, from)
        if (from < first || from > last) {
          const left = last < 0 ? "it has no blocks as yet" : `it has blocks ${first} to ${last}`
          tell(history, { isUsed: false, left: `${history.client.label}: ${left}` })
          return nothing
        }
        yield* begin(from, Math.min(to, last))
        isNew = true
      }
      const part = yield* open!.reader.next
      if (part !== undefined) return { part, isFirst }
      yield* close
      if (isNew) {
        return yield* new HistoryUnavailable({
          kind: "behind",
          message: `${history.client.label}: nothing came from block ${from} on`,
        })
      }
    }
  })
  const judgePace = Effect.fnUntraced(function* ({ headers, logs }: HistoryPart, tookMs: number, isFirst: boolean) {
    const count = headers.length + logs.length
    const isSlow = tookMs >= slow.leastMs && count * 1000 < slow.fewestPerSecond * tookMs
    waitedMs = isSlow ? waitedMs + tookMs : 0
    slowMs = isSlow ? slowMs + (isFirst ? 0 : tookMs) : 0
    if (!isSlow) history.failures = 0
    if (slowMs < slow.longestMs) return
    const message = `${history.client.label}: it is slow, blocks: ${headers.length} in ${Math.round(tookMs / 1000)} s`
    yield* leaveFor(new HistoryUnavailable({ kind: "call", message }), 0)
  })
  return {
    take: Effect.fnUntraced(function* (range) {
      const now = yield* steadyMillis
      if (isLeft(history)) yield* close
      if (isLeft(history) || now < history.restsUntil) return undefined
      const took = Effect.map(steadyMillis, (then) => then - now)
      const found = yield* read(range, now).pipe(
        Effect.tapError((error) => Effect.flatMap(took, (tookMs) => leaveFor(error, tookMs))),
        Effect.option,
      )
      const { part, isFirst } = Option.getOrElse(found, () => nothing)
      const last = part?.headers.at(-1)
      // It may have been found to lie while it was read.
      if (part === undefined || last === undefined || open === undefined || isLeft(history)) return undefined
      if (last.number < range.from || last.number > range.to) {
        const message = `${history.client.label}: block ${last.number} came where block ${range.from} was to come`
        yield* leaveFor(new HistoryUnavailable({ kind: "order", message }), yield* took)
        return undefined
      }
      const told = { ...part, range: { from: range.from, to: last.number } }
      open.next = last.number + 1
      if (!history.status.isUsed) {
        tell(history, { isUsed: true, left: undefined })
        yield* Effect.logInfo(
          `chain ${history.chainId}: history from ${history.client.label}, from block ${range.from} on`,
        )
      }
      yield* judgePace(told, yield* took, isFirst)
      return told
    }),
  } satisfies HistoryReading as HistoryReading
})
