/** One command at a time works on a chain's schemas. */
import { Effect, Schema, Scope, Semaphore } from "effect"
import { messageOf } from "../../../model/outside/cause.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { type Backoff, backoffSchedule } from "../../../model/time/backoff.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { claimName } from "../database/schemas.ts"
import { isCancelled } from "../database/statements.ts"
import { openSession, type Session } from "../ledger/wire/session.ts"

/** Between two tries to claim a chain again. */
const waits: Backoff = { firstMs: 100, capMs: 5000 }

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
            message: `${what} failed: ${messageOf(cause)}. Run the command again`,
            cause,
          }),
  })

/** A session that holds the claim on the chain until the scope ends. */
export const claimChain = Effect.fn("claimChain")(function* (
  database: DatabaseShape,
  chainId: ChainId,
): Effect.fn.Return<Session, RebuildFailed, Scope.Scope> {
  return yield* Effect.acquireRelease(
    attempt("asking for the chain", () => openClaimed(database, chainId)),
    (it) => Effect.promise(() => it.close()),
  )
})

const openClaimed = async (database: DatabaseShape, chainId: ChainId): Promise<Session> => {
  const session = await openSession(database, database.schema)
  try {
    if (await tryLock(session, claimName(database, chainId))) return session
    throw new RebuildFailed({
      message: `another cowry add, cowry resync or cowry drop is at work on chain ${chainId}`,
    })
  } catch (cause) {
    await session.close()
    throw cause
  }
}

/**
 * The same for whoever builds for days: where the session ends, as a server that is started anew ends it, the chain is
 * claimed again beside all else, until it is or the scope ends. Gives the session that has the claim.
 */
export const keepClaim = Effect.fn("keepClaim")(function* (
  database: DatabaseShape,
  chainId: ChainId,
): Effect.fn.Return<Effect.Effect<Session, RebuildFailed>, RebuildFailed, Scope.Scope> {
  const scope = yield* Effect.scope
  const turns = yield* Semaphore.make(1)
  let session = yield* claimChain(database, chainId)
  const claim = Effect.gen(function* () {
    if (session.failure() !== undefined) session = yield* claimChain(database, chainId)
    return session
  }).pipe(Effect.provideService(Scope.Scope, scope), turns.withPermit)
  const ended = Effect.promise(() => session.beside(new Promise<void>(() => {})).catch(() => {}))
  const claimAgain = Effect.retry(claim, backoffSchedule(waits))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(ended, claimAgain)))
  return claim
})

/** Whether the session has the advisory lock of this name now; it keeps it until it ends. */
export const tryLock = async (session: Session, name: string): Promise<boolean> => {
  const [row] = await session.run(
    (sql) => sql<[{ taken: boolean }]>`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as taken`,
  )
  return row.taken
}
