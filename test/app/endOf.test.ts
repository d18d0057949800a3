/** Work that lasts as long as the process: its end is heard of where nobody asked for it. */
import { expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import { endOf } from "../../src/app/commands/endOf.ts"

test("the first end is told, with why: a bug, an end by itself, or an interruption from within", async () => {
  const goesOn = Effect.runFork(Effect.never)
  const broken = Effect.runFork(Effect.delay(Effect.die(new Error("a bug")), 20))
  expect(String(await endOf([goesOn, broken]))).toBe("Error: a bug")
  const silent = "Error: something ended that never ends"
  expect(String(await endOf([goesOn, Effect.runFork(Effect.void)]))).toBe(silent)
  const end = endOf([goesOn])
  await Effect.runPromise(Fiber.interrupt(goesOn))
  expect(String(await end)).toBe(silent)
})
