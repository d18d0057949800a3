/** Reads of what was missed: few at once, in the turns of those who want them, so that nobody's thousand streams hold up another's. */
import { Effect } from "effect"
import { makeShares, type Refused, type Ticket } from "../turns/shares.ts"

/** Who comes next finds a free turn: one alone takes fewer than there are. */
const limits = {
  turns: 4,
  perCaller: 3,
  // How many streams there may be is bounded where they are opened: none of them is turned away here.
  mostWaiting: Number.POSITIVE_INFINITY,
  mostWaitingPerCaller: Number.POSITIVE_INFINITY,
}

const isTicket = (joined: Ticket | Refused): joined is Ticket => "leave" in joined

/** Runs a read in its caller's turn. Who is interrupted gives up the place or the turn. */
export type InTurn = <A, E>(caller: string, read: Effect.Effect<A, E>) => Effect.Effect<A, E>

export const makeReplays = (): InTurn => {
  const shares = makeShares(limits)
  const join = (caller: string) =>
    Effect.suspend(() => {
      const joined = shares.join(caller, Number.POSITIVE_INFINITY)
      return isTicket(joined) ? Effect.succeed(joined) : Effect.die(new Error("a replay found no place"))
    })
  return (caller, read) =>
    Effect.acquireUseRelease(
      join(caller),
      (ticket) =>
        Effect.andThen(
          Effect.callback<void>((resume) => ticket.whenServed(() => resume(Effect.void))),
          read,
        ),
      (ticket) => Effect.sync(ticket.leave),
    )
}
