/** Delivers every active webhook that no other instance delivers. */
import { Duration, Effect, Fiber } from "effect"
import { makeSurvive } from "../../model/time/survive.ts"
import { WebhookStore } from "../../ports/WebhookStore.ts"
import { type DeliverySettings, deliver, usualDelivery } from "./deliver.ts"

const retryMs = 2000

/** Never ends. `lookMs`: how often it is looked which there are. */
export const keepWebhooks = Effect.fn("keepWebhooks")(function* (
  settings: DeliverySettings = usualDelivery,
  lookMs = 1000,
) {
  const store = yield* WebhookStore
  const keep = Effect.gen(function* () {
    const claims = yield* store.claims
    const running = new Map<string, { readonly version: number; readonly fiber: Fiber.Fiber<void, unknown> }>()
    const stop = Effect.fnUntraced(function* (id: string) {
      const found = running.get(id)
      running.delete(id)
      if (found !== undefined) yield* Fiber.interrupt(found.fiber)
      yield* claims.release(id)
    })
    const begin = Effect.fnUntraced(function* (id: string) {
      if (!(yield* claims.take(id))) return
      const webhook = yield* store.find(id)
      if (webhook === undefined || webhook.state !== "active") return yield* claims.release(id)
      const fiber = yield* Effect.forkScoped(
        Effect.tapCause(deliver(webhook, settings, claims.isLost), (cause) =>
          Effect.logDebug(`webhook ${id}: the delivery was broken off`, cause),
        ),
      )
      running.set(id, { version: webhook.version, fiber })
    })
    while (!claims.isLost()) {
      const active = yield* store.active
      for (const [id, { version, fiber }] of [...running]) {
        if (active.get(id) !== version || fiber.pollUnsafe() !== undefined) yield* stop(id)
      }
      for (const id of active.keys()) if (!running.has(id)) yield* begin(id)
      yield* Effect.sleep(Duration.millis(lookMs))
    }
  })
  // What one session held goes with its scope: the deliveries first.
  const attempt = Effect.ignore(Effect.scoped(keep))
  const survive = makeSurvive("webhooks")
  yield* Effect.forever(Effect.andThen(survive(attempt), Effect.sleep(Duration.millis(retryMs))))
})
