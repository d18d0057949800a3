/** A reading whose block a reorg takes away between finding and reading it: it is begun anew, a few times. */
import { Effect } from "effect"
import { BlockUnknown } from "../../model/errors.ts"

const newBeginnings = 3

/** Of a question that has no cursor: whoever asked it did nothing wrong. */
export const beginAnew = <A, E, R>(read: Effect.Effect<A, E, R>) =>
  Effect.catch(
    readAnew(read),
    (error): Effect.Effect<never, E | BlockUnknown> => Effect.fail(isOfReorg(error) ? replaced : error),
  )

/** Of a page that may have one, which fails as that does. */
export const readAnew = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(read, { times: newBeginnings, while: isOfReorg })

const isOfReorg = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "InvalidCursor"

const replaced = new BlockUnknown({
  message: "blocks that this is of were replaced each time it was read: ask again shortly",
})
