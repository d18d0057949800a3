/** Who hears of events: open streams, and webhooks of all instances together. */
import { Effect } from "effect"
import { EventHub } from "../../../domain/events/EventHub.ts"
import { WebhookStore } from "../../../ports/WebhookStore.ts"
import type { StreamCounts } from "../events/events.ts"
import type { Family } from "./exposition.ts"

export const streamFamilies = Effect.fnUntraced(function* (streams: () => StreamCounts) {
  const { live, behind } = (yield* EventHub).counts()
  const { open, dropped } = streams()
  const families: ReadonlyArray<Family> = [
    {
      name: "cowry_event_streams",
      type: "gauge",
      help: "Streams of events that are open.",
      samples: [{ value: open }],
    },
    {
      name: "cowry_event_subscribers",
      type: "gauge",
      help: "Subscriptions to one chain each, by whether they stand at the newest block or read what they missed.",
      samples: [
        { labels: { standing: "live" }, value: live },
        { labels: { standing: "behind" }, value: behind },
      ],
    },
    {
      name: "cowry_event_streams_dropped_total",
      type: "counter",
      help: "Streams of events that were ended because they were not read.",
      samples: [{ value: dropped }],
    },
  ]
  return families
})

export const webhookFamilies = Effect.gen(function* () {
  const { active, failing, paused, batches, attempts } = yield* (yield* WebhookStore).tally
  const families: ReadonlyArray<Family> = [
    {
      name: "cowry_webhooks",
      type: "gauge",
      help: "Webhooks by state.",
      samples: Object.entries({ active, failing, paused }).map(([state, value]) => ({ labels: { state }, value })),
    },
    {
      name: "cowry_webhook_batches_total",
      type: "counter",
      help: "Batches that receivers have taken, of webhooks that were removed too.",
      samples: [{ value: batches }],
    },
    {
      name: "cowry_webhook_failed_attempts",
      type: "gauge",
      help: "Attempts that failed since each webhook's last batch was taken.",
      samples: [{ value: attempts }],
    },
  ]
  return families
})
