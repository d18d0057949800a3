/** Who wants to hear of events: what each missed is read for it, then it hears with all others what one reader reads. */
import { Context, Deferred, Duration, Effect, Layer } from "effect"
import { EventsGone, type StoreError } from "../../model/errors.ts"
import type { Delivery } from "../../model/events/event.ts"
import type { ChainPosition } from "../../model/events/position.ts"
import type { StoredSwap } from "../../model/swap.ts"
import { type EventSlice, EventStore, type LedgerMark } from "../../ports/EventStore.ts"
import { Networks } from "../../ports/Networks.ts"
import { ReadServers } from "../../ports/ReadServers.ts"
import { TransferStore } from "../../ports/TransferStore.ts"
import { shownSwap } from "../reads/swaps.ts"
import { advance, goneOfAnother, isAhead, isSameStand, untold } from "./advance.ts"
import { type CatchUpStores, readPart } from "./catchUp.ts"
import { delivered, heartbeatOf } from "./deliveries.ts"
import { makeFeeds, pauseMs } from "./feeds.ts"
import { goneAfter, makeLagMs, mostWaitMs } from "./lateness.ts"
import type { Stood } from "./recent.ts"
import { makeReplays } from "./replays.ts"
import { makeStarts, type Starts, type StartWish } from "./starts.ts"
import type { Behind, Part, Subscription } from "./subscription.ts"
import type { Attached } from "./Track.ts"

type Query = Pick<Subscription, "chainId" | "filter" | "onlyFinal" | "start" | "caller" | "hasRoom">

interface Shape {
  /** Never ends but by a failure, or by interruption. */
  readonly subscribe: (subscription: Subscription) => Effect.Effect<never, EventsGone>
  /** The next deliveries from a position on, and where one stands then; undefined = there are none yet, and nothing is stored or the ledger is behind. */
  readonly next: (query: Query) => Effect.Effect<Part | undefined, EventsGone | StoreError>
  /** Where one begins, in nobody's turn; undefined = nothing is stored yet, or not up to there. */
  readonly startPosition: Starts["position"]
  /** Consumers that stand at the head, and those that catch up. */
  readonly counts: () => { readonly live: number; readonly behind: number }
}

export class EventHub extends Context.Service<EventHub, Shape>()("cowry/EventHub") {}

/** So many who catch up are a crowd: what they all missed is read once for all. */
const crowd = 8
/** One for all who stand there. */
const heartbeats = new WeakMap<Stood, Delivery>()
const heartbeatAt = (stood: Stood, onlyFinal: boolean): Delivery => {
  const made = heartbeats.get(stood) ?? heartbeatOf(stood.mark, stood.position, onlyFinal)
  heartbeats.set(stood, made)
  return made
}

