/** How many answers at hand are given between two looks at what else there is to do, to one caller and to all: a text costs time, however it was come by. */
import { setImmediate } from "node:timers"
import { makeShares, type ShareLimits, type Ticket } from "../../../domain/turns/shares.ts"
import type { Soon } from "./soon.ts"

/** What is given in its turn; undefined where too many wait already. */
export type GivingTurns = <A>(caller: string, give: () => A | undefined) => Soon<A | undefined>

export const longAtOnce = { turns: 4, perCaller: 2, mostWaiting: 1000, mostWaitingPerCaller: 250 }
/** Up to which a text costs hardly more than its request: of those more are given. */
export const shortLength = 4096
export const shortAtOnce = { ...longAtOnce, turns: 64, perCaller: 32 }

/** Nobody is told when there may be a turn: the wait is of no matter. */
const anyWaitMs = Number.POSITIVE_INFINITY

export const makeGivingTurns = (limits: ShareLimits): GivingTurns => {
  const shares = makeShares(limits)
  /** Turns that end at the next look. */
  let ending: Array<Ticket> = []
  const endAll = (): void => {
    const all = ending
    ending = []
    for (const { leave } of all) leave()
  }
  const endSoon = (ticket: Ticket): void => {
    if (ending.length === 0) setImmediate(endAll)
    ending.push(ticket)
  }
  return <A>(caller: string, give: () => A | undefined): Soon<A | undefined> => {
    const ticket = shares.join(caller, anyWaitMs)
    if (!("leave" in ticket)) return undefined
    let isServed = false
    let onServed = (): void => {}
    ticket.whenServed(() => {
      isServed = true
      endSoon(ticket)
      onServed()
    })
    if (isServed) return give()
    const served = new Promise<void>((resolve) => {
      onServed = resolve
    })
    return served.then(give)
  }
}
