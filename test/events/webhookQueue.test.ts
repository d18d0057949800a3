/** Who waits for something to send, and gives up waiting, leaves nothing behind. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { WebhookQueue } from "../../src/domain/events/webhookQueue.ts"
import type { Delivery } from "../../src/model/events/event.ts"
import { ChainId } from "../../src/model/primitives.ts"

const chainId = ChainId.make("1")
const row = { type: "transfer", data: { block: 1 }, position: {} } as unknown as Delivery

test("waits that were given up are forgotten, and one that goes on hears of what comes", async () => {
  const queue = new WebhookQueue(new Map(), {}, false)
  for (let time = 0; time < 20; time++) await Effect.runPromise(Effect.timeoutOption(queue.filled, 1))
  expect((queue as unknown as { waiting: ReadonlyArray<unknown> }).waiting).toHaveLength(0)
  const filled = Effect.runPromise(queue.filled)
  queue.push(chainId, [row], false)
  await filled
  expect(queue.isEmpty()).toBe(false)
})