export const layer = Layer.effect(
  EventHub,
  Effect.gen(function* () {
    const events = yield* EventStore
    const stores: CatchUpStores = { events, transfers: yield* TransferStore }
    const networks = yield* Networks
    const servers = yield* ReadServers
    const lagMs = makeLagMs(servers)
    const inTurn = makeReplays()
    const shown = (slice: EventSlice): EventSlice => ({
      ...slice,
      events: slice.events.map((event) =>
        event.kind === "swap" ? { ...event, record: shownSwap(networks.chains, event.record as StoredSwap) } : event,
      ),
    })
    let behind = 0
    /** Who is read for, or waits for it. */
    let asking = 0
    const feeds = yield* makeFeeds(events, shown, () => Math.max(asking, behind) >= crowd)

    const starts = yield* makeStarts(events, feeds)
    /** What a store fails to give is asked again. */
    const orLater = <A>(read: Effect.Effect<A, EventsGone | StoreError>): Effect.Effect<A | undefined, EventsGone> =>
      Effect.catch(read, (error) =>
        error instanceof EventsGone
          ? Effect.fail(error)
          : Effect.as(Effect.sleep(Duration.millis(5 * pauseMs)), undefined),
      )

    /** Who begins at now, where nobody stands, is looked for in turn. */
    const startAt = (wish: StartWish, caller: string) =>
      starts.isKnown(wish) ? starts.position(wish) : inTurn(caller, starts.position(wish))

    /** "full": there was no room any more when its turn came. */
    const look = (query: Query) =>
      Effect.suspend(() => {
        asking++
        return Effect.ensuring(
          readNext(query),
          Effect.sync(() => void asking--),
        )
      })
    const next: Shape["next"] = (query) =>
      Effect.map(look(query), (found) =>
        found === undefined || found === "full" || "behind" in found ? undefined : found,
      )

    const readNext = Effect.fnUntraced(function* (
      query: Query,
    ): Effect.fn.Return<Part | Behind | "full" | undefined, EventsGone | StoreError> {
      const { chainId, filter, onlyFinal, start, caller = "", hasRoom = () => true } = query
      const track = feeds.of(chainId).tracks[onlyFinal ? 1 : 0]
      const position = yield* startAt({ chainId, start, onlyFinal }, caller)
      if (position === undefined) return undefined
      const read = Effect.suspend((): Effect.Effect<EventSlice | "full" | undefined, StoreError> => {
        if (!hasRoom()) return Effect.succeed("full")
        // Whoever waited may find it read meanwhile.
        const recalled = track.recall(position, filter)
        if (recalled !== undefined) return Effect.succeed(recalled)
        const part = readPart(stores, { chainId, filter, onlyFinal, position })
        return Effect.map(part, (slice) => slice && shown(slice))
      })
      const lagBefore = lagMs()
      if (!track.keeps(position)) yield* track.lookBack(position)
      const slice = yield* track.keeps(position) ? read : inTurn(caller, read)
      if (slice === "full" || slice === undefined) return slice
      // A standby may have the position's ledger yet.
      const mayCome = goneOfAnother(slice.mark, position) !== undefined && (lagBefore !== 0 || lagMs() !== 0)
      if (mayCome || isAhead(slice, position, onlyFinal)) return { start: position, behind: slice.mark }
      const moved = advance(slice, position, onlyFinal)
      if (moved instanceof EventsGone) return yield* moved
      const { changes, hasMore } = moved
      const { stand } = track
      return {
        deliveries: delivered(changes, filter),
        from: position,
        // The reader's own knows the block's hash.
        position: stand !== undefined && isSameStand(stand.position, moved.position) ? stand.position : moved.position,
        hasMore,
        mark: slice.mark,
      }
    })

    const subscribe: Shape["subscribe"] = Effect.fnUntraced(function* (subscription) {
      const { chainId, filter, onlyFinal, caller = "", push, room, stand, hasRoom = () => true } = subscription
      const { tracks, wake } = feeds.of(chainId)
      const track = tracks[onlyFinal ? 1 : 0]
      let { start } = subscription
      let mark: LedgerMark | undefined
      /** Who begins now has no rows. */
      let hasRows = start !== "now"
      let waits = 0
      const standsAt = (position: ChainPosition, known: LedgerMark, isBehind = false) => {
        start = position
        mark = isBehind ? undefined : known
        stand({ position: () => position, heartbeat: () => heartbeatOf(known, position, onlyFinal, isBehind) })
      }
      if (start === "now" && track.stand !== undefined) standsAt(track.stand.position, track.stand.mark)
      for (;;) {
        if (typeof start !== "string" && mark !== undefined) {
          const [position, known] = [start, mark]
          const left = yield* Deferred.make<void>()
          const consumer: Attached = {
            push: (batch) => push(batch, false),
            detached: (stood) => {
              // At once: a sign of life must not speak of what was not taken.
              standsAt(stood.position, stood.mark)
              Deferred.doneUnsafe(left, Effect.void)
            },
          }
          const awaited = hasRows && !onlyFinal ? ([position.final + 1, position.at.block] as const) : undefined
          const attach = () => {
            const isFirst = track.size === 0
            const isAttached = track.attach(filter, consumer, { position, mark: known }, awaited)
            // What came since this one's last look nobody else was called for.
            if (isAttached && isFirst) wake()
            return isAttached
          }
          // Whoever was a moment faster than the reader waits for it.
          const isAttached = attach() || ((yield* orLater(track.turn)) !== undefined && attach())
          if (isAttached) {
            const now = () => track.stand ?? { position, mark: known }
            stand({ position: () => now().position, heartbeat: () => heartbeatAt(now(), onlyFinal) })
            yield* Effect.ensuring(
              Deferred.await(left),
              Effect.sync(() => track.detach(consumer)),
            )
            hasRows = true
          }
        }
        behind++
        const lagBefore = lagMs()
        const part = yield* Effect.ensuring(
          Effect.andThen(
            room,
            orLater(Effect.map(look({ chainId, filter, onlyFinal, start, caller, hasRoom }), (it) => it ?? "nothing")),
          ),
          Effect.sync(() => void behind--),
        )
        if (part === "full") continue
        if (part === undefined || part === "nothing" || "behind" in part) {
          if (part !== undefined) waits++
          if (typeof part === "object") {
            standsAt(part.start, part.behind, true)
            const gone = goneAfter(waits * pauseMs, [lagBefore, lagMs()], part.behind, part.start)
            if (gone !== undefined) return yield* gone
          }
          // A server that is behind has the heal in a moment. What was told of another ledger's (an older version kept that) never comes.
          if (typeof start !== "string" && start.told !== undefined && waits * pauseMs >= mostWaitMs)
            start = untold(start)
          yield* Effect.sleep(Duration.millis(pauseMs))
          continue
        }
        waits = 0
        const { deliveries, position, hasMore } = part
        if (deliveries.length > 0) push({ deliveries }, true)
        hasRows ||= deliveries.some(({ type }) => type !== "finalized")
        standsAt(position, part.mark, hasMore)
      }
    })

    return EventHub.of({
      subscribe,
      next,
      startPosition: starts.position,
      counts: () => ({ live: feeds.size(), behind }),
    })
  }),
)
