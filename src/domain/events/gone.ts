/** What is said where a position is gone: of several chains of which one, and of a webhook where its receiver stands. */
import { Effect } from "effect"
import { EventsGone, type StoreError } from "../../model/errors.ts"
import { endOfBlock } from "../../model/events/place.ts"
import { type ChainPosition, isUnstored, positionsOf, positionText } from "../../model/events/position.ts"
import type { ChainId } from "../../model/primitives.ts"
import type { Part } from "./subscription.ts"

/** `texts`: the positions of all chains, as far as they have one. Without its own the chain begins anew, and without them they do. */
export const goneAmong = (
  { reason, after, block }: EventsGone,
  chainId: ChainId,
  texts: ReadonlyMap<ChainId, string>,
): EventsGone => {
  const all = new Map(texts)
  if (after === undefined) all.delete(chainId)
  else all.set(chainId, after)
  return new EventsGone({
    reason: `chain ${chainId}: ${reason}`,
    ...(all.size > 0 && { after: [...all.values()].join("~") }),
    ...(block !== undefined && { block }),
  })
}

/** The next part from a position on, as `EventHub.next` gives it. */
type Look = (start: ChainPosition) => Effect.Effect<Part | undefined, EventsGone | StoreError>

/** Of a position that lies ahead of `settled`, up to where all is taken: where a consumer goes on that has no more than that. */
export const goneBehind = Effect.fnUntraced(function* (gone: EventsGone, settled: ChainPosition, look: Look) {
  const { reason, after } = gone
  if (isUnstored(settled)) return new EventsGone({ reason, after: positionText(settled), block: settled.at.block })
  const named = after === undefined ? undefined : positionsOf(after)?.get(settled.chainId)
  // Of another ledger nothing stands.
  if (named === undefined) return gone
  const walk = Effect.gen(function* () {
    for (let from = settled; ; ) {
      const part = yield* look(from)
      if (part === undefined) {
        // It knows of what was lost, or this server has not come to it: what is final to both stands.
        const block = Math.min(named.at.block, settled.final, settled.at.block)
        return new EventsGone({ reason, after: positionText({ ...named, at: endOfBlock(block), final: block }), block })
      }
      // One correction a look: what is known no more may lie behind others.
      const isThrough = part.position.corrections === from.corrections
      if (isThrough) return new EventsGone({ reason, after: positionText(settled), block: settled.at.block })
      from = part.position
    }
  })
  return yield* Effect.catchTag(walk, "EventsGone", (it) => Effect.succeed(it))
})
