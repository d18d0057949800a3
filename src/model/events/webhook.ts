/** A webhook: where events are sent, which, and how far that is. */
import type { ChainId } from "../primitives.ts"
import type { EventFilter } from "./filter.ts"

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

/** What is made anew. */
export type NewWebhook = Pick<
  Webhook,
  "id" | "url" | "secret" | "chains" | "filter" | "onlyFinal" | "createdAt" | "positions"
>

/** What a webhook was seen as before it is changed: how far it is. */
export type SeenWebhook = Pick<Webhook, "version" | "sequence" | "batch">

/** What whoever manages it may change. A change of `positions` gives up the batch on its way. */
export type WebhookPatch = Partial<Pick<Webhook, "url" | "secret" | "filter" | "state" | "positions">>
