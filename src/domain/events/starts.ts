/** Where consumers begin who begin at a word, and not at a position. */
import { Cache, Duration, Effect, Exit } from "effect"
import type { StoreError } from "../../model/errors.ts"
import type { ChainPosition } from "../../model/events/position.ts"
import type { ChainId } from "../../model/primitives.ts"
import { onSteadyClock } from "../../model/time/steadyClock.ts"
import type { EventStore } from "../../ports/EventStore.ts"
import { beginningOf, headOf } from "./advance.ts"
import type { Feeds } from "./feeds.ts"

export interface StartWish {
  readonly chainId: ChainId
  readonly onlyFinal: boolean
  readonly start: "beginning" | "now"
}

export interface Starts {
  /** In nobody's turn; undefined = nothing is stored yet. */
  readonly position: (wish: StartWish) => Effect.Effect<ChainPosition | undefined, StoreError>
  /** Whether it takes no read of one's own. */
  readonly isKnown: (wish: StartWish) => boolean
}

/** The beginning is good for so long. */
const sharedMs = 500

export const makeStarts = Effect.fnUntraced(function* (events: EventStore["Service"], feeds: Feeds) {
  /** The first slice where something is stored. */
  const firstSlice = (chainId: ChainId, onlyFinal: boolean) =>
    events.read({ chainId, from: { block: -1, logIndex: 0, place: 0 }, onlyFinal, limit: 1, filter: { kinds: [] } })
  /** The same, read once for all who begin at the beginning at about the same time. */
  const shared = (onlyFinal: boolean) =>
    Cache.makeWith((chainId: ChainId) => firstSlice(chainId, onlyFinal), {
      capacity: 1000,
      timeToLive: (exit) => Duration.millis(Exit.isSuccess(exit) ? sharedMs : 0),
    })
  const firsts = [yield* shared(false), yield* shared(true)] as const
  /** Of all who begin at now. */
  const stand = ({ chainId, onlyFinal }: StartWish) => feeds.of(chainId).tracks[onlyFinal ? 1 : 0].stand?.position

  const starts: Starts = {
    isKnown: (wish) => wish.start === "beginning" || stand(wish) !== undefined,
    position: (wish) => {
      const { chainId, onlyFinal, start } = wish
      if (start === "beginning") {
        const first = onSteadyClock(Cache.get(firsts[onlyFinal ? 1 : 0], chainId))
        return Effect.map(first, (slice) => slice && beginningOf(slice, chainId))
      }
      return Effect.suspend(() => {
        const found = stand(wish)
        if (found !== undefined) return Effect.succeed(found)
        return Effect.map(firstSlice(chainId, onlyFinal), (slice) => slice && headOf(slice, chainId, onlyFinal))
      })
    },
  }
  return starts
})
