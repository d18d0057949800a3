/** A webhook whose place is gone names one for the replay that is not ahead of what its receiver answered for. */
import { expect, test } from "bun:test"
import { Effect, Layer, Logger } from "effect"
import * as MemoryWebhooks from "../../src/adapters/memory/MemoryWebhooks.ts"
import { deliver } from "../../src/domain/events/deliver.ts"
import { EventHub } from "../../src/domain/events/EventHub.ts"
import type { Part, Start, Subscription } from "../../src/domain/events/subscription.ts"
import { EventsGone } from "../../src/model/errors.ts"
import { endOfBlock } from "../../src/model/events/place.ts"
import { type ChainPosition, positionText, unstored } from "../../src/model/events/position.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { WebhookFailed, WebhookSender } from "../../src/ports/WebhookSender.ts"
import { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { always } from "../support/always.ts"

const [one, other] = [ChainId.make("1"), ChainId.make("2")]
const positionAt = (chainId: ChainId, block: number, final = block): ChainPosition => ({
  ...{ chainId, settings: "000000", birth: "aaaaaa", corrections: 0 },
  ...{ at: endOfBlock(block), final },
})
const goneAt = (chainId: ChainId, block: number) =>
  new EventsGone({ reason: "it was built anew", block, after: positionText(positionAt(chainId, block)) })

/** Rows of three blocks are read, the receiver is down, and then what was read last is gone. Gives what is said then. */
const problemOf = (
  positions: string,
  look: (start: Start) => EventsGone | ChainPosition | undefined,
  { chains = [one], told = goneAt(one, 1936) } = {},
) => {
  const subscribe = ({ chainId, push }: Subscription) =>
    Effect.gen(function* () {
      if (chainId !== one) return yield* Effect.never
      for (const block of [1010, 1500, 1900]) {
        const delivery = { type: "transfer" as const, data: { block }, position: positionAt(one, block) }
        push({ deliveries: [delivery] }, true)
        yield* Effect.sleep(5)
      }
      const store = yield* WebhookStore
      // The first batch was sent, and is not answered for.
      while (((yield* Effect.orDie(store.find("hook")))?.attempts ?? 0) === 0) yield* Effect.sleep(2)
      return yield* told
    })
  const next = ({ start }: { readonly start: Start }) => {
    const found = look(start)
    if (found instanceof EventsGone) return Effect.fail(found)
    return Effect.succeed(found && ({ from: typeof start === "string" ? found : start, position: found } as Part))
  }
  const work = Effect.gen(function* () {
    const store = yield* WebhookStore
    const context = yield* Effect.context<WebhookStore>()
    const hub = {
      next,
      subscribe: (it: Subscription) => Effect.provide(subscribe(it), context),
    }
    yield* store.create({
      ...{ id: "hook", url: "https://example.com", secret: "", chains, filter: {}, onlyFinal: false },
      ...{ createdAt: 0, positions },
    })
    const settings = { waits: { firstMs: 5, capMs: 20 }, giveUpMs: 60_000, idleMs: 10_000 }
    yield* deliver((yield* store.find("hook"))!, settings, () => false).pipe(
      Effect.provideService(EventHub, always(Effect.never, hub)),
    )
    return (yield* store.find("hook"))!.problem
  })
  const sender = Layer.succeed(
    WebhookSender,
    always(Effect.die("not asked"), {
      send: () => Effect.fail(new WebhookFailed({ message: "no" })),
      digest: (text) => `${text.length}`,
    }),
  )
  return Effect.runPromise(work.pipe(Effect.provide(Layer.mergeAll(MemoryWebhooks.layer, sender, Logger.layer([])))))
}

const settled = positionAt(one, 1000, 936)

test("what was read and not answered for is sent by the replay", async () => {
  const asked: Array<Start> = []
  const problem = await problemOf(positionText(settled), (start) => {
    asked.push(start)
    return settled
  })
  expect(asked).toEqual([settled])
  expect(problem).toBe(
    `it was built anew: forget what was told of blocks above 1000, and go on with after=${positionText(settled)}`,
  )
})

test("where that is gone too, from what it names", async () => {
  const problem = await problemOf(positionText(settled), () => goneAt(one, 936))
  expect(problem).toEndWith(`above 936, and go on with after=${positionText(positionAt(one, 936))}`)
})

test("who answered for nothing begins anew, of several chains in that one alone", async () => {
  expect(await problemOf("", () => settled)).toEndWith("begin anew, with after=beginning")
  const first = positionAt(one, -1)
  const several = { chains: [one, other] }
  const problem = await problemOf(positionText(positionAt(other, 7)), () => first, several)
  expect(problem).toBe(
    `chain 1: it was built anew: forget all that was told of it, and go on with after=${positionText(first)}`,
  )
  const replaced = new EventsGone({ reason: "replaced" })
  const look = (start: Start) => (start === "beginning" ? first : replaced)
  expect(await problemOf(positionText(settled), look, several)).toEndWith(`after=${positionText(first)}`)
})

test("where it knows of a correction that was lost, from what is final to its receiver and to the ledger", async () => {
  const after = { ...positionAt(one, 990), corrections: 11 }
  const told = new EventsGone({ reason: "the database lost it", block: 990, after: positionText(after) })
  const problem = await problemOf(positionText({ ...settled, corrections: 12 }), () => undefined, { told })
  const named = { ...positionAt(one, 936), corrections: 11 }
  expect(problem).toBe(
    `the database lost it: forget what was told of blocks above 936, and go on with after=${positionText(named)}`,
  )
  const newer = positionText({ ...positionAt(one, 1000, 995), corrections: 12 })
  expect(await problemOf(newer, () => undefined, { told })).toEndWith(
    `above 990, and go on with after=${positionText(after)}`,
  )
})

test("what is known no more is found behind corrections that its receiver can still be told", async () => {
  const asked: Array<number> = []
  const problem = await problemOf(positionText(settled), (start) => {
    if (typeof start === "string") return undefined
    asked.push(start.corrections)
    return start.corrections < 2 ? { ...start, corrections: start.corrections + 1 } : goneAt(one, 900)
  })
  expect(asked).toEqual([0, 1, 2])
  expect(problem).toEndWith(`above 900, and go on with after=${positionText(positionAt(one, 900))}`)
  // All that changed behind it can still be told.
  const stands = await problemOf(positionText(settled), (start) =>
    typeof start === "string" ? undefined : { ...start, corrections: 2 },
  )
  expect(stands).toEndWith(`above 1000, and go on with after=${positionText(settled)}`)
})

test("who has been told nothing yet, and waits for the ledger to come to its place, goes on from there", async () => {
  const waiting = unstored(one, 1000)
  const problem = await problemOf(positionText(waiting), () => undefined)
  expect(problem).toEndWith(`above 1000, and go on with after=${positionText(waiting)}`)
})

test("of a ledger that was built anew nothing stands, though this server may have the old one yet", async () => {
  const told = new EventsGone({ reason: "the ledger was built anew since" })
  const problem = await problemOf(positionText(settled), () => undefined, { told })
  expect(problem).toBe(
    "the ledger was built anew since: forget all that was told of it, and begin anew, with after=beginning",
  )
  const first = positionAt(one, -1)
  const several = { chains: [one, other], told }
  const look = (start: Start) => (start === "beginning" ? first : undefined)
  expect(await problemOf(positionText(settled), look, several)).toEndWith(`after=${positionText(first)}`)
})
