/** A position that says it was told a part of a heal which never comes: it waits a while for it, and goes on. */
import { expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import { EventHub } from "../../src/domain/events/EventHub.ts"
import type { Delivery } from "../../src/model/events/event.ts"
import { endOfBlock } from "../../src/model/events/place.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { startService } from "../http/support.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"

const chainId = ChainId.make("43114")

test("what was told of another ledger's heal holds nobody up for good", async () => {
  const service = await startService()
  const writer = await service.open(chainId)
  const chain = new TestChain().block([]).block([transfer(address(0x70), address(0), address(0xa1), 1n)])
  await service.run(writer.append(chain.segment(0)))
  const heard = Promise.withResolvers<Delivery>()
  const fiber = await service.run(
    Effect.gen(function* () {
      const hub = yield* EventHub
      const whole = { chainId, filter: {}, onlyFinal: false }
      const { hash: _, ...position } = (yield* hub.next({ ...whole, start: "beginning" }))!.position
      const start = { ...position, at: endOfBlock(0), told: 3 }
      expect(yield* hub.next({ ...whole, start })).toBeUndefined()
      return yield* Effect.forkDetach(
        hub.subscribe({
          ...whole,
          start,
          push: ({ deliveries }) => {
            for (const it of deliveries) if (it.type === "transfer") heard.resolve(it)
            return true
          },
          room: Effect.void,
          stand: () => {},
        }),
      )
    }),
  )
  expect(JSON.stringify(await heard.promise)).toContain(address(0x70))
  await Effect.runPromise(Fiber.interrupt(fiber))
  await service.close()
})
