/** The WebhookStore port in memory: for one process. */
import { Effect, Layer } from "effect"
import type { SeenWebhook, Webhook } from "../../model/events/webhook.ts"
import { WebhookStore } from "../../ports/WebhookStore.ts"

const isSame = (stored: SeenWebhook, { version, sequence, batch }: SeenWebhook): boolean =>
  stored.version === version && stored.sequence === sequence && stored.batch?.id === batch?.id

export const layer = Layer.sync(WebhookStore, () => {
  const all = new Map<string, Webhook>()
  /** Batches of those that were removed. */
  let past = 0
  const write = (webhook: Webhook, patch: (stored: Webhook) => Webhook) =>
    Effect.sync(() => {
      const stored = all.get(webhook.id)
      if (stored?.version !== webhook.version || stored.sequence !== webhook.sequence) return false
      all.set(webhook.id, patch(stored))
      return true
    })
  const unfailed = ({ problem: _, failingSince: __, nextTryAt: ___, ...rest }: Webhook): Webhook => ({
    ...rest,
    attempts: 0,
  })
  const untried = (webhook: Webhook): Webhook => {
    const { batch: _, ...rest } = unfailed(webhook)
    return rest
  }
  return WebhookStore.of({
    create: (webhook) =>
      Effect.sync(
        () =>
          void all.set(webhook.id, { awaited: {}, ...webhook, version: 1, state: "active", sequence: 0, attempts: 0 }),
      ),
    list: Effect.sync(() => [...all.values()].map(({ batch: _, ...webhook }) => webhook)),
    find: (id) => Effect.sync(() => all.get(id)),
    change: (id, patch, seen) =>
      Effect.sync(() => {
        const stored = all.get(id)
        if (stored === undefined || (seen !== undefined && !isSame(stored, seen))) return false
        const kept = patch.positions === undefined ? unfailed(stored) : untried(stored)
        all.set(id, { ...kept, ...patch, version: stored.version + 1 })
        return true
      }),
    remove: (id) =>
      Effect.sync(() => {
        past += all.get(id)?.sequence ?? 0
        return all.delete(id)
      }),
    active: Effect.sync(
      () => new Map([...all.values()].filter(({ state }) => state === "active").map((it) => [it.id, it.version])),
    ),
    begin: (webhook, batch) => write(webhook, (stored) => ({ ...stored, batch })),
    settle: (webhook, { positions, awaited }) =>
      write(webhook, (stored) => ({ ...untried(stored), positions, awaited, sequence: stored.sequence + 1 })),
    fail: (webhook, failure) => write(webhook, (stored) => ({ ...stored, ...failure, attempts: stored.attempts + 1 })),
    pause: (webhook, problem) => write(webhook, (stored) => ({ ...stored, state: "paused", problem })),
    moveOn: (webhook, positions) => write(webhook, (stored) => ({ ...stored, positions })),
    tally: Effect.sync(() => {
      const webhooks = [...all.values()]
      const active = webhooks.filter(({ state }) => state === "active")
      const failing = active.filter(({ failingSince }) => failingSince !== undefined).length
      const sumOf = (what: "sequence" | "attempts") => webhooks.reduce((sum, it) => sum + it[what], 0)
      return {
        active: active.length - failing,
        failing,
        paused: webhooks.length - active.length,
        batches: past + sumOf("sequence"),
        attempts: sumOf("attempts"),
      }
    }),
    claims: Effect.succeed({
      take: () => Effect.succeed(true),
      release: () => Effect.void,
      isLost: () => false,
    }),
  })
})
