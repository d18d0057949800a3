/** When a batch is tried again, and when a webhook is given up, whatever happens to the clock. */
import { expect, test } from "bun:test"
import { Effect, Layer, Logger } from "effect"
import * as MemoryWebhooks from "../../src/adapters/memory/MemoryWebhooks.ts"
import { deliver, usualDelivery } from "../../src/domain/events/deliver.ts"
import { EventHub } from "../../src/domain/events/EventHub.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { waitedMs } from "../../src/model/time/backoff.ts"
import { WebhookFailed, WebhookSender } from "../../src/ports/WebhookSender.ts"
import { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { always } from "../support/always.ts"

const hour = 3_600_000
const quick = { waits: { firstMs: 5, capMs: 20 }, giveUpMs: 100, idleMs: 10_000 }
const batch = { id: "msg_1", body: "{}", positions: "", awaited: {} }

/** A webhook whose batch failed already; `fails`: so often again. Gives how it stands after it was taken or paused, and how often it was sent. */
const tried = (
  last: { readonly failingSince: number; readonly nextTryAt: number },
  fails: number,
  settings = quick,
) => {
  let sent = 0
  const sender = Layer.succeed(
    WebhookSender,
    always(Effect.die("not asked"), {
      send: () =>
        Effect.suspend(() => (++sent > fails ? Effect.void : Effect.fail(new WebhookFailed({ message: "no" })))),
    }),
  )
  const hub = Layer.succeed(EventHub, always(Effect.never, {}))
  const work = Effect.gen(function* () {
    const store = yield* WebhookStore
    const chains = [ChainId.make("1")]
    const own = { id: "hook", url: "https://example.com", secret: "", chains, filter: {}, onlyFinal: false }
    yield* store.create({ ...own, createdAt: 0, positions: "" })
    yield* store.begin((yield* store.find("hook"))!, batch)
    yield* store.fail((yield* store.find("hook"))!, { problem: "no", ...last })
    const webhook = (yield* store.find("hook"))!
    const over = Effect.gen(function* () {
      for (;;) {
        const { sequence, state } = (yield* store.find("hook"))!
        if (sequence > 0 || state === "paused") return
        yield* Effect.sleep(2)
      }
    })
    yield* Effect.raceFirst(
      Effect.andThen(
        deliver(webhook, settings, () => false),
        Effect.never,
      ),
      Effect.timeout(over, 4000),
    )
    const { sequence, state, problem } = (yield* store.find("hook"))!
    return { sequence, state, problem, sent }
  })
  return Effect.runPromise(
    work.pipe(Effect.provide(Layer.mergeAll(MemoryWebhooks.layer, sender, hub, Logger.layer([])))),
  )
}

test("a time that a clock which was ahead left is waited for no longer than any", async () => {
  const now = Date.now()
  const { sequence, state, sent } = await tried({ failingSince: now, nextTryAt: now + 48 * hour }, 0)
  expect([sequence, state, sent]).toEqual([1, "active", 1])
})

test("who failed a few times is not paused, however much time a clock says has passed", async () => {
  const long = Date.now() - 48 * hour
  const settings = { ...quick, giveUpMs: usualDelivery.giveUpMs }
  const { sequence, state, sent } = await tried({ failingSince: long, nextTryAt: long }, 3, settings)
  expect([sequence, state, sent]).toEqual([1, "active", 4])
})

test("who failed for as long as all waits together is paused, also where a clock was set back meanwhile", async () => {
  const ahead = Date.now() + 48 * hour
  const { sequence, state, problem, sent } = await tried({ failingSince: ahead, nextTryAt: 0 }, 1000)
  expect([sequence, state]).toEqual([0, "paused"])
  expect(problem).toContain("it was tried for")
  // 5, 10 and 20 milliseconds, and 20 again and again: of a hundred and more there are seven, and the first try was before.
  expect(sent).toBe(7)
})

test("by the usual waits that is a hundred tries and some", () => {
  const { waits, giveUpMs } = usualDelivery
  const tries = Array.from({ length: 200 }, (_, failures) => failures).find((it) => waitedMs(waits, it) >= giveUpMs)
  expect(tries).toBe(106)
})
