/** `…/events`: the ledger's rows as they come and go, as server-sent events, from any position on. */
import { Duration, Effect, Option } from "effect"
import { EventHub } from "../../../domain/events/EventHub.ts"
import { goneAmong } from "../../../domain/events/gone.ts"
import type { Start } from "../../../domain/events/subscription.ts"
import { selectChains } from "../../../domain/reads/chains.ts"
import type { EventsGone, InvalidParameter, StoreError } from "../../../model/errors.ts"
import { positionsOf, positionText } from "../../../model/events/position.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import { ReadServers } from "../../../ports/ReadServers.ts"
import type { Answer, Call } from "../contract/call.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { RateLimited } from "../contract/faults.ts"
import { decodeParameters } from "../contract/parameter.ts"
import { chainPath } from "../contract/path.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { Beats } from "./Beats.ts"
import { makeBeginnings } from "./beginnings.ts"
import { EventStream, type Following } from "./EventStream.ts"
import { eventsDoc } from "./eventsDoc.ts"
import { eventParameters, filterOf } from "./parameters.ts"
import { Unread } from "./Unread.ts"
import { webhooks } from "./webhooks.ts"

export interface EventSettings {
  /** Streams that a caller may have open at once; default 1000. */
  readonly eventStreams?: number
  /** Streams that a caller may begin a second, once it has begun as many as it may have open; default 50. */
  readonly eventStreamsPerSecond?: number
  /** Between two signs of life; default 15,000. */
  readonly heartbeatMs?: number
  /** In which it is seen whether a position still stands, before the answer begins. Later the stream says it. Default 5000. */
  readonly firstWaitMs?: number
  /** In which who reads nothing must read some; default 15,000. */
  readonly patienceMs?: number
  /** That may lie unread of all streams together; default 256 MiB. */
  readonly mostUnreadBytes?: number
}

export interface StreamCounts {
  readonly open: number
  readonly dropped: number
}

