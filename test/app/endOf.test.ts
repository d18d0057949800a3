/** Work that lasts as long as the process: its end is heard of where nobody asked for it. */
import { expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import { endOf } from "../../src/app/commands/endOf.ts"

test("the first end that nobody asked for is told, with why", async () => {
  const stopped = Effect.runFork(Effect.never)
  const broken = Effect.runFork(Effect.delay(Effect.die(new Error("a bug")), 20))
  const end = endOf([stopped, broken])
  await Effect.runPromise(Fiber.interrupt(stopped))
  expect(String(await end)).toBe("Error: a bug")
  expect(String(await endOf([Effect.runFork(Effect.void)]))).toBe("Error: something ended that never ends")
})
