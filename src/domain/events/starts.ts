/** Where consumers begin who begin at a word, or behind a block that is not stored yet. */
import { Cache, Duration, Effect, Exit } from "effect"
import type { StoreError } from "../../model/errors.ts"
import { type ChainPosition, isUnstored } from "../../model/events/position.ts"
import type { ChainId } from "../../model/primitives.ts"
import { onSteadyClock } from "../../model/time/steadyClock.ts"
import type { EventSlice, EventStore } from "../../ports/EventStore.ts"
import { beginningOf, headOf } from "./advance.ts"
import type { Feeds } from "./feeds.ts"
import type { Start } from "./subscription.ts"

export interface StartWish {
  readonly chainId: ChainId
  readonly onlyFinal: boolean
  readonly start: Start
}

export interface Starts {
  /** In nobody's turn; undefined = nothing is stored yet, or not up to where one is to begin. */
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
    isKnown: (wish) => wish.start !== "now" || stand(wish) !== undefined,
    position: (wish) => {
      const { chainId, onlyFinal, start } = wish
      const first = Effect.suspend(() => onSteadyClock(Cache.get(firsts[onlyFinal ? 1 : 0], chainId)))
      if (start === "beginning") return Effect.map(first, (slice) => slice && beginningOf(slice, chainId))
      if (start !== "now") {
        if (!isUnstored(start)) return Effect.succeed(start)
        return Effect.map(first, (slice) => slice && behindTold(slice, start, onlyFinal))
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

/**
 * Undefined while the ledger is below the place: of what is taken back or built anew until then its consumer was told nothing, and nothing
 * is retracted.
 */
const behindTold = (
  slice: EventSlice,
  { chainId, at }: ChainPosition,
  onlyFinal: boolean,
): ChainPosition | undefined => {
  const { asOf, finalizedBlock } = slice.mark
  if ((onlyFinal ? finalizedBlock : asOf.blockNumber) < at.block) return undefined
  return { ...beginningOf(slice, chainId), at, final: Math.min(at.block, finalizedBlock) }
}
