/** Puts the ledger that was built beside the stored one in its place. */
import { Effect, Result } from "effect"
import type { ChainId, Hash } from "../../../model/primitives.ts"
import type { LedgerSettings } from "../../../ports/Ledger.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { canonical, digestOf, ledgerVersion } from "../database/ledgerSettings.ts"
import { bulkSchema, listSchemas, nextSchema, oldSchema, removeSchema } from "../database/schemas.ts"
import { leap } from "../ledger/state/leap.ts"
import type { Session } from "../ledger/wire/session.ts"
import { carryLastNotes, carryNotesAgain } from "./carryNotes.ts"
import { attempt } from "./claim.ts"
import { exclusively } from "./exclusively.ts"
import { forget } from "./forget.ts"
import { confirmSwapped } from "./swapOutcome.ts"
import { hasColumn } from "./tables.ts"

/**
 * In one transaction, while nobody is in the stored ledger's tables: what token lists say by now goes over, it is renamed
 * away, the new one gets its name, the registry its genesis block; what is kept of its transactions is forgotten. Then what was replaced is removed, in a
 * transaction of its own: killed between the two, or where that fails, whoever has the chain's ledger open removes it, or the
 * next start. `onSwapped` hears that the new ledger answers. Returns why what it replaced could not be removed. The new ledger
 * must have no writer.
 */
export const swapIn = Effect.fn("swapIn")(function* (
  database: DatabaseShape,
  session: Session,
  chainId: ChainId,
  onWait: () => void,
  onSwapped: () => void = () => {},
) {
  const names = {
    live: database.chainSchema(chainId),
    next: nextSchema(database, chainId),
    old: oldSchema(database, chainId),
  }
  yield* removeReplaced(database, chainId)
  yield* attempt("preparing the new ledger", () => leapAhead(database, chainId, names))
  const hasNotes = yield* attempt("carrying over what token lists say", () =>
    carryNotesAgain(database, names.live, names.next),
  )
  yield* attempt("forgetting what is kept of the chain", () => forgetTransactions(database, session, chainId))
  yield* exclusively(
    session,
    [names.live],
    () => rename(database, session, chainId, names, hasNotes),
    onWait,
    onSwapped,
  ).pipe(
    // Its connection may be lost after the commit, before anybody hears of it.
    Effect.catch((failed) => Effect.andThen(confirmSwapped(database, chainId, failed), () => Effect.sync(onSwapped))),
  )
  const removed = yield* Effect.result(attempt("removing what was replaced", () => removeSchema(database, names.old)))
  return Result.isFailure(removed) ? String(removed.failure.cause) : undefined
})

/**
 * Removes what an earlier swap replaced, and left. Whether that swap was all that is wanted now: nothing was begun since, and the
 * ledger that answers has these settings.
 */
export const finishEarlier = (
  database: DatabaseShape,
  chainId: ChainId,
  settingsOf: (genesisHash: Hash) => LedgerSettings,
) =>
  attempt("removing what was replaced before", async () => {
    const there = await listSchemas(database, chainId)
    const [live, next, old] = [
      database.chainSchema(chainId),
      nextSchema(database, chainId),
      oldSchema(database, chainId),
    ]
    await removeSchema(database, old)
    if (!there.has(old) || !there.has(live) || there.has(next) || there.has(bulkSchema(next))) return false
    const [row] = await database.sql<Array<{ version: number; digest: string; genesis: Hash }>>`
      select ledger_version as version, settings_digest as digest, settings::jsonb ->> 'genesisHash' as genesis
      from ${database.sql(`${live}.state`)}`
    return row?.version === ledgerVersion && row.digest === digestOf(canonical(settingsOf(row.genesis)))
  })

/** What an earlier swap replaced, and left. While it cannot be removed nothing can take the stored ledger's place. */
const removeReplaced = (database: DatabaseShape, chainId: ChainId) =>
  attempt("removing what was replaced before", () => removeSchema(database, oldSchema(database, chainId)))

