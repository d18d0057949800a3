/** How long a request is waited for: until its caller leaves, or its time is over. And what it waits for meanwhile. */
import { type Context, Effect, type Exit } from "effect"
import type { Deadlines } from "./deadlines.ts"
import type { Soon } from "./soon.ts"

/** Why nobody waits any more: the caller left, or the time is over. */
export type Stop = "gone" | "late"

export interface Patience {
  readonly stopped: () => Stop | undefined
  /** What is done once nobody waits any more: at once where that is so already. One thing at a time; absent = nothing. */
  readonly onStop: (act?: () => void) => void
  /** From now on the time counts. */
  readonly limit: (deadlines: Deadlines) => void
  /** The request has its answer. */
  readonly end: () => void
}

export const makePatience = (signal?: AbortSignal): Patience => {
  let stop: Stop | undefined
  let act: (() => void) | undefined
  let inTime: (() => void) | undefined
  const stopFor = (why: Stop): void => {
    stop ??= why
    act?.()
  }
  const leave = (): void => stopFor("gone")
  if (signal?.aborted === true) leave()
  else signal?.addEventListener("abort", leave)
  return {
    stopped: () => stop,
    onStop: (next) => {
      act = next
      if (stop !== undefined) act?.()
    },
    limit: (deadlines) => {
      inTime = deadlines.begin(() => stopFor("late"))
    },
    end: () => {
      inTime?.()
      signal?.removeEventListener("abort", leave)
    },
  }
}

/** The exit of an effect: at once where nothing is waited for. Where nobody waits any more it is interrupted, and its end is still waited for. */
export const exitOf = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  context: Context.Context<R>,
  patience: Patience,
): Soon<Exit.Exit<A, E>> => {
  const fiber = Effect.runForkWith(context)(effect)
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) return exit
  return new Promise((resolve) => {
    fiber.addObserver((exit) => {
      patience.onStop()
      resolve(exit)
    })
    patience.onStop(() => fiber.interruptUnsafe())
  })
}

/** What a promise gives; undefined where nobody waits any more. */
export const whileWaited = <A>(promise: Promise<A>, patience: Patience): Promise<A | undefined> =>
  new Promise((resolve, reject) => {
    patience.onStop(() => resolve(undefined))
    promise.then(resolve, reject).finally(() => patience.onStop())
  })
