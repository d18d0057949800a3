/** What is different on a server that lays schemas on workers (Citus, sharding by schema): said once, decided by what the server is. */
import type postgres from "postgres"

/** Whether schemas may lie on other servers than the one that is spoken to: no statement may then be about two of them. */
export const isDistributed = async (sql: postgres.Sql | postgres.TransactionSql): Promise<boolean> =>
  (await sql<[{ distributed: boolean }]>`select (${selectDistributed(sql)}) as distributed`)[0].distributed

/** The same, a scalar. */
export const selectDistributed = (sql: postgres.Sql | postgres.TransactionSql): postgres.Fragment =>
  sql`select exists (select from pg_extension where extname = 'citus')`

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

/** What a statement's end must not be looked for in: comments, texts, names, bodies of functions. */
const opaque = /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$[a-z_]*\$)[\s\S]*?\1/iy

/** In order, without the semicolons and what is nothing but comments. Block comments and `E'…'` with `\'` are not known. */
export const statementsOf = (script: string): ReadonlyArray<string> => {
  const statements: Array<string> = []
  let start = 0
  let at = 0
  const end = () => {
    const statement = script.slice(start, at).trim()
    if (statement.replace(/--[^\n]*/g, "").trim() !== "") statements.push(statement)
  }
  while (at < script.length) {
    opaque.lastIndex = at
    const passed = opaque.exec(script)
    if (passed !== null) {
      at = opaque.lastIndex
      continue
    }
    if (script[at] === ";") {
      end()
      start = at + 1
    }
    at++
  }
  end()
  return statements
}
