/** What became of a swap whose end nobody heard of: its connection may be lost after the commit was sent. */
import { Duration, Effect } from "effect"
import { messageOf } from "../../../model/outside/cause.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { nextSchema } from "../database/schemas.ts"
import { RebuildFailed } from "./claim.ts"

/** A server needs its seconds to start anew, and a commit that waits for a standby may take as long. */
const limits = { longest: Duration.minutes(1), between: Duration.seconds(1) }

/** Succeeds where the swap came about. Fails as `failed` where it did not, and in words of its own where that is not known. */
export const confirmSwapped = Effect.fnUntraced(function* (
  database: DatabaseShape,
  chainId: ChainId,
  failed: RebuildFailed,
  { longest, between } = limits,
) {
  const next = nextSchema(database, chainId)
  let why = "the database has not answered since"
  const look = Effect.gen(function* () {
    while (true) {
      const found = yield* Effect.catch(outcome(database, next), (error) => {
        const said = error._tag === "StoreUnavailable" ? messageOf(error.cause) : error.message
        why = `the database has not answered since (${said})`
        return Effect.undefined
      })
      if (found === "swapped" || found === "not swapped") return found
      if (found === "open") why = "the database is still at work on it"
      yield* Effect.sleep(between)
    }
  })
  const found = yield* Effect.timeoutOrElse(look, { duration: longest, orElse: () => Effect.undefined })
  if (found === "swapped") return
  if (found === "not swapped") return yield* failed
  return yield* new RebuildFailed({
    message: `chain ${chainId}: whether the new ledger has taken its place is not known: ${messageOf(failed.cause)}, and ${why}. The database says so once it answers: while it has the schema ${next}, the new ledger has not: run the command again, which goes on with what is built. Without it the new ledger answers, and nothing is left to do`,
    cause: failed.cause,
  })
})

/** The swap has the lock of the new ledger until its transaction is over. Two statements: what is looked at is of after that. */
const outcome = (database: DatabaseShape, next: string) =>
  database.transact(async (tx, run) => {
    const [lock] = await run(
      tx<[{ free: boolean }]>`select pg_try_advisory_xact_lock(hashtextextended(${next}, 0)) as free`,
    )
    const there = await run(tx`select from pg_namespace where nspname = ${next}`)
    if (there.length === 0) return "swapped" as const
    return lock.free ? ("not swapped" as const) : ("open" as const)
  })
