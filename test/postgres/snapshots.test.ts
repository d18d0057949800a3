/** Who leaves while a snapshot is opened takes no permit along. */
import { expect, test } from "bun:test"
import { Effect, Exit, Fiber, Scheduler } from "effect"
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import { mostSnapshots, Snapshots } from "../../src/ports/Snapshots.ts"
import { openStore } from "../contracts/store.ts"
import { testSettings } from "../support/givenServer.ts"

/** Interrupts the fiber before its operation of that number. */
const leavingAt = (operation: number): Scheduler.Scheduler => {
  const usual = new Scheduler.MixedScheduler()
  let done = 0
  return {
    executionMode: usual.executionMode,
    makeDispatcher: () => usual.makeDispatcher(),
    shouldYield: (fiber: Fiber.Fiber<unknown, unknown>) => {
      if (++done === operation) fiber.interruptUnsafe()
      return usual.shouldYield(fiber)
    },
  }
}

/** Of the first of them: the permit is taken among these, and the connection is opened. */
const operations = 30

test("a snapshot that is given up while it is opened leaves its permit to others", async () => {
  const settings = await testSettings()
  const store = await openStore(async () => PostgresStore.layer(settings))
  try {
    const open = Snapshots.use((snapshots) => snapshots.open)
    await store.run(
      Effect.scoped(
        Effect.gen(function* () {
          for (let held = 1; held < mostSnapshots; held++) yield* open
          const one = Effect.scoped(open).pipe(Effect.timeout("20 seconds"))
          for (let operation = 1; operation <= operations; operation++) {
            const opened = Effect.provideService(Effect.scoped(open), Scheduler.Scheduler, leavingAt(operation))
            const exit = yield* Fiber.await(yield* Effect.forkChild(opened))
            expect(Exit.hasInterrupts(exit)).toBe(true)
            // The only permit that is left is free again.
            yield* one
          }
        }),
      ),
    )
  } finally {
    await store.close()
  }
})
