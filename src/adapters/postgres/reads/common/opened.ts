/** Which chains have a ledger that can be read: asked once, until a statement finds one gone. */
import { Effect } from "effect"
import type { ChainId } from "../../../../model/primitives.ts"
import { type ChainSql, chainSqlOf } from "../../database/chainSql.ts"
import type { DatabaseShape } from "../../database/Database.ts"
import { noticing } from "./gone.ts"

/** `database`: to be read through, so that a chain that was dropped is noticed. */
export const makeOpened = (under: DatabaseShape) => {
  // Positive answers only: a chain that is not there yet may come any time. One that was dropped shows by its statements.
  const known = new Map<ChainId, ChainSql>()
  const database = noticing(under, () => known.clear())
  /** Those of the chains that have been opened once, as asked over `by`. */
  const openedBy = Effect.fnUntraced(function* (by: DatabaseShape["probes"], chains: ReadonlyArray<ChainId>) {
    const unknown = chains.filter((chain) => !known.has(chain))
    if (unknown.length > 0) {
      const schemas = unknown.map((chain) => database.chainSchema(chain))
      const found = yield* by.query(
        () => by.sql<Array<{ schemaname: string }>>`
          select schemaname from pg_tables where schemaname = any(${schemas}::text[]) and tablename = 'state'`,
      )
      const there = new Set(found.map((row) => row.schemaname))
      for (const chain of unknown) {
        const schema = database.chainSchema(chain)
        if (there.has(schema)) known.set(chain, chainSqlOf(database.sql, chain, schema))
      }
    }
    return chains.flatMap((chain) => known.get(chain) ?? [])
  })
  return { database, openedBy }
}