/** The open streams of one service. */
export const makeEvents = ({
  eventStreams = 1000,
  eventStreamsPerSecond = 50,
  heartbeatMs = 15_000,
  firstWaitMs = 5000,
  patienceMs = 15_000,
  mostUnreadBytes = 256 * 1024 * 1024,
}: EventSettings) => {
  const open = new Set<EventStream>()
  const beats = new Beats(heartbeatMs)
  const unread = new Unread(mostUnreadBytes)
  const beginnings = makeBeginnings({ atOnce: eventStreams, perSecond: eventStreamsPerSecond })
  const counts = new Map<string, number>()
  let dropped = 0
  const count = (caller: string, more: 1 | -1): void => {
    const left = (counts.get(caller) ?? 0) + more
    if (left === 0) counts.delete(caller)
    else counts.set(caller, left)
  }

  const endpoint: Endpoint = {
    id: "events",
    path: `${chainPath}/events`,
    style: "native",
    about: { kind: "chain", takesAll: true },
    doc: eventsDoc,
    // What is begun counts until it is read and ends.
    newness: () => "before",
    answer: Effect.fnUntraced(function* (call: Call) {
      const ids = yield* selectChains(call.param("networkId"), call.param("chainId"), {})
      const {
        delivery: onlyFinal,
        after,
        ...wanted
      } = yield* Effect.fromResult(
        decodeParameters<InvalidParameter, typeof eventParameters>(eventParameters, call.query),
      )
      const filter = filterOf(wanted)
      const starts = yield* startsOf(ids, call.lastEventId || after, call.param("chainId") === "all")
      const { caller } = call
      if ((counts.get(caller) ?? 0) >= eventStreams) return yield* tooMany(eventStreams)
      yield* Effect.fromResult(beginnings.take(caller))
      count(caller, 1)
      let isCounted = true
      const uncount = () => {
        if (isCounted) count(caller, -1)
        isCounted = false
      }
      return yield* Effect.onError(
        Effect.gen(function* () {
          const hub = yield* EventHub
          // It outlives whichever server the beginning is read of.
          const context = yield* (yield* ReadServers).on(undefined, Effect.context<EventHub>())
          const until = (yield* steadyMillis) + firstWaitMs
          const texts = textsOf(starts)
          const chains = yield* Effect.forEach(starts, ({ chainId, start }) =>
            Effect.gen(function* (): Effect.fn.Return<Following, EventsGone | StoreError> {
              if (typeof start === "string" && starts.length === 1) return { chainId, start }
              const left = Duration.millis(Math.max(0, until - (yield* steadyMillis)))
              // Of several none is told before all are known: here it is only seen whether each position stands.
              const isOne = starts.length === 1
              const look = hub.next({ chainId, filter: isOne ? filter : { kinds: [] }, onlyFinal, start, caller })
              const first = yield* Effect.timeoutOption(look, left).pipe(
                Effect.catchTag("EventsGone", (gone) => Effect.fail(isOne ? gone : goneAmong(gone, chainId, texts))),
              )
              if (Option.isSome(first) && !isOne) return { chainId, start: first.value?.from ?? start }
              if (Option.isSome(first)) return { chainId, start, ...(first.value && { first: first.value }) }
              // One id speaks of all chains: all must be known before the first. One that is not has no block yet.
              const begin = typeof start === "string" ? yield* hub.startPosition({ chainId, onlyFinal, start }) : start
              return { chainId, start: begin ?? start }
            }),
          )
          const answer: Answer = {
            asOf: [],
            chains: chains.length,
            body: undefined,
            fleeting: true,
            headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
            stream: {
              open: () => {
                const stream = new EventStream(context, {
                  chains,
                  filter,
                  onlyFinal,
                  caller,
                  beats,
                  unread,
                  patienceMs,
                  isLetIn: call.isLetIn,
                  dropped: () => {
                    dropped++
                  },
                  ended: () => {
                    open.delete(stream)
                    uncount()
                  },
                })
                open.add(stream)
                return stream.body
              },
              drop: uncount,
            },
          }
          return answer
        }),
        () => Effect.sync(uncount),
      )
    }),
  }
  return {
    /** The stream, and the webhooks that tell the same. */
    endpoints: [endpoint, ...webhooks],
    /** Ends all streams: their clients come back, to whoever is there then. */
    endAll: () => {
      for (const stream of [...open]) stream.close()
    },
    /** Streams that are open, and those that were let go since the start because they were not read. */
    streams: (): StreamCounts => ({ open: open.size, dropped }),
  }
}

const tooMany = (most: number) =>
  new RateLimited({
    message: `too many streams of events: a caller may have ${most} open at once (EVENT_STREAMS)`,
    retryAfter: 5,
  })

/** Of the chains that begin at a position. */
const textsOf = (starts: ReadonlyArray<Following>): ReadonlyMap<ChainId, string> =>
  new Map(
    starts.flatMap(({ chainId, start }) =>
      typeof start === "string" ? [] : [[chainId, positionText(start)] as const],
    ),
  )

/** Of `all` a chain may have left since: what was told of it is not gone on from, and the others are. */
const startsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<ChainId>, after: string | undefined, isAll: boolean) {
  const start: Start | undefined =
    after === undefined || after === "" ? "now" : after === "beginning" ? after : undefined
  if (start !== undefined) return ids.map((chainId): { chainId: ChainId; start: Start } => ({ chainId, start }))
  const positions = positionsOf(after!)
  if (positions === undefined)
    return yield* invalidParameter("after", after!, "the id of an event of this path, or beginning")
  const other = [...positions.keys()].find((chainId) => !ids.includes(chainId))
  if (other !== undefined && !(isAll && ids.some((chainId) => positions.has(chainId))))
    return yield* invalidParameter("after", after!, `the id of an event of this path, not of chain ${other}`)
  // A chain that no event was had of yet: nobody knows since when it is waited for.
  return ids.map((chainId): { chainId: ChainId; start: Start } => ({
    chainId,
    start: positions.get(chainId) ?? ("beginning" as Start),
  }))
})