/** They may be in other blocks of the new ledger. */
const forgetTransactions = (database: DatabaseShape, session: Session, chainId: ChainId): Promise<void> =>
  forget(database, session, chainId, ["kept_transaction"])

interface Names {
  readonly live: string
  readonly next: string
  readonly old: string
}

/**
 * No writer of the old ledger expects the new one's epoch, so its next commit fails; and no answer of the new one has the
 * revision of an old answer. No walk as of a block goes on over the swap, since any figure may be another: rollbacks are
 * numbered on, behind one that took back everything. In transactions before the swap: a reader's snapshot may be a little older
 * than that.
 */
const leapAhead = async (database: DatabaseShape, chainId: ChainId, names: Names): Promise<void> => {
  const { sql } = database
  const isThere = (await listSchemas(database, chainId)).has(names.live)
  const moves = isThere ? await storedMoves(database, names.live) : undefined
  const { epoch = 0, revision = 0, learned = 0, appended = 0 } = moves ?? {}
  await sql`
    update ${sql(`${names.next}.state`)} set
      epoch = greatest(epoch, ${epoch}::int8) + ${leap}, revision = greatest(revision, ${revision}::int8) + ${leap},
      learned = ${learned}, appended = ${appended}`
  const last = Math.max(
    await lastRollback(database, names.next),
    isThere ? await lastRollback(database, names.live) : 0,
  )
  await sql`insert into ${sql(`${names.next}.rollback`)} (rollback_no, from_block) values (${last + leap}, 0)`
}

interface Moves {
  readonly epoch: number
  readonly revision: number
  readonly learned?: number
  readonly appended?: number
}

/** Where nobody has brought the stored ledger's tables up to date, an older version's do not count all of them. */
const storedMoves = async (database: DatabaseShape, schema: string): Promise<Moves | undefined> => {
  const { sql } = database
  const columns = ["epoch", "revision"]
  for (const column of ["learned", "appended"])
    if (await hasColumn(database, schema, "state", column)) columns.push(column)
  const [moves] = await sql<Array<Moves>>`select ${sql(columns)} from ${sql(`${schema}.state`)}`
  return moves
}

/** An older version's ledger may not number them. */
const lastRollback = async (database: DatabaseShape, schema: string): Promise<number> => {
  if (!(await hasColumn(database, schema, "rollback", "rollback_no"))) return 0
  const [row] = await database.sql<[{ last: number }]>`
    select coalesce(max(rollback_no), 0) as last from ${database.sql(`${schema}.rollback`)}`
  return row.last
}

/** Undefined while a writer has the new ledger. */
const rename = async (
  database: DatabaseShape,
  session: Session,
  chainId: ChainId,
  { live, next, old }: Names,
  hasNotes: boolean,
): Promise<true | undefined> => {
  const [free] = await session.run(
    (sql) => sql<[{ taken: boolean }]>`select pg_try_advisory_xact_lock(hashtextextended(${next}, 0)) as taken`,
  )
  if (!free.taken) return undefined
  if (hasNotes) await session.run((sql) => carryLastNotes(sql, live, next))
  const [stored] = await session.run((sql) => sql`select from pg_namespace where nspname = ${live}`)
  if (stored !== undefined) await session.run((sql) => sql`alter schema ${sql(live)} rename to ${sql(old)}`)
  await session.run((sql) => sql`alter schema ${sql(next)} rename to ${sql(live)}`)
  const [{ genesis }] = await session.run(
    (sql) =>
      sql<[{ genesis: string }]>`select settings::jsonb ->> 'genesisHash' as genesis from ${sql(`${live}.state`)}`,
  )
  await session.run(
    (sql) => sql`
      insert into ${sql(`${database.schema}.chain`)} (chain_id, schema_name, genesis_hash)
      values (${chainId}, ${live}, ${genesis})
      on conflict (chain_id) do update set genesis_hash = excluded.genesis_hash`,
  )
  await forgetTransactions(database, session, chainId)
  return true
}
