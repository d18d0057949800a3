/** The Ledger port for a ledger that is built beside the stored one, to take its place. */
import { Effect, Layer } from "effect"
import { Ledger, LedgerRefused, type LedgerSettings } from "../../../ports/Ledger.ts"
import { Database, type DatabaseShape } from "../database/Database.ts"
import { checkLedger, makeState, migrateLedger } from "../database/registry.ts"
import { nextSchema, removeUnwritten } from "../database/schemas.ts"
import { makeLedger } from "../ledger/PostgresLedger.ts"
import type { WriterLimits } from "../ledger/writerState.ts"
import { carryNotes } from "./carryOver.ts"

/** Goes on with what an earlier run has built, or begins anew where that was made with yet other settings. */
export const layer = (limits: Partial<WriterLimits>): Layer.Layer<Ledger, never, Database> =>
  Layer.effect(
    Ledger,
    Effect.map(Database, (database) =>
      Ledger.of(
        makeLedger({ ...database, chainSchema: (id) => nextSchema(database, id) }, limits, (beside, settings) =>
          register(beside, settings, database.chainSchema(settings.chainId)),
        ),
      ),
    ),
  )

/** Not in the registry: there stands the ledger that answers, in the schema `stored`. */
const register = async (database: DatabaseShape, settings: LedgerSettings, stored: string): Promise<void> => {
  const make = async () => {
    await migrateLedger(database, settings)
    await carryNotes(database, stored, database.chainSchema(settings.chainId))
    await makeState(database, settings)
    await checkLedger(database, settings)
  }
  try {
    await make()
  } catch (cause) {
    if (!(cause instanceof LedgerRefused)) throw cause
    if (!(await removeUnwritten(database, database.chainSchema(settings.chainId)))) throw written(settings)
    await make()
  }
}

const written = ({ chainId }: LedgerSettings): LedgerRefused =>
  new LedgerRefused({
    message: `chain ${chainId}: a ledger with other settings is being written beside it, by a cowry add or cowry resync that is at work on it, or was killed a moment ago: end that one, then run the command again`,
  })
