/** Which version's tables the stored ledger has: a command reads them as they are, whoever made them. */

import type { DatabaseShape } from "../database/Database.ts"
import { ledgerMigrations } from "../database/migrate.ts"
import { RebuildFailed } from "./claim.ts"

/** An older version's table may lack it. */
export const hasColumn = async (
  { sql }: DatabaseShape,
  schema: string,
  table: string,
  column: string,
): Promise<boolean> => {
  const found = await sql`
    select from information_schema.columns
    where table_schema = ${schema} and table_name = ${table} and column_name = ${column}`
  return found.length > 0
}

/** Fails where another version's tables are there, by their journal: rows of this version's do not go into them. */
export const refuseOtherTables = async ({ sql }: DatabaseShape, schema: string): Promise<void> => {
  const rows = await sql<Array<{ file: string }>>`select file from ${sql(`${schema}.migration`)}`
  const applied = rows.map(({ file }) => file)
  if (applied.some((file) => !ledgerMigrations.includes(file)))
    throw new RebuildFailed({
      message: "the stored ledger has the tables of a newer version: run the command of that version",
    })
  if (ledgerMigrations.some((file) => !applied.includes(file)))
    throw new RebuildFailed({
      message:
        "the stored ledger has the tables of an older version: start a service of this version once, which brings them up to date, then run the command again",
    })
}
