/** One read for all who ask for the same while it goes on: many who ask cost no more than one. */
import { Deferred, Effect } from "effect"

/** Whoever leaves leaves the read to the others: it ends by itself, within its own budget. */
export const makeShared = <E>() => {
  const going = new Map<string, Deferred.Deferred<unknown, E>>()
  return <A>(name: string, read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptibleMask((restore) => {
      const found = going.get(name) as Deferred.Deferred<A, E> | undefined
      if (found !== undefined) return restore(Deferred.await(found))
      const made = Deferred.makeUnsafe<A, E>()
      going.set(name, made as Deferred.Deferred<unknown, E>)
      const finished = read.pipe(
        Effect.onExit((exit) => {
          going.delete(name)
          return Deferred.done(made, exit)
        }),
      )
      return Effect.andThen(Effect.forkDetach(finished), restore(Deferred.await(made)))
    })
}
