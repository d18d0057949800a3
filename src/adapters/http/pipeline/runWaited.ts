/** Effects and promises that a request waits for, each for no longer than somebody waits. */
import { type Context, Effect, type Exit } from "effect"
import type { Patience } from "./patience.ts"

/** The exit of an effect. Where nobody waits any more it is interrupted, and its end is still waited for. */
export const exitOf = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  context: Context.Context<R>,
  patience: Patience,
): Promise<Exit.Exit<A, E>> =>
  new Promise((resolve) => {
    const fiber = Effect.runForkWith(context)(effect)
    fiber.addObserver((exit) => {
      patience.onStop()
      resolve(exit)
    })
    if (fiber.pollUnsafe() === undefined) patience.onStop(() => fiber.interruptUnsafe())
  })

/** What a promise gives; undefined where nobody waits any more. */
export const whileWaited = <A>(promise: Promise<A>, patience: Patience): Promise<A | undefined> =>
  new Promise((resolve, reject) => {
    patience.onStop(() => resolve(undefined))
    promise.then(resolve, reject).finally(() => patience.onStop())
  })
