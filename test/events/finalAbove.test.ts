/** A consumer of final blocks whose place is above them, as one has that was told all blocks: it waits, and stands in nobody's way. */
import { expect, test } from "bun:test"
import { Effect, Fiber, Layer, ManagedRuntime } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import * as EventHub from "../../src/domain/events/EventHub.ts"
import type { ChainPosition } from "../../src/model/events/position.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { Ledger } from "../../src/ports/Ledger.ts"
import { Networks } from "../../src/ports/Networks.ts"
import { noChoice, ReadServers } from "../../src/ports/ReadServers.ts"
import { settingsOf } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"

const chainId = ChainId.make("43114")
const filter = { kinds: ["transfer"] } as const

test("whoever comes beside it begins at the newest final block, and both are told what becomes final above their places", async () => {
  const runtime = ManagedRuntime.make(
    EventHub.layer.pipe(
      Layer.provide([Layer.succeed(Networks, { chains: [] }), Layer.succeed(ReadServers, noChoice)]),
      Layer.provideMerge(MemoryStore.layer),
    ),
  )
  const chain = new TestChain()
  const grow = (length: number) => {
    for (let block = 0; block < length; block++) chain.block([transfer(address(0x70), address(0), address(0xa1), 1n)])
  }
  grow(6)
  const work = Effect.gen(function* () {
    const writer = yield* (yield* Ledger).open(settingsOf({ chainId }))
    yield* writer.append(chain.segment(0, undefined, { finalizedBlock: 2 }))
    const hub = yield* EventHub.EventHub
    const ofAll = (yield* hub.next({ chainId, filter, onlyFinal: false, start: "beginning" }))!.position
    expect([ofAll.at.block, ofAll.final]).toEqual([5, 2])
    // Of no block that is not final yet it is told, and its place does not move.
    expect(yield* hub.next({ chainId, filter, onlyFinal: true, start: ofAll })).toBeUndefined()

    const told: Record<"above" | "now", Array<number>> = { above: [], now: [] }
    const stood = { above: Promise.withResolvers<void>(), now: Promise.withResolvers<void>() }
    const follow = (name: "above" | "now", start: ChainPosition | "now") =>
      Effect.forkChild(
        hub.subscribe({
          ...{ chainId, filter, onlyFinal: true, start, room: Effect.void },
          push: ({ deliveries }) => {
            for (const { type, data } of deliveries)
              if (type === "transfer") told[name].push((data as { readonly block: number }).block)
            return true
          },
          stand: () => stood[name].resolve(),
        }),
      )
    const above = yield* follow("above", ofAll)
    yield* Effect.sleep("300 millis")
    const now = yield* follow("now", "now")
    yield* Effect.promise(() => stood.now.promise)
    const from = chain.nextBlock
    grow(3)
    yield* writer.append(chain.segment(from, undefined, { finalizedBlock: 7 }))
    for (let look = 0; look < 400 && (told.now.length < 5 || told.above.length < 2); look++)
      yield* Effect.sleep("25 millis")
    expect(told).toEqual({ above: [6, 7], now: [3, 4, 5, 6, 7] })
    yield* Fiber.interruptAll([above, now])
  })
  await runtime.runPromise(Effect.scoped(work))
  await runtime.dispose()
})
