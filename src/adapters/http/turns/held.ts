/** What a request holds until its answer has gone: its turn, and what the answer comes from. */
import { Effect, Exit } from "effect"
import type { Ticket } from "../../../domain/turns/shares.ts"
import { NodeTurnRefused } from "../../../ports/NodeTurn.ts"
import type { OpenStream, TextChunks } from "../contract/call.ts"
import type { Cost } from "../contract/cost.ts"
import { type Fault, Overloaded } from "../contract/faults.ts"
import type { Patience } from "./patience.ts"
import { after, type Soon } from "./soon.ts"
import type { Turns } from "./turns.ts"

export interface Held {
  readonly patience: Patience
  ticket?: Ticket
  chunks?: TextChunks
  stream?: OpenStream
}

interface Whole {
  readonly chunks?: TextChunks
}

/** A turn that goes to others while its request waits for what takes none. */
export interface Served {
  /** Whether there was any waiting for it. */
  readonly waited: boolean
  readonly stepAside: () => void
  /** Until it has one again, or nobody waits for it; the refusal where that takes too long. */
  readonly again: () => Soon<Overloaded | undefined>
}

/** Holds a turn of the caller while the answer is made; a stream's until it is closed. */
export const inTurn = <Reply extends Whole>(
  turns: Turns,
  cost: Cost,
  caller: string,
  held: Held,
  answer: (served: Served) => Soon<Exit.Exit<Reply, Fault>>,
): Soon<Exit.Exit<Reply, Fault>> => {
  const { patience } = held
  const ticket = turns.join(cost, caller)
  if (ticket instanceof Overloaded) return Exit.fail(ticket)
  held.ticket = ticket
  const answered = (exit: Exit.Exit<Reply, Fault>): Exit.Exit<Reply, Fault> => {
    if (Exit.isFailure(exit)) return exit
    const { chunks } = exit.value
    if (chunks === undefined) {
      held.ticket?.leave()
      return exit
    }
    const { mustYield, leave } = held.ticket ?? ticket
    held.chunks = { ...chunks, mustYield, close: Effect.ensuring(chunks.close, Effect.sync(leave)) }
    return Exit.succeed({ ...exit.value, chunks: held.chunks })
  }
  const again = () => {
    ticket.again()
    return after(turns.wait(cost, caller, ticket, patience), (waited) =>
      typeof waited === "boolean" ? undefined : waited,
    )
  }
  return after(turns.wait(cost, caller, ticket, patience), (waited) => {
    if (typeof waited !== "boolean") return Exit.fail(waited)
    if (patience.stopped() !== undefined) return Exit.interrupt()
    return after(answer({ waited, stepAside: ticket.stepAside, again }), answered)
  })
}

/** Its turn goes to who needs the ledger alone; what is left of it is done in one of those of the node. */
export const inTurnOfNode = (turns: Turns, caller: string, held: Held): Effect.Effect<void, NodeTurnRefused> =>
  Effect.suspend(() => {
    held.ticket?.leave()
    const ticket = turns.join("node", caller)
    if (ticket instanceof Overloaded) return new NodeTurnRefused()
    held.ticket = ticket
    return Effect.callback<void>((resume) => ticket.whenServed(() => resume(Effect.void))).pipe(
      Effect.timeoutOrElse({ duration: turns.longestWaitMs, orElse: () => Effect.fail(new NodeTurnRefused()) }),
    )
  })

/** Whatever a request holds, of which nothing will be sent. */
export const letGo = ({ ticket, chunks, stream }: Held): Effect.Effect<void> =>
  Effect.andThen(
    chunks?.close ?? Effect.void,
    Effect.sync(() => {
      ticket?.leave()
      stream?.drop()
    }),
  )
