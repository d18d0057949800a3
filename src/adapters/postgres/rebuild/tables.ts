/** Which version's tables the stored ledger has: a command reads them as they are, whoever made them. */

import type { DatabaseShape } from "../database/Database.ts"

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
