/** Tells one webhook what happens, batch after batch: each is kept as it is until it is answered for. */
import { Clock, Duration, Effect, Option } from "effect"
import { EventsGone, type StoreError } from "../../model/errors.ts"
import { positionsOf, positionText } from "../../model/events/position.ts"
import type { Webhook, WebhookBatch } from "../../model/events/webhook.ts"
import type { ChainId } from "../../model/primitives.ts"
import { type Backoff, backoffMs, waitedMs } from "../../model/time/backoff.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { WebhookSender } from "../../ports/WebhookSender.ts"
import { WebhookStore } from "../../ports/WebhookStore.ts"
import { EventHub } from "./EventHub.ts"
import { goneAmong, goneBehind } from "./gone.ts"
import type { Stand, Start } from "./subscription.ts"
import { WebhookQueue } from "./webhookQueue.ts"

export interface DeliverySettings {
  readonly waits: Backoff
  /** A webhook is paused where the waits between its tries add up to so long. No clock has a part in that: it may be set, and a machine may stand still. */
  readonly giveUpMs: number
  /** How often it is kept that there was nothing to tell. */
  readonly idleMs: number
}

export const usualDelivery: DeliverySettings = {
  waits: { firstMs: 500, capMs: 15 * 60_000 },
  giveUpMs: 24 * 3_600_000,
  idleMs: 60_000,
}

/** Somebody changed the webhook, or another instance has it: whoever keeps them looks anew. */
class Changed extends Error {}

