/** The readers of chains' newest events, one a chain: each looks when it is called, and now and then by itself. */
import { Deferred, Duration, Effect, Option, Scope } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { makeSurvive } from "../../model/time/survive.ts"
import type { EventStore } from "../../ports/EventStore.ts"
import { type Shown, Track } from "./Track.ts"

export interface Feed {
  /** Of all blocks, and of final ones alone. */
  readonly tracks: readonly [Track, Track]
  /** Has it look at once. */
  readonly wake: () => void
}

export interface Feeds {
  readonly of: (chainId: ChainId) => Feed
  /** Consumers that stand at the head of any chain. */
  readonly size: () => number
}

/** Between two looks of one who waits for a ledger that is behind, or for a store that fails. */
export const pauseMs = 200
/** No two looks of a reader come closer. */
const leastMs = 5

/** Read on while the scope lives. */
export const makeFeeds = Effect.fnUntraced(function* (
  events: EventStore["Service"],
  shown: Shown,
  isCrowded: () => boolean,
): Effect.fn.Return<Feeds, never, Scope.Scope> {
  const scope = yield* Scope.Scope
  const feeds = new Map<ChainId, Feed>()
  const watched = yield* events.watch((chainId) => feeds.get(chainId)?.wake())

  const begin = (chainId: ChainId): Feed => {
    const track = (onlyFinal: boolean) => new Track(events, chainId, onlyFinal, shown, isCrowded)
    const tracks = [track(false), track(true)] as const
    let called = Deferred.makeUnsafe<void>()
    const survive = makeSurvive(`events of chain ${chainId}`)
    const keepReading = Effect.gen(function* () {
      let isCalled = true
      for (;;) {
        called = yield* Deferred.make<void>()
        for (const track of tracks) {
          if (track.size === 0) continue
          const turn = Effect.catch(track.turn, (error) =>
            Effect.logDebug(`events of chain ${chainId} cannot be read: ${error._tag}`).pipe(
              Effect.andThen(Effect.sleep(Duration.millis(pauseMs))),
              Effect.as(false),
            ),
          )
          const isNew = yield* survive(turn)
          if (isNew === true && !isCalled) watched.missed(chainId)
        }
        yield* Effect.sleep(Duration.millis(leastMs))
        const woken = yield* Effect.timeoutOption(Deferred.await(called), Duration.millis(watched.lookMs(chainId)))
        isCalled = Option.isSome(woken)
      }
    })
    Effect.runFork(Effect.forkIn(keepReading, scope))
    watched.listen(chainId)
    return { tracks, wake: () => Deferred.doneUnsafe(called, Effect.void) }
  }

  return {
    of: (chainId) => {
      const feed = feeds.get(chainId) ?? begin(chainId)
      feeds.set(chainId, feed)
      return feed
    },
    size: () => [...feeds.values()].reduce((sum, { tracks }) => sum + tracks[0].size + tracks[1].size, 0),
  }
})
