/** What the registry holds of a chain beside its row: one that is begun anew may have the same transactions in other blocks. */
import type { ChainId } from "../../../model/primitives.ts"
import type { DatabaseShape } from "../database/Database.ts"
import type { Session } from "../ledger/wire/session.ts"

/** `kept_transaction`: what its node told of transactions. `wanted_code`: accounts that its node is to be asked about. */
export type KeptTable = "kept_transaction" | "wanted_code"

/**
 * Takes part in the transaction of the session. Done once before that too, there are only few rows left of perhaps a million, so
 * that nobody waits for it. Where the rest does not come to pass nothing is lost: it is asked for again.
 */
export const forget = async (
  { schema }: DatabaseShape,
  session: Session,
  chainId: ChainId,
  tables: ReadonlyArray<KeptTable>,
): Promise<void> => {
  for (const table of tables)
    await session.run((sql) => sql`delete from ${sql(`${schema}.${table}`)} where chain_id = ${chainId}`)
}
