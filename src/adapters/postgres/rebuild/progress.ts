/** How far a ledger beside the stored one has come. */
import type { Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { bulkSchema, listSchemas, nextSchema, removeUnwritten } from "../database/schemas.ts"
import { attempt, RebuildFailed } from "./claim.ts"

export interface Progress {
  /** Newest block of the ledger that answers; absent = it has none, or there is no such ledger. */
  readonly stored?: number
  /** Newest block of the one that is being built; absent = it has none, or there is no such ledger. */
  readonly next?: number
}

/** Of both ledgers. */
export const progressOf = (database: DatabaseShape, chainId: ChainId): Effect.Effect<Progress, RebuildFailed> =>
  attempt("looking at the chain", async () => {
    const { sql } = database
    const there = await listSchemas(database, chainId)
    const newest = async (schema: string) => {
      const [table] = await sql`select from pg_tables where schemaname = ${schema} and tablename = 'state'`
      if (!there.has(schema) || table === undefined) return undefined
      const rows = await sql<Array<{ block: number }>>`
        select next_block - 1 as block from ${sql(`${schema}.state`)} where head_hash is not null`
      return rows[0]?.block
    }
    const [stored, next] = [await newest(database.chainSchema(chainId)), await newest(nextSchema(database, chainId))]
    return { ...(stored === undefined ? {} : { stored }), ...(next === undefined ? {} : { next }) }
  })

/** Whether every token of what is being built has been asked for its name. */
export const isDescribed = (database: DatabaseShape, chainId: ChainId): Effect.Effect<boolean, RebuildFailed> =>
  attempt("looking at the chain", async () => {
    const { sql } = database
    const left = await sql`
      select from ${sql(`${nextSchema(database, chainId)}.token`)} where not described order by first_pos limit 1`
    return left.length === 0
  })

/** Removes what was built and has not taken its place; false = there was nothing. Under the claim on the chain. Refuses while somebody writes it. */
export const forgetNext = (database: DatabaseShape, chainId: ChainId): Effect.Effect<boolean, RebuildFailed> =>
  attempt("removing what was built", async () => {
    const next = nextSchema(database, chainId)
    const there = await listSchemas(database, chainId)
    if (!there.has(next) && !there.has(bulkSchema(next))) return false
    if (await removeUnwritten(database, next)) return true
    throw new RebuildFailed({
      message: `chain ${chainId}: what is built beside it is being written, by a cowry add or cowry resync that is at work on it, or was killed a moment ago: end that one, then run the command again`,
    })
  })
