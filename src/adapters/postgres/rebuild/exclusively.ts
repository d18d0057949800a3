/** Changes whole schemas while nobody is in them: in one transaction, without readers that see half of it. */
import { Effect } from "effect"
import { type Backoff, sleepBackoff } from "../../../model/time/backoff.ts"
import { idleLimit } from "../database/client.ts"
import { isTaken, listTables, lockTables } from "../database/locks/lockTables.ts"
import { type Session, transaction } from "../ledger/wire/session.ts"
import { attempt } from "./claim.ts"

const waits: Backoff = { firstMs: 100, capMs: 2000 }

/**
 * Runs `change` in a transaction that has every table of `schemas` for itself, so that no transaction of others straddles
 * it. Tries until it has: whoever is in the tables now ends first. Where `change` gives undefined it may not go on yet: all is
 * taken back and tried again. `onWait` hears of each vain try, `onDone` of the commit, whoever ends the command meanwhile.
 */
export const exclusively = Effect.fn("exclusively")(function* <A>(
  session: Session,
  schemas: ReadonlyArray<string>,
  change: () => Promise<A | undefined>,
  onWait: () => void,
  onDone: () => void = () => {},
) {
  for (let tries = 0; ; tries++) {
    const done = yield* Effect.uninterruptible(
      Effect.tap(
        attempt("changing the chain's schemas", () => tryExclusively(session, schemas, change)),
        (it) => Effect.sync(() => it !== undefined && onDone()),
      ),
    )
    if (done !== undefined) return done
    onWait()
    yield* sleepBackoff(waits, tries)
  }
})

class TakenByOthers extends Error {}

const tryExclusively = async <A>(
  session: Session,
  schemas: ReadonlyArray<string>,
  change: () => Promise<A | undefined>,
): Promise<A | undefined> => {
  try {
    return await transaction(session, async () => {
      await session.run((sql) => sql.unsafe(idleLimit()))
      for (const schema of schemas) {
        const tables = await session.run((sql) => listTables(sql, schema))
        await lockTables((statement) => session.run((sql) => sql.unsafe(statement)), tables)
      }
      const value = await change()
      if (value === undefined) throw new TakenByOthers()
      return value
    })
  } catch (cause) {
    if (cause instanceof TakenByOthers || isTaken(cause)) return undefined
    throw cause
  }
}
