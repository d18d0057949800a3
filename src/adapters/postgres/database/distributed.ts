/** What is different on a server that lays schemas on workers (Citus, sharding by schema): said once, decided by what the server is. */
import type postgres from "postgres"

/** Whether schemas may lie on other servers than the one that is spoken to: no statement may then be about two of them. */
export const isDistributed = async (sql: Pick<postgres.Sql, "unsafe">): Promise<boolean> =>
  (await sql.unsafe("select from pg_extension where extname = 'citus'")).length > 0

/**
 * Statements that such a server refuses, and that nothing is lost by:
 *
 * - the triggers of migration 008 and their function, which 019 removes: a released file is never edited, so both are
 *   passed over
 * - how a load's runs are stored, which only makes them faster to read
 */
const passedOver = [
  /^(?:create|drop) (?:function(?: if exists)? count_audits|trigger(?: if exists)? token_audit_)/,
  /^alter table bulk_run alter data set storage plain$/,
]

export const runsDistributed = (statement: string): boolean => {
  const words = statement.replace(/^(?:--[^\n]*\s+)*/, "")
  return !passedOver.some((it) => it.test(words))
}
