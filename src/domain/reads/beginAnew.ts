/** A reading whose block a reorg takes away between finding and reading it: it is begun anew, a few times. */
import { Effect } from "effect"

const newBeginnings = 3

export const beginAnew = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(read, { times: newBeginnings, while: isOfReorg })

const isOfReorg = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "InvalidCursor"
