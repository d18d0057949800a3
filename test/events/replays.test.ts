/** What one caller's many streams missed holds up nobody else's. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { EventHub } from "../../src/domain/events/EventHub.ts"
import { makeReplays } from "../../src/domain/events/replays.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { EventStore } from "../../src/ports/EventStore.ts"
import { startService, type TestService } from "../http/support.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"

const chainId = ChainId.make("43114")
let reads = 0
let atOnce = 0
let mostAtOnce = 0
const slow = Layer.effect(
  EventStore,
  Effect.map(EventStore, (store) => ({
    ...store,
    read: (query) =>
      Effect.suspend(() => {
        reads++
        mostAtOnce = Math.max(mostAtOnce, ++atOnce)
        return Effect.ensuring(
          Effect.andThen(Effect.sleep(2), store.read(query)),
          Effect.sync(() => void atOnce--),
        )
      }),
  })),
)

let service: TestService
beforeAll(async () => {
  service = await startService({ storeLayer: Layer.provideMerge(slow, MemoryStore.layer) })
  const writer = await service.open("43114")
  const chain = new TestChain().block([transfer(address(0x70), address(0), address(0xa1), 1n)])
  await service.run(writer.append(chain.segment(0)))
})
afterAll(() => service.close())

const replay = (caller: string) =>
  service.run(EventHub.use((hub) => hub.next({ chainId, filter: {}, onlyFinal: false, start: "beginning", caller })))

test("another's replay takes its turn next, whoever waits with however many", async () => {
  const many = Array.from({ length: 300 }, () => replay("ip many"))
  reads = 0
  const part = await replay("ip other")
  expect(part?.deliveries.map(({ type }) => type)).toContain("transfer")
  expect(reads).toBeLessThan(40)
  const parts = await Promise.all(many)
  expect(parts.every((each) => (each?.deliveries.length ?? 0) > 0)).toBe(true)
  expect(mostAtOnce).toBeLessThanOrEqual(5)
})

test("who leaves while it waits, or while it reads, gives its turn to the next", async () => {
  const inTurn = makeReplays()
  const never = new AbortController()
  const left = Array.from({ length: 20 }, () =>
    Effect.runPromise(inTurn("one", Effect.never), { signal: never.signal }).catch(() => "left"),
  )
  expect(await Effect.runPromise(inTurn("another", Effect.succeed("served")))).toBe("served")
  const next = Effect.runPromise(inTurn("one", Effect.succeed("served")))
  never.abort()
  expect(await next).toBe("served")
  expect(new Set(await Promise.all(left))).toEqual(new Set(["left"]))
})
