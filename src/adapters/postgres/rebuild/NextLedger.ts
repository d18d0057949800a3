/** The Ledger port for a ledger that is built beside the stored one, to take its place. */
import { Effect, Layer } from "effect"
import { Ledger, LedgerRefused, type LedgerSettings } from "../../../ports/Ledger.ts"
import { Database, type DatabaseShape } from "../database/Database.ts"
import { ledgerVersion } from "../database/ledgerSettings.ts"
import { checkLedger, makeState, migrateLedger, newerVersion } from "../database/registry.ts"
import { nextSchema, removeUnwritten } from "../database/schemas.ts"
import { makeLedger } from "../ledger/PostgresLedger.ts"
import type { WriterLimits } from "../ledger/writerState.ts"
import { carryNotes } from "./carryNotes.ts"

/** Goes on with what an earlier run has built, or begins anew where that was made with yet other settings or by an older version. */
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

/** Not in the registry: there stands the ledger that answers, in the schema `stored`. What a newer version has built is its own: days may lie in it. */
const register = async (database: DatabaseShape, settings: LedgerSettings, stored: string): Promise<void> => {
  const schema = database.chainSchema(settings.chainId)
  const make = async () => {
    await migrateLedger(database, settings, beginAnew)
    await carryNotes(database, stored, schema)
    await makeState(database, settings)
  }
  const newer = await newerVersion(database, settings)
  if (newer !== undefined) throw ofNewer(settings, newer)
  await make()
  try {
    await checkLedger(database, settings)
  } catch (cause) {
    if (!(cause instanceof LedgerRefused)) throw cause
    if (!(await removeUnwritten(database, schema))) throw written(settings)
    await make()
    await checkLedger(database, settings)
  }
}

const beginAnew = "begin anew: run this command with --anew, which removes what an earlier run has built"

const ofNewer = ({ chainId }: LedgerSettings, version: number): LedgerRefused =>
  new LedgerRefused({
    message: `what an earlier run has built of chain ${chainId} was made by version ${version} of the ledger, this is version ${ledgerVersion}, an older one. Run the newer version again, or ${beginAnew}`,
  })

const written = ({ chainId }: LedgerSettings): LedgerRefused =>
  new LedgerRefused({
    message: `chain ${chainId}: a ledger with other settings is being written beside it, by a cowry add or cowry resync that is at work on it, or was killed a moment ago: end that one, then run the command again`,
  })
