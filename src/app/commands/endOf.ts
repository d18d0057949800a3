/** What lasts as long as the process: where it ends by itself, the process is not what it was started for. */
import { Cause, Exit, type Fiber } from "effect"

/** Resolves with why, once the first of them has ended: also by an interruption, which nobody asks for before the process stops. */
export const endOf = (work: ReadonlyArray<Fiber.Fiber<unknown, unknown>>): Promise<unknown> =>
  new Promise((resolve) => {
    for (const fiber of work)
      fiber.addObserver((exit) => {
        const isSilent = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
        resolve(isSilent ? new Error("something ended that never ends") : Cause.squash(exit.cause))
      })
  })
