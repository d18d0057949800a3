/** One command at a time works on a chain's schemas. */
import { Effect, Schema, type Scope } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { claimName } from "../database/schemas.ts"
import { isCancelled } from "../database/statements.ts"
import { openSession, type Session } from "../ledger/wire/session.ts"

/** Something else is at work on the chain, or the database failed. `message` says what to do. */
export class RebuildFailed extends Schema.TaggedError<RebuildFailed>()("RebuildFailed", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect()),
}) {}

/** What is done with the database, its failures in words. What a cancel request hit that was meant for another statement of its connection is done once more. */
export const attempt = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, RebuildFailed> =>
  Effect.tryPromise({
    try: () => work().catch((cause: unknown) => (isCancelled(cause) ? work() : Promise.reject(cause))),
    catch: (cause) =>
      cause instanceof RebuildFailed
        ? cause
        : new RebuildFailed({
            message: `${what} failed: ${cause instanceof Error ? cause.message : String(cause)}. Run the command again`,
            cause,
          }),
  })

/** A session that holds the claim on the chain until the scope ends. */
export const claimChain = Effect.fn("claimChain")(function* (
  database: DatabaseShape,
  chainId: ChainId,
): Effect.fn.Return<Session, RebuildFailed, Scope.Scope> {
  const session = yield* Effect.acquireRelease(
    attempt("opening the database", () => openSession(database, database.schema)),
    (it) => Effect.promise(() => it.close()),
  )
  const isFree = yield* attempt("asking for the chain", () => tryLock(session, claimName(database, chainId)))
  if (isFree) return session
  return yield* new RebuildFailed({
    message: `another cowry add, cowry resync or cowry drop is at work on chain ${chainId}`,
  })
})

/** Whether the session has the advisory lock of this name now; it keeps it until it ends. */
export const tryLock = async (session: Session, name: string): Promise<boolean> => {
  const [row] = await session.run(
    (sql) => sql<[{ taken: boolean }]>`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as taken`,
  )
  return row.taken
}
