/** The turn that a request takes before it is answered: of its cost, in its caller's share. */

import { makeShares, type Shares as OwnShares, type ShareLimits, type Ticket } from "../../../domain/turns/shares.ts"
import type { Cost } from "../contract/cost.ts"
import { Overloaded } from "../contract/faults.ts"
import type { Patience } from "./patience.ts"

const waiting = { mostWaiting: 1000, mostWaitingPerCaller: 250 }

/** A store serves the reads of these in rotation too, and keeps places free of costly ones: another's cheap read finds a connection soon. */
export const usualTurns: Readonly<Record<Cost, ShareLimits>> = {
  cheap: { turns: 12, perCaller: 6, ...waiting, foretold: true },
  // All of them together have four connections of a store, however many they are.
  joined: { turns: 256, perCaller: 128, ...waiting, foretold: true },
  costly: { turns: 3, perCaller: 2, ...waiting, foretold: true },
  // As many as a store has snapshots open at once.
  stream: { turns: 8, perCaller: 3, mostWaiting: 100, mostWaitingPerCaller: 10 },
  // None of them holds a connection of a store; who is asked has bounds of its own.
  upstream: { turns: 8, perCaller: 4, mostWaiting: 200, mostWaitingPerCaller: 50, foretold: true },
  node: { turns: 8, perCaller: 4, mostWaiting: 200, mostWaitingPerCaller: 50, foretold: true },
}

/** In the order in which they are shown. */
const costs = Object.keys(usualTurns) as ReadonlyArray<Cost>

export type Shares = Readonly<Partial<Record<Cost, Partial<ShareLimits>>>>

export interface Turns {
  /** After which a request that waits is refused. */
  readonly longestWaitMs: number
  /** A place in the queue, or the refusal. */
  readonly join: (cost: Cost, caller: string) => Ticket | Overloaded
  /** Until the ticket has its turn, or nobody waits for it; refused when that takes too long. Gives whether there was any waiting. */
  readonly wait: (
    cost: Cost,
    caller: string,
    ticket: Ticket,
    patience: Patience,
  ) => boolean | Promise<boolean | Overloaded>
  readonly counts: () => ReadonlyArray<
    readonly [cost: Cost, counts: ReturnType<ReturnType<typeof makeShares>["counts"]>]
  >
}

export const makeTurns = (longestWaitMs: number, changed: Shares = {}): Turns => {
  const sharesOf = (cost: Cost) => makeShares({ ...usualTurns[cost], ...changed[cost] })
  const shares = Object.fromEntries(costs.map((cost) => [cost, sharesOf(cost)])) as Record<Cost, OwnShares>
  return {
    longestWaitMs,
    join: (cost, caller) => {
      const found = shares[cost].join(caller, longestWaitMs)
      return "leave" in found ? found : overloaded(found.retryAfterMs)
    },
    wait: (cost, caller, ticket, patience) => {
      let served: (() => void) | undefined = () => {
        served = undefined
      }
      ticket.whenServed(() => served?.())
      if (served === undefined) return false
      return new Promise((resolve) => {
        const end = (outcome: boolean | Overloaded) => {
          served = undefined
          clearTimeout(tooLate)
          patience.onStop()
          resolve(outcome)
        }
        const tooLate = setTimeout(() => end(overloaded(shares[cost].refuse(caller).retryAfterMs)), longestWaitMs)
        served = () => end(true)
        patience.onStop(() => end(true))
      })
    },
    counts: () => costs.map((cost) => [cost, shares[cost].counts()]),
  }
}

/** Nobody is sent away for longer: by then much may have changed. */
const longestRetrySeconds = 60

const overloaded = (afterMs: number): Overloaded => {
  const retryAfter = Math.min(longestRetrySeconds, Math.max(1, Math.ceil(afterMs / 1000)))
  return new Overloaded({
    message: `too many requests of this kind wait: try again in ${retryAfter} seconds`,
    retryAfter,
  })
}
