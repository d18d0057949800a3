/** How long a request is waited for: until its caller leaves, or its time is over. And what it waits for meanwhile. */
import { type Context, Effect, type Exit } from "effect"
import { type Deadlines, makeDeadlines } from "./deadlines.ts"
import type { Soon } from "./soon.ts"

/** Why nobody waits any more: the caller left, or the time is over. */
export type Stop = "gone" | "late"

export interface Patience {
  readonly stopped: () => Stop | undefined
  /** What is done once nobody waits any more: at once where that is so already. One thing at a time; absent = nothing. */
  readonly onStop: (act?: () => void) => void
  /** From now on the time counts, and the caller is looked after. */
  readonly limit: (times: Times) => void
  /** Listens from now on whether the caller leaves; it may have left. For answers that hold something until they are read. */
  readonly listen: () => void
  /** The request has its answer. */
  readonly end: () => void
}

/** What a request may take. */
export interface Times {
  /** When it is looked whether the caller is still there: most have their answer by then, and listening costs more than a look-up. */
  readonly look: Deadlines
  /** From then on. */
  readonly rest: Deadlines
}

const lookMs = 10

export const timesOf = (milliseconds: number): Times => ({
  look: makeDeadlines(Math.min(lookMs, milliseconds)),
  rest: makeDeadlines(Math.max(0, milliseconds - lookMs)),
})

/** `signalOf`: what tells that the caller leaves, or left. */
export const makePatience = (signalOf: () => AbortSignal | undefined = () => undefined): Patience => {
  let stop: Stop | undefined
  let act: (() => void) | undefined
  let inTime: (() => void) | undefined
  let signal: AbortSignal | undefined
  const stopFor = (why: Stop): void => {
    stop ??= why
    act?.()
  }
  const leave = (): void => stopFor("gone")
  const listen = (): void => {
    if (signal !== undefined) return
    signal = signalOf()
    if (signal?.aborted === true) leave()
    else signal?.addEventListener("abort", leave)
  }
  return {
    stopped: () => stop,
    onStop: (next) => {
      act = next
      if (stop !== undefined) act?.()
    },
    listen,
    limit: ({ look, rest }) => {
      inTime = look.begin(() => {
        inTime = rest.begin(() => stopFor("late"))
        listen()
      })
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
    let waits = true
    // Before it is told: whoever hears it waits for something else, and says at once what ends that.
    const end = (): void => {
      if (waits) patience.onStop()
      waits = false
    }
    patience.onStop(() => {
      waits = false
      resolve(undefined)
    })
    promise.then(
      (value) => {
        end()
        resolve(value)
      },
      (cause) => {
        end()
        reject(cause)
      },
    )
  })
