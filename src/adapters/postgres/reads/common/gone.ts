/** A read that found its chain gone: it was dropped since. */
import { Effect } from "effect"
import type { StoreError } from "../../../../model/errors.ts"
import type { DatabaseShape } from "../../database/Database.ts"

/** undefined_table, invalid_schema_name */
export const isGone = (error: StoreError): boolean =>
  error._tag === "StoreUnavailable" &&
  ["42P01", "3F000"].includes((error.cause as { readonly code?: string })?.code ?? "")

/** The same database; `forget` is called where a read of it found a chain gone. */
export const noticing = (database: DatabaseShape, forget: () => void): DatabaseShape => {
  const { query, snapshot, probes, wide } = database
  const noticed = <A>(read: Effect.Effect<A, StoreError>) =>
    Effect.tapError(read, (error) => Effect.sync(() => isGone(error) && forget()))
  return {
    ...database,
    query: (statement) => noticed(query(statement)),
    snapshot: (body) => noticed(snapshot(body)),
    wide: { snapshot: (body) => noticed(wide.snapshot(body)) },
    probes: { ...probes, query: (statement) => noticed(probes.query(statement)) },
  }
}
