/** What every statement must hold so that a distributed server can run it: read off its text. */
import { runsDistributed, statementsOf } from "../../../src/adapters/postgres/database/distributed.ts"

/** Schemas that every server has for itself. */
const everywhere = /^(?:pg_catalog|information_schema|pg_temp)$/

/** A statement without its texts and comments: what is left are words, names and marks. */
const bare = (statement: string): string =>
  statement
    .replace(/--[^\n]*/g, " ")
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\s+/g, " ")
    .trim()

/** Schemas that are named in front of a table: `"cowry_1"."token"`. */
const schemasOf = (words: string): ReadonlySet<string> =>
  new Set(
    [...words.matchAll(/"([a-z0-9_]+)"\."[a-z0-9_]+"/g)]
      .map(([, schema]) => schema!)
      .filter((it) => !everywhere.test(it)),
  )

/** Tables of a session's own, which lie where it does. */
const temporary =
  /^(?:changed|changed_nft|changed_unit|(?:pair|unit)_(?:change|version|known)|healed_(?:pair|unit)|merged|folded|bulk_(?:owner|unit|unit_version|version))$/

/** The table that an insert names, and what follows its columns. */
const insertion = /\binsert into (?:"[a-z0-9_]+"\.)?"?([a-z0-9_]+)"?(.*)$/i

/** A plan for any values, which readers' sessions keep, cannot be made of a write that calls one of these. */
const writing = /^(?:with\b.*)?\b(?:update|delete from|insert into)\b/i
const volatileCall = /\b(?:clock_timestamp|timeofday|random|gen_random_uuid|nextval)\(/i

/** Tables that a query reads, functions left out. */
const readsTable = (query: string): boolean => {
  const sources = [...query.matchAll(/\b(?:from|join) (?:lateral )?([a-z_"][a-z0-9_".]*)( ?\()?/gi)]
  return sources.some(([, name, call]) => call === undefined && !/^(?:unnest|select)$/i.test(name!))
}

/** Each rule that the text breaks, in words; none = it may be sent to any server. */
export const faultsOf = (sent: string): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const statements = statementsOf(sent)
  if (statements.length > 1) faults.push("several statements in one send")
  for (const statement of statements) {
    const words = bare(statement)
    if (schemasOf(words).size > 1) faults.push(`tables of several schemas: ${[...schemasOf(words)].join(", ")}`)
    if (/\bcreate (?:constraint )?trigger\b/i.test(words)) faults.push("a trigger")
    if (/^with\b.*\binsert into\b/i.test(words) && /\( ?insert into\b/i.test(words))
      faults.push("an insert inside a CTE")
    if (writing.test(words) && volatileCall.test(words)) faults.push("a volatile function in a write")
    const [, table, rest = ""] = insertion.exec(words) ?? []
    const query = /\bselect\b.*$/i.exec(rest.replace(/\bon conflict\b.*$/i, ""))?.[0]
    if (table === undefined || query === undefined || temporary.test(table)) continue
    if (/\$\d/.test(query) && readsTable(query))
      faults.push(`a parameterised insert into ${table} that selects from a table`)
  }
  return faults
}

/** Hears statements, and tells the faults of all that were heard, but for those that no distributed server is sent. */
export const hearStatements = () => {
  const heard = new Set<string>()
  return {
    observe: (statement: string): void => {
      heard.add(statement)
    },
    count: (): number => heard.size,
    faults: (): ReadonlyArray<string> =>
      [...heard]
        .filter(runsDistributed)
        .flatMap((statement) => faultsOf(statement).map((fault) => `${fault}: ${bare(statement).slice(0, 400)}`)),
  }
}
