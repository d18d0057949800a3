/** Keeps webhooks and how far each has been told; instances on one store deliver each by one of them at a time. */
import { Context, type Effect, type Scope } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { NewWebhook, SeenWebhook, Webhook, WebhookBatch, WebhookPatch } from "../model/events/webhook.ts"

/** Webhooks that this instance alone delivers. */
export interface WebhookClaims {
  /** False = another instance has it. */
  readonly take: (id: string) => Effect.Effect<boolean, StoreError>
  readonly release: (id: string) => Effect.Effect<void>
  /** Whether all that was taken is lost: another instance may have it by now. */
  readonly isLost: () => boolean
}

/** Of all webhooks together. */
export interface WebhookTally {
  /** Active ones whose last batch was taken. */
  readonly active: number
  /** Active ones whose batch was not taken yet. */
  readonly failing: number
  readonly paused: number
  /** Batches that were taken. */
  readonly batches: number
  /** Attempts that failed since. */
  readonly attempts: number
}

export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    create(webhook: NewWebhook): Effect.Effect<void, StoreError>
    /** The oldest first, without their batches: of a thousand those are a gigabyte. */
    readonly list: Effect.Effect<ReadonlyArray<Omit<Webhook, "batch">>, StoreError>
    find(id: string): Effect.Effect<Webhook | undefined, StoreError>
    /** False = there is none, or it is not as it was `seen` any more. */
    change(id: string, patch: WebhookPatch, seen?: SeenWebhook): Effect.Effect<boolean, StoreError>
    remove(id: string): Effect.Effect<boolean, StoreError>
    /** Which are active, each with its version. */
    readonly active: Effect.Effect<ReadonlyMap<string, number>, StoreError>
    /**
     * The deliverer's own writes, each of one statement: nothing is written where `version` is not the webhook's any
     * more. False = so it was.
     */
    begin(webhook: Webhook, batch: WebhookBatch): Effect.Effect<boolean, StoreError>
    /** The batch was answered for: positions, sequence and batch in one. */
    settle(webhook: Webhook, batch: WebhookBatch): Effect.Effect<boolean, StoreError>
    fail(
      webhook: Webhook,
      failure: { readonly problem: string; readonly failingSince: number; readonly nextTryAt: number },
    ): Effect.Effect<boolean, StoreError>
    pause(webhook: Webhook, problem: string): Effect.Effect<boolean, StoreError>
    /** Nothing was there to tell up to here. */
    moveOn(webhook: Webhook, positions: string): Effect.Effect<boolean, StoreError>
    readonly tally: Effect.Effect<WebhookTally, StoreError>
    readonly claims: Effect.Effect<WebhookClaims, StoreError, Scope.Scope>
  }
>()("cowry/WebhookStore") {}
