/** Removes a chain: its schema, its rows in the registry, and what was being built or was replaced beside it. */
import { Effect } from "effect"
import { type ChainId, compareChainIds } from "../../../model/primitives.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { isDistributed } from "../database/distributed.ts"
import { listSchemas, nextSchema } from "../database/schemas.ts"
import type { Session } from "../ledger/wire/session.ts"
import { attempt, RebuildFailed, tryLock } from "./claim.ts"
import { exclusively } from "./exclusively.ts"
import { forget, type KeptTable } from "./forget.ts"

const keptTables: ReadonlyArray<KeptTable> = ["kept_transaction", "wanted_code"]

/** Chains that the database knows, ascending. */
export const listChains = (database: DatabaseShape): Effect.Effect<ReadonlyArray<ChainId>, RebuildFailed> =>
  attempt("reading the registry", async () => {
    const { sql, schema } = database
    const rows = await sql<Array<{ chain_id: ChainId }>>`select chain_id from ${sql(`${schema}.chain`)}`
    return rows.map(({ chain_id }) => chain_id).sort(compareChainIds)
  })

/** Bytes on disk of all that would be removed; undefined = there is nothing. */
export const sizeOf = (database: DatabaseShape, chainId: ChainId): Effect.Effect<number | undefined, RebuildFailed> =>
  attempt("looking at the chain", async () => {
    const { sql, schema } = database
    const schemas = [...(await listSchemas(database, chainId))]
    const registered = await sql`select from ${sql(`${schema}.chain`)} where chain_id = ${chainId}`
    if (schemas.length === 0 && registered.length === 0) return undefined
    // What lies on a worker has no size here: there the server is asked for it.
    const size = (await isDistributed(sql))
      ? sql`case when exists (select from pg_dist_partition p where p.logicalrelid = c.oid)
          then citus_total_relation_size(c.oid) else pg_total_relation_size(c.oid) end`
      : sql`pg_total_relation_size(c.oid)`
    const [{ bytes }] = await sql<[{ bytes: number }]>`
      select coalesce(sum(${size}), 0)::int8 as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any(${schemas}::text[]) and c.relkind = 'r'`
    return bytes
  })

/** Refuses while a writer has the chain; else `session` keeps every writer out until it ends. */
export const keepWritersOut = Effect.fn("keepWritersOut")(function* (
  database: DatabaseShape,
  session: Session,
  chainId: ChainId,
) {
  for (const schema of [database.chainSchema(chainId), nextSchema(database, chainId)]) {
    if (yield* attempt("asking for the chain", () => tryLock(session, schema))) continue
    return yield* new RebuildFailed({
      message: `chain ${chainId} is being written: stop the service that follows it, or start that one without RPC_URL_${chainId}; then run the command again`,
    })
  }
})

/** All of it in one transaction, but for most of what is forgotten. */
export const dropChain = Effect.fn("dropChain")(function* (
  database: DatabaseShape,
  session: Session,
  chainId: ChainId,
  onWait: () => void,
) {
  const schemas = [...(yield* attempt("looking at the chain", () => listSchemas(database, chainId)))]
  const forgetKept = () => forget(database, session, chainId, keptTables)
  const remove = async (): Promise<true> => {
    for (const schema of schemas) await session.run((sql) => sql`drop schema if exists ${sql(schema)} cascade`)
    await session.run((sql) => sql`delete from ${sql(`${database.schema}.chain`)} where chain_id = ${chainId}`)
    await forgetKept()
    return true
  }
  yield* attempt("forgetting what is kept of the chain", forgetKept)
  yield* exclusively(session, schemas, remove, onWait)
})
