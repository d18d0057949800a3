/** Where the receiver of a webhook begins: at now, at the beginning, or behind an id. */
import { Effect } from "effect"
import { EventHub } from "../../../domain/events/EventHub.ts"
import { goneAmong } from "../../../domain/events/gone.ts"
import type { EventsGone, InvalidParameter, StoreError } from "../../../model/errors.ts"
import { type ChainPosition, positionsOf, positionsText, positionText } from "../../../model/events/position.ts"
import { type Awaited, awaitedBehind } from "../../../model/events/webhook.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { invalidParameter } from "../contract/statuses.ts"

export interface WebhookStart {
  /** As a text; empty = at the beginning. */
  readonly positions: string
  /** What its receiver may have. */
  readonly awaited: Awaited
}

export const startFrom = Effect.fnUntraced(function* (
  after: string | undefined,
  chains: ReadonlyArray<ChainId>,
  onlyFinal: boolean,
): Effect.fn.Return<WebhookStart, InvalidParameter | EventsGone | StoreError, EventHub> {
  const hub = yield* EventHub
  if (after === "beginning") return { positions: "", awaited: {} }
  const given = after === undefined ? new Map<ChainId, ChainPosition>() : positionsOf(after)
  if (given === undefined || [...given.keys()].some((chainId) => !chains.includes(chainId)))
    return yield* invalidParameter("after", after ?? "", "the id of an event of these chains, or beginning")
  const texts = new Map([...given].map(([chainId, position]) => [chainId, positionText(position)]))
  const positions = yield* Effect.forEach(chains, (chainId) => {
    const start = given.get(chainId)
    if (after !== undefined && start === undefined) return Effect.succeed([])
    // What is missed is read when it is sent; here it is seen whether it can be.
    const part = hub.next({ chainId, filter: { kinds: [] }, onlyFinal, start: start ?? "now", caller: "webhooks" })
    const known = Effect.catchTag(part, "EventsGone", (gone) =>
      Effect.fail(chains.length === 1 ? gone : goneAmong(gone, chainId, texts)),
    )
    return Effect.map(known, (found) => (start !== undefined ? [start] : found === undefined ? [] : [found.position]))
  })
  return {
    positions: positions.flat().length === 0 ? "" : positionsText(positions.flat()),
    // Who begins at now has none, and of final rows none is taken back.
    awaited: onlyFinal ? {} : awaitedBehind(given.values()),
  }
})
