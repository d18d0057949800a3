/** Connections of a pool as places: a statement waits for a free one, never behind another in the driver. Callers are served in rotation. */
import { makeShares, type Shares, type Ticket } from "../../../domain/turns/shares.ts"
import type { Reader } from "../../../ports/ReadFor.ts"

export interface Places {
  /** Starts once a place is free; whoever started calls `done`, once or more. Gives what ends the waiting. */
  readonly take: (reader: Reader, start: (done: () => void) => void) => () => void
}

/** `mostCostly`: places that costly reads may have at once; the others are for short ones. */
export const makePlaces = (count: number, mostCostly = count): Places => {
  const all = rotation(count)
  const ofCostly = rotation(mostCostly)
  return {
    take: ({ caller, isCostly }, start) => {
      const tickets: Array<Ticket> = []
      const leave = () => {
        // The place first: whoever waits for it is not behind the next costly one.
        for (const ticket of tickets.splice(0).reverse()) ticket.leave()
      }
      const join = (shares: Shares, served: () => void) => {
        const ticket = shares.join(caller, Number.POSITIVE_INFINITY)
        if (!("leave" in ticket)) throw new Error("whoever asks for a place waits")
        tickets.push(ticket)
        ticket.whenServed(served)
      }
      const enter = () => join(all, () => start(leave))
      if (isCostly) join(ofCostly, enter)
      else enter()
      return leave
    },
  }
}

/** How many wait, and for how long, is bounded where requests take their turns. */
const rotation = (turns: number): Shares =>
  makeShares({
    turns,
    perCaller: turns,
    mostWaiting: Number.POSITIVE_INFINITY,
    mostWaitingPerCaller: Number.POSITIVE_INFINITY,
  })
