/** The schemas of a chain beside its own: the one that is being built, and the one that was replaced. */
import type { ChainId } from "../../../model/primitives.ts"
import type { DatabaseShape } from "./Database.ts"

/** Where a ledger is built that shall take the place of the chain's. */
export const nextSchema = (database: DatabaseShape, chainId: ChainId): string => `${database.chainSchema(chainId)}_next`

/** Where the replaced ledger lies until it is removed. Nobody reads it. */
export const oldSchema = (database: DatabaseShape, chainId: ChainId): string => `${database.chainSchema(chainId)}_old`

/** Where a ledger in this schema is loaded in bulk, to take its place. Nobody reads it. */
export const bulkSchema = (schema: string): string => `${schema}_bulk`

/** Those of the chain that are there. */
export const listSchemas = async (database: DatabaseShape, chainId: ChainId): Promise<ReadonlySet<string>> => {
  const [stored, next] = [database.chainSchema(chainId), nextSchema(database, chainId)]
  const names = [stored, bulkSchema(stored), next, bulkSchema(next), oldSchema(database, chainId)]
  const found = await database.sql<Array<{ nspname: string }>>`
    select nspname from pg_namespace where nspname = any(${names}::text[])`
  return new Set(found.map(({ nspname }) => nspname))
}

/** Removes a schema that nobody reads; whoever else does so at the same time may be first. */
export const removeSchema = async (database: DatabaseShape, schema: string): Promise<void> => {
  const isThere = async () => (await database.sql`select from pg_namespace where nspname = ${schema}`).length > 0
  if (!(await isThere())) return
  try {
    await database.sql`drop schema ${database.sql(schema)} cascade`
  } catch (cause) {
    if (await isThere()) throw cause
  }
}

/**
 * Removes a ledger that nobody reads, and its load, unless a writer has it: then false. The claim on the chain does not tell of
 * a writer for sure: it lives in a session of its own.
 */
export const removeUnwritten = (database: DatabaseShape, schema: string): Promise<boolean> =>
  database.sql.begin(async (tx) => {
    const [writer] = await tx<[{ gone: boolean }]>`
      select pg_try_advisory_xact_lock(hashtextextended(${schema}, 0)) as gone`
    if (!writer.gone) return false
    for (const each of [bulkSchema(schema), schema]) await tx`drop schema if exists ${tx(each)} cascade`
    return true
  })

/** Name of the advisory lock of whoever works on the chain's schemas. */
export const claimName = (database: DatabaseShape, chainId: ChainId): string =>
  `rebuild ${database.chainSchema(chainId)}`

/** Removes the replaced ledger that a killed command left; never waits for one that is about to. Whether none is left. */
export const removeLeftOver = async (database: DatabaseShape, chainId: ChainId): Promise<boolean> => {
  const old = oldSchema(database, chainId)
  if (!(await listSchemas(database, chainId)).has(old)) return true
  return database.sql.begin(async (tx) => {
    const [claim] = await tx<[{ free: boolean }]>`
      select pg_try_advisory_xact_lock(hashtextextended(${claimName(database, chainId)}, 0)) as free`
    if (claim.free) await tx`drop schema if exists ${tx(old)} cascade`
    return claim.free
  })
}

/** Whether a ledger that was begun beside the chain's lies there, and no command is at work on the chain: none has the claim, and none writes. */
export const isNextLeft = async (database: DatabaseShape, chainId: ChainId): Promise<boolean> => {
  const next = nextSchema(database, chainId)
  const there = await listSchemas(database, chainId)
  if (!there.has(next) && !there.has(bulkSchema(next))) return false
  return database.sql.begin(async (tx) => {
    const [claim] = await tx<[{ free: boolean }]>`
      select pg_try_advisory_xact_lock(hashtextextended(${claimName(database, chainId)}, 0))
        and pg_try_advisory_xact_lock(hashtextextended(${next}, 0)) as free`
    return claim.free
  })
}
