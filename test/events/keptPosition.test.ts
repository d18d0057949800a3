/** Where a webhook stands is kept though it is told nothing: else what it was spared is read anew, and one day is no longer there. */
import { expect, test } from "bun:test"
import { Effect, Layer, Logger } from "effect"
import * as MemoryWebhooks from "../../src/adapters/memory/MemoryWebhooks.ts"
import { deliver } from "../../src/domain/events/deliver.ts"
import { EventHub } from "../../src/domain/events/EventHub.ts"
import type { Subscription } from "../../src/domain/events/subscription.ts"
import type { Delivery } from "../../src/model/events/event.ts"
import { endOfBlock } from "../../src/model/events/place.ts"
import { type ChainPosition, positionsOf } from "../../src/model/events/position.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { WebhookSender } from "../../src/ports/WebhookSender.ts"
import { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { always } from "../support/always.ts"

const [calm, busy] = [ChainId.make("1"), ChainId.make("2")]
const idleMs = 50
/** Deliveries, and blocks, come more often than that. */
const blockMs = 5

const positionAt = (chainId: ChainId, block: number): ChainPosition => ({
  ...{ chainId, settings: "000000", birth: "aaaaaa", corrections: 0 },
  ...{ at: endOfBlock(block), final: block },
})

/** Follows `chains` until the position of the first is kept at a block above 20. Gives how many batches were sent. */
const followed = (
  chains: ReadonlyArray<ChainId>,
  deliveryOf: (chainId: ChainId, block: number) => Delivery | undefined,
) => {
  let sent = 0
  const subscribe = ({ chainId, push, stand }: Subscription) =>
    Effect.gen(function* () {
      let block = 0
      const now = () => positionAt(chainId, block)
      stand({ position: now, heartbeat: () => ({ type: "heartbeat", data: {}, position: now() }) })
      for (;;) {
        yield* Effect.sleep(blockMs)
        block++
        const delivery = deliveryOf(chainId, block)
        if (delivery !== undefined) push({ deliveries: [delivery] }, true)
      }
    })
  const ports = Layer.mergeAll(
    MemoryWebhooks.layer,
    Layer.succeed(EventHub, always(Effect.never, { subscribe })),
    Layer.succeed(
      WebhookSender,
      always(Effect.die("not asked"), {
        send: () => Effect.sync(() => void sent++),
        digest: (text) => `${text.length}`,
      }),
    ),
    Logger.layer([]),
  )
  const work = Effect.gen(function* () {
    const store = yield* WebhookStore
    const hook = { id: "hook", url: "https://example.com", secret: "", chains, filter: {}, onlyFinal: false }
    yield* store.create({ ...hook, createdAt: 0, positions: "" })
    const settings = { waits: { firstMs: 5, capMs: 20 }, giveUpMs: 100, idleMs }
    const kept = Effect.gen(function* () {
      for (;;) {
        const at = positionsOf((yield* store.find("hook"))!.positions)?.get(chains[0]!)?.at.block ?? 0
        if (at > 20) return
        yield* Effect.sleep(2)
      }
    })
    const delivered = deliver((yield* store.find("hook"))!, settings, () => false)
    yield* Effect.raceFirst(Effect.andThen(delivered, Effect.never), kept)
    return sent
  })
  return Effect.runPromise(Effect.provide(work, ports))
}

test("also while blocks become final, of which nothing is told", async () => {
  const finalized = (chainId: ChainId, block: number): Delivery => ({
    ...{ type: "finalized", data: { block }, position: positionAt(chainId, block) },
  })
  expect(await followed([calm], finalized)).toBe(0)
})

test("also of a chain on which nothing happens, while others have much to tell", async () => {
  const row = (chainId: ChainId, block: number): Delivery | undefined =>
    chainId === busy ? { type: "transfer", data: { block }, position: positionAt(chainId, block) } : undefined
  expect(await followed([calm, busy], row)).toBeGreaterThan(0)
})