/** Ends where the webhook is paused, changed or gone. */
export const deliver = Effect.fnUntraced(function* (
  first: Webhook,
  settings: DeliverySettings,
  /** Whether another instance may have it by now. */
  isLost: () => boolean,
) {
  const store = yield* WebhookStore
  const sender = yield* WebhookSender
  const hub = yield* EventHub
  let webhook = first
  const { chains, filter, onlyFinal } = webhook
  const told = positionsOf(webhook.batch?.positions ?? webhook.positions)
  const queue = new WebhookQueue(new Map(told), webhook.batch?.awaited ?? webhook.awaited, onlyFinal)
  const stands = new Map<ChainId, Stand>()

  const unlessChanged = (write: Effect.Effect<boolean, StoreError>) =>
    Effect.flatMap(write, (written) => (written ? Effect.void : Effect.die(new Changed())))

  /** What was read since, the receiver may not have: a replay goes on from what it answered for. */
  const goneOf = Effect.fnUntraced(function* (chainId: ChainId, gone: EventsGone) {
    const { reason } = gone
    const look = (start: Start) => hub.next({ chainId, filter: { kinds: [] }, onlyFinal, start, caller: "webhooks" })
    const settled = positionsOf(webhook.positions)?.get(chainId)
    const found = settled && (yield* goneBehind(gone, settled, look))
    if (found !== undefined && (found.after !== undefined || chains.length === 1)) return found
    // Of several chains the word would have each begin anew.
    const first = chains.length === 1 ? undefined : yield* look("beginning")
    return new EventsGone({ reason, ...(first && { after: positionText(first.from) }) })
  })

  const subscribeTo = (chainId: ChainId) => {
    const subscribed = hub.subscribe({
      chainId,
      filter,
      onlyFinal,
      // All of them together take the turns of one: nobody waits behind each.
      caller: "webhooks",
      start: told?.get(chainId) ?? "beginning",
      push: ({ deliveries }, must) => queue.push(chainId, deliveries, must),
      room: queue.drained(chainId),
      stand: (stand) => void stands.set(chainId, stand),
    })
    return Effect.catch(subscribed, (gone) =>
      Effect.flatMap(goneOf(chainId, gone), (it) =>
        // A replay leaves the others where they are.
        Effect.fail(chains.length === 1 ? it : goneAmong(it, chainId, new Map())),
      ),
    )
  }

  const fail = Effect.fnUntraced(function* (problem: string) {
    const now = yield* Clock.currentTimeMillis
    const failingSince = webhook.failingSince ?? now
    if (waitedMs(settings.waits, webhook.attempts) >= settings.giveUpMs) {
      yield* pause(`it was tried for ${Math.round(settings.giveUpMs / 3_600_000)} hours: ${problem}`)
      return
    }
    const nextTryAt = now + backoffMs(settings.waits, webhook.attempts)
    yield* unlessChanged(store.fail(webhook, { problem, failingSince, nextTryAt }))
    webhook = { ...webhook, problem, failingSince, nextTryAt, attempts: webhook.attempts + 1 }
  })

  const pause = Effect.fnUntraced(function* (problem: string) {
    yield* unlessChanged(store.pause(webhook, problem))
    yield* Effect.logWarning(`webhook ${webhook.id} is paused: ${problem}`)
    webhook = { ...webhook, state: "paused" }
  })

  const send = Effect.fnUntraced(function* (batch: WebhookBatch) {
    const { url, secret, nextTryAt } = webhook
    if (nextTryAt !== undefined) {
      // Of a clock that was set since, the time may be any.
      const left = Math.min(settings.waits.capMs, nextTryAt - (yield* Clock.currentTimeMillis))
      yield* Effect.sleep(Duration.millis(Math.max(0, left)))
    }
    if (isLost()) return yield* Effect.die(new Changed())
    const failure = yield* Effect.match(sender.send({ url, secret, id: batch.id, body: batch.body }), {
      onSuccess: () => undefined,
      onFailure: ({ message }) => message,
    })
    if (failure !== undefined) return yield* fail(failure)
    yield* unlessChanged(store.settle(webhook, batch))
    const { batch: _, problem: __, failingSince: ___, nextTryAt: ____, ...rest } = webhook
    const { positions, awaited } = batch
    keptAt = yield* steadyMillis
    webhook = { ...rest, positions, awaited, sequence: webhook.sequence + 1, attempts: 0 }
  })

  let keptAt = yield* steadyMillis
  const keep = Effect.fnUntraced(function* (positions: string) {
    if (positions !== webhook.positions) yield* unlessChanged(store.moveOn(webhook, positions))
    webhook = { ...webhook, positions }
    keptAt = yield* steadyMillis
  })

  /** Of a chain all of whose deliveries were cut the receiver stands where its consumer does. */
  const moveOn = () => {
    for (const [chainId, stand] of stands) if (queue.isEmptyOf(chainId)) queue.moveOn(chainId, stand.position())
  }

  const next = Effect.fnUntraced(function* () {
    moveOn()
    const cut = queue.cut()
    if (cut === undefined) {
      const changed = yield* Effect.timeoutOption(queue.filled, Duration.millis(settings.idleMs))
      if (Option.isSome(changed) || !queue.isEmpty()) return
      moveOn()
      yield* keep(queue.text())
      return
    }
    const { chainId, position, events, positions, awaited } = cut
    if (events.length === 0) {
      // What becomes final comes with each block, and nobody is told of it.
      if ((yield* steadyMillis) - keptAt >= settings.idleMs) yield* keep(positions)
      return
    }
    const sequence = webhook.sequence + 1
    const list = `[${events.join(",")}]`
    const head = JSON.stringify({ chainId, sequence }).slice(0, -1)
    const batch: WebhookBatch = {
      // The same events have the same id whenever they are sent, but behind a correction: a branch may come back, and it is no repetition.
      id: `msg_${sender.digest(`${webhook.id} ${position.birth} ${position.corrections} ${list}`)}`,
      body: `${head},"events":${list},"after":${JSON.stringify(positions)}}`,
      positions,
      awaited,
    }
    yield* unlessChanged(store.begin(webhook, batch))
    webhook = { ...webhook, batch }
  })

  const work = Effect.gen(function* () {
    while (webhook.state === "active") yield* webhook.batch === undefined ? next() : send(webhook.batch)
  })
  const fed = Effect.all(chains.map(subscribeTo), { concurrency: "unbounded", discard: true })
  yield* Effect.raceFirst(work, fed).pipe(
    Effect.catchIf(
      (error): error is EventsGone => error._tag === "EventsGone",
      ({ message }) => pause(message),
    ),
    Effect.catchDefect((defect) => (defect instanceof Changed ? Effect.void : Effect.die(defect))),
  )
})
