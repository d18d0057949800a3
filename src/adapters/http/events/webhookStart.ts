/** Where the receiver of a webhook begins: at now, at the beginning, or behind an id. */
import { Effect } from "effect"
import { EventHub } from "../../../domain/events/EventHub.ts"
import { goneAmong } from "../../../domain/events/gone.ts"
import { findNow } from "../../../domain/events/now.ts"
import type { EventsGone, InvalidParameter, StoreError } from "../../../model/errors.ts"
import { positionsOf, positionsText, positionText } from "../../../model/events/position.ts"
import { type Awaited, awaitedBehind } from "../../../model/events/webhook.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { Freshness } from "../../../ports/Freshness.ts"
import type { SyncStatus } from "../../../ports/SyncStatus.ts"
import { ChainSyncing } from "../contract/faults.ts"
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
): Effect.fn.Return<
  WebhookStart,
  InvalidParameter | EventsGone | ChainSyncing | StoreError,
  EventHub | Freshness | SyncStatus
> {
  if (after === "beginning") return { positions: "", awaited: {} }
  // Who begins at now has no rows.
  if (after === undefined)
    return {
      positions: positionsText(yield* Effect.forEach(chains, (chainId) => nowOf(chainId, onlyFinal))),
      awaited: {},
    }
  const hub = yield* EventHub
  const given = positionsOf(after)
  // That of a webhook of more chains, one of which may have left, is one of these, too.
  if (given === undefined || !chains.some((chainId) => given.has(chainId)))
    return yield* invalidParameter("after", after, "the id of an event of these chains, or beginning")
  const texts = new Map([...given].map(([chainId, position]) => [chainId, positionText(position)]))
  const starts = chains.flatMap((chainId) => given.get(chainId) ?? [])
  for (const start of starts) {
    const { chainId } = start
    // What is missed is read when it is sent; here it is seen whether it can be.
    const part = hub.next({ chainId, filter: { kinds: [] }, onlyFinal, start, caller: "webhooks" })
    yield* Effect.catchTag(part, "EventsGone", (gone) =>
      Effect.fail(chains.length === 1 ? gone : goneAmong(gone, chainId, texts)),
    )
  }
  // Of final rows none is taken back.
  return { positions: positionsText(starts), awaited: onlyFinal ? {} : awaitedBehind(starts) }
})

const nowOf = Effect.fnUntraced(function* (chainId: ChainId, onlyFinal: boolean) {
  const now = yield* findNow(chainId, onlyFinal)
  if (now !== undefined) return now
  return yield* new ChainSyncing({
    message: `chain ${chainId} has no block yet, and its node has told none, so nobody knows where now is: try again, name chainIds without it, or begin at after=beginning`,
    retryAfter: 5,
  })
})
