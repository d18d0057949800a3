/** What never ends goes on behind a bug, whose line the log has once. */
import { expect, test } from "bun:test"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { EventHub } from "../../../src/domain/events/EventHub.ts"
import { makeFeeds } from "../../../src/domain/events/feeds.ts"
import { keepWebhooks } from "../../../src/domain/events/keepWebhooks.ts"
import { keepTime } from "../../../src/domain/ingest/status/pulse.ts"
import type { Report } from "../../../src/domain/ingest/status/report.ts"
import { learnChains, tellStatuses } from "../../../src/domain/registry/keepRegistry.ts"
import type { KnownChains } from "../../../src/domain/registry/knownChains.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { keepGoing, makeSurvive } from "../../../src/model/time/survive.ts"
import { ChainRegistry } from "../../../src/ports/ChainRegistry.ts"
import type { ChainSourceClient } from "../../../src/ports/ChainSource.ts"
import type { EventStore } from "../../../src/ports/EventStore.ts"
import { SyncStatus } from "../../../src/ports/SyncStatus.ts"
import { WebhookSender } from "../../../src/ports/WebhookSender.ts"
import { WebhookStore } from "../../../src/ports/WebhookStore.ts"

const chainId = ChainId.make("1")
const bug = Effect.die(new RangeError("Maximum call stack size exceeded."))

/** Runs it for so many seconds; what the log has of it. */
const during = async <E, R>(
  seconds: number,
  work: Effect.Effect<unknown, E, R>,
  services: Layer.Layer<R> = Layer.empty as never,
): Promise<ReadonlyArray<string>> => {
  const logs: Array<string> = []
  const logger = Logger.make(({ message }) => logs.push(String([message].flat()[0])))
  await Effect.runPromise(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(work)
      for (let second = 0; second < seconds; second++) yield* TestClock.adjust(1000)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide([services, TestClock.layer(), Logger.layer([logger])])),
  )
  return logs
}

/** The first time it meets a bug. */
const onceBroken = () => {
  let times = 0
  const ask = Effect.suspend((): Effect.Effect<void> => (++times === 1 ? bug : Effect.void))
  return { ask, times: () => times }
}

test("a bug that comes again and again has one line, failures and interruption are nobody's but the caller's", async () => {
  const survive = makeSurvive("the loop")
  const logs = await during(50, Effect.forever(Effect.andThen(survive(bug), Effect.sleep(1000))))
  expect(logs).toEqual(["the loop: a bug was met, it goes on"])
  expect(await Effect.runPromise(Effect.flip(survive(Effect.fail("refused"))))).toBe("refused")
  expect(await Effect.runPromise(survive(Effect.succeed(7)))).toBe(7)
})

test("work with a loop of its own is begun again", async () => {
  const one = onceBroken()
  const logs = await during(20, keepGoing("the work", Effect.andThen(one.ask, Effect.never)))
  expect([one.times(), logs]).toEqual([2, ["the work: a bug was met, it goes on"]])
})

test("webhooks are looked at again", async () => {
  const one = onceBroken()
  const claims = { take: () => Effect.succeed(true), release: () => Effect.void, isLost: () => true }
  const store = Layer.mergeAll(
    Layer.succeed(WebhookStore, { claims: Effect.as(one.ask, claims) } as never),
    // Nobody delivers anything.
    Layer.succeed(EventHub, {} as never),
    Layer.succeed(WebhookSender, {} as never),
  )
  expect(await during(5, keepWebhooks(), store)).toEqual(["webhooks: a bug was met, it goes on"])
  expect(one.times()).toBeGreaterThan(1)
})

test("how chains are doing is told again", async () => {
  const one = onceBroken()
  const services = Layer.mergeAll(
    Layer.succeed(ChainRegistry, { tell: () => one.ask } as never),
    Layer.succeed(SyncStatus, { list: () => [] } as never),
  )
  const [line = ""] = await during(
    10,
    tellStatuses([], () => true),
    services,
  )
  expect(line).toContain("other processes are not told how the chains are doing")
  expect(one.times()).toBeGreaterThan(2)
})

test("what other processes tell is learned again, and meanwhile known not to be", async () => {
  const told: Array<string> = []
  const known = {
    networks: { chains: [] },
    take: () => told.push("taken"),
    fail: () => told.push("failed"),
  } as unknown as KnownChains
  let times = 0
  const look = Effect.suspend(() => (++times === 2 ? bug : Effect.succeed({})))
  const learning = Effect.scoped(Effect.andThen(learnChains(known), Effect.never))
  await during(3, learning, Layer.succeed(ChainRegistry, { look } as never))
  expect(told).toEqual(["taken", "failed", "taken", "taken"])
})

test("a registry that cannot be read is said once, and once more when it can", async () => {
  const known = { networks: { chains: [] }, take: () => {}, fail: () => {} } as unknown as KnownChains
  let times = 0
  const look = Effect.suspend((): Effect.Effect<object, string> => {
    times++
    return times > 1 && times < 5 ? Effect.fail("down") : Effect.succeed({})
  })
  const learning = Effect.scoped(Effect.andThen(learnChains(known), Effect.never))
  expect(await during(8, learning, Layer.succeed(ChainRegistry, { look } as never))).toEqual([
    "the registry cannot be read: what was known of chains stays, and it is asked again each second",
    "the registry is read",
  ])
})

test("a chain's head is looked at again", async () => {
  const one = onceBroken()
  const heads: Array<number> = []
  const node = { head: Effect.as(one.ask, { number: 7 }) } as unknown as ChainSourceClient
  const report = { tick: () => Effect.void, head: (number: number) => heads.push(number) } as unknown as Report
  const keeping = Effect.gen(function* () {
    const { trust } = yield* keepTime(node, report, { chainId, pollMs: 1000 })
    trust(true)
    return yield* Effect.never
  })
  expect(await during(30, keeping)).toEqual(["chain 1, its status: a bug was met, it goes on"])
  expect(heads).toEqual([7])
})

test("the newest events are read on", async () => {
  const one = onceBroken()
  const store = {
    watch: () => Effect.succeed({ listen: () => {}, lookMs: () => 10, missed: () => {} }),
    readHead: () => Effect.as(one.ask, undefined),
  } as unknown as EventStore["Service"]
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const feeds = yield* makeFeeds(
          store,
          (slice) => slice,
          () => false,
        )
        const [track] = feeds.of(chainId).tracks
        track.attach({}, { push: () => {}, detached: () => {} } as never, { position: { at: {} }, mark: {} } as never)
        while (one.times() < 2) yield* Effect.sleep(5)
      }),
    ),
  )
})
