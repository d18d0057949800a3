/** A webhook: where events are sent, which, and how far that is. */
import type { ChainId } from "../primitives.ts"
import type { EventFilter } from "./filter.ts"
import { type ChainPosition, isUnstored } from "./position.ts"

/** A batch on its way: it stays as it is until it is answered for. */
export interface WebhookBatch {
  readonly id: string
  readonly body: string
  /** Where the receiver stands that has it. */
  readonly positions: string
  readonly awaited: Awaited
}

/** By chain the lowest and the highest block of rows that were told and not yet called final. */
export type Awaited = Readonly<Record<string, readonly [number, number]>>

/** Whoever comes with a position is taken to have rows of all blocks between the newest final one it heard of and its place. */
export const awaitedBehind = (positions: Iterable<ChainPosition>): Awaited =>
  Object.fromEntries(
    [...positions]
      .filter((position) => position.final < position.at.block && !isUnstored(position))
      .map(({ chainId, at, final }) => [chainId, [final + 1, at.block] as const]),
  )

/** Of all of them. */
export const joinAwaited = (all: ReadonlyArray<Awaited>): Awaited => {
  const joined = new Map<string, readonly [number, number]>()
  for (const [chainId, [low, high]] of all.flatMap((each) => Object.entries(each))) {
    const [least, most] = joined.get(chainId) ?? [low, high]
    joined.set(chainId, [Math.min(least, low), Math.max(most, high)])
  }
  return Object.fromEntries(joined)
}

export interface Webhook {
  readonly id: string
  readonly version: number
  readonly url: string
  readonly secret: string
  readonly chains: ReadonlyArray<ChainId>
  readonly filter: EventFilter
  readonly onlyFinal: boolean
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly state: "active" | "paused"
  /** Why it is paused, or what its last failure was. */
  readonly problem?: string
  readonly positions: string
  readonly awaited: Awaited
  /** Of the newest batch that was answered for: from 1 on without a gap. */
  readonly sequence: number
  readonly batch?: WebhookBatch
  readonly attempts: number
  readonly failingSince?: number
  readonly nextTryAt?: number
}

/** What is made anew. `awaited` absent = its receiver has no rows. */
export type NewWebhook = Pick<
  Webhook,
  "id" | "url" | "secret" | "chains" | "filter" | "onlyFinal" | "createdAt" | "positions"
> &
  Partial<Pick<Webhook, "awaited">>

/** What a webhook was seen as before it is changed: how far it is. */
export type SeenWebhook = Pick<Webhook, "version" | "sequence" | "batch">

/** What whoever manages it may change. A change of `positions` gives up the batch on its way: `awaited` says what its receiver may have all the same. */
export type WebhookPatch = Partial<Pick<Webhook, "url" | "secret" | "filter" | "state">> &
  (Pick<Webhook, "positions" | "awaited"> | { readonly positions?: never; readonly awaited?: never })
