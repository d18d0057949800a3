/** Tokens that are added to a ledger that keeps only some: what may be added, and how their ledger goes into the chain's own. */
import { Effect } from "effect"
import type { Address, ChainId, Hash } from "../../../model/primitives.ts"
import { type LedgerSettings, rebuildCommand } from "../../../ports/Ledger.ts"
import { idleLimit } from "../database/client.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { canonical, digestOf, ledgerVersion, type StoredSettings } from "../database/ledgerSettings.ts"
import { bulkSchema, nextSchema } from "../database/schemas.ts"
import { keepCorrection, notify } from "../ledger/state/corrections.ts"
import { numberRollback } from "../ledger/state/rollbacks.ts"
import type { Session } from "../ledger/wire/session.ts"
import { attempt, RebuildFailed } from "./claim.ts"
import { copyRows, countWindows, joinBlocks, type Merge, markTrusted, openPricedHours } from "./mergeTables.ts"
import { refuseOtherTables } from "./tables.ts"

/** What is to be added to which ledger. */
export interface Addition {
  readonly genesisHash: Hash
  /** The stored ledger's tokens. */
  readonly kept: ReadonlyArray<Address>
  /** Those that it lacks. */
  readonly added: ReadonlyArray<Address>
}

/** The newest block of a ledger. */
export interface Head {
  readonly number: number
  readonly hash: Hash
}

/**
 * Fails, and says why, where the stored ledger differs from the wanted one by more than tokens that it lacks. No tokens
 * `added` = it has all of them.
 */
export const findAddition = (
  database: DatabaseShape,
  chainId: ChainId,
  settingsOf: (genesisHash: Hash) => LedgerSettings,
): Effect.Effect<Addition, RebuildFailed> =>
  attempt("looking at the stored ledger", async () => {
    const refuse = (why: string): never => {
      throw new RebuildFailed({ message: `${why}: ${rebuildCommand(chainId)} builds the chain anew` })
    }
    if (database.distributed())
      return refuse("tokens are not added on a distributed server, where the two ledgers may lie on two workers")
    const { sql } = database
    const schema = database.chainSchema(chainId)
    const [table] = await sql`select from pg_tables where schemaname = ${schema} and tablename = 'state'`
    if (table === undefined)
      throw new RebuildFailed({ message: `nothing is stored of chain ${chainId}: start the service` })
    const [row] = await sql<[{ version: number; settings: string; empty: boolean }]>`
      select ledger_version as version, settings, head_hash is null as empty from ${sql(`${schema}.state`)}`
    if (row.version !== ledgerVersion) return refuse("the stored ledger was made by another version")
    const stored: StoredSettings = JSON.parse(row.settings)
    const wanted = canonical(settingsOf(stored.genesisHash))
    if (wanted.tokens === null) return refuse(`TOKENS_${chainId} is absent, which means every token`)
    if (stored.tokens === null) return refuse("the stored ledger has every token")
    const without = (settings: StoredSettings) => JSON.stringify({ ...settings, tokens: null })
    if (without(stored) !== without(wanted)) {
      return refuse(`other settings than TOKENS_${chainId} differ from those of the stored ledger`)
    }
    const left = stored.tokens.filter((token) => !wanted.tokens!.includes(token))
    if (left.length > 0) return refuse(`TOKENS_${chainId} lacks ${left[0]!}, which the stored ledger has`)
    if (row.empty) {
      throw new RebuildFailed({
        message: `the stored ledger of chain ${chainId} is empty: wait until its first sync is done`,
      })
    }
    await refuseOtherTables(database, schema)
    const added = wanted.tokens.filter((token) => !stored.tokens!.includes(token))
    return {
      genesisHash: stored.genesisHash,
      kept: stored.tokens as ReadonlyArray<Address>,
      added: added as Array<Address>,
    }
  })

/**
 * The newest block of the stored ledger, which moves no further until the session's transaction ends. Whoever keeps prices
 * takes their tables before `state`: so does this.
 */
export const holdStored = (
  database: DatabaseShape,
  session: Session,
  chainId: ChainId,
): Effect.Effect<Head, RebuildFailed> =>
  attempt("holding the stored ledger", async () => {
    const schema = database.chainSchema(chainId)
    const state = `${schema}.state`
    // What an attempt before this one left.
    await takeBack(session)
    await session.run((sql) => sql`begin`)
    // Whoever adds waits up to 15 seconds for the other ledger here, and takes a few of its blocks back.
    await session.run((sql) => sql.unsafe(idleLimit(60)))
    await session.run((sql) =>
      sql.unsafe(`lock table "${schema}".price_progress, "${schema}".price_gap in share row exclusive mode`),
    )
    const [row] = await session.run(
      (sql) => sql<[Head]>`select next_block - 1 as number, head_hash as hash from ${sql(state)} for update`,
    )
    return row
  })

/** Takes back what was done since `holdStored`; does nothing after `mergeAdded`. */
export const letStoredGo = (session: Session): Effect.Effect<void> => Effect.promise(() => takeBack(session))

const takeBack = (session: Session): Promise<void> =>
  session
    .run((sql) => sql`rollback`)
    .then(
      () => {},
      () => {},
    )

/**
 * Ends the transaction that `holdStored` began: the ledger of the added tokens, which stands at the same block and has no
 * writer, goes into the stored one and is gone. Gives how many tokens came; undefined = another transaction was in the way
 * and this one gave way: nothing has come, and it may be tried again.
 */
export const mergeAdded = (
  database: DatabaseShape,
  session: Session,
  settings: LedgerSettings,
  { kept, added }: Pick<Addition, "kept" | "added">,
  eventsDays: number,
): Effect.Effect<number | undefined, RebuildFailed> =>
  attempt("adding the tokens", () =>
    merged(database, session, settings, { kept, added }, eventsDays).catch((cause: unknown) => {
      if (gaveWayCodes.includes(String(Object(cause).code))) return undefined
      throw cause
    }),
  )

/** deadlock_detected, serialization_failure, lock_not_available; query_canceled, by a request that was meant for another statement */
const gaveWayCodes = ["40P01", "40001", "55P03", "57014"]

const merged = async (
  database: DatabaseShape,
  session: Session,
  settings: LedgerSettings,
  { kept, added }: Pick<Addition, "kept" | "added">,
  eventsDays: number,
): Promise<number> => {
  const { chainId } = settings
  const merge: Merge = { session, to: database.chainSchema(chainId), from: nextSchema(database, chainId) }
  const [to, from] = await statesOf(merge)
  const digest = (tokens: ReadonlyArray<Address>) => digestOf(canonical({ ...settings, tokens }))
  if (to.digest !== digest(kept) || from.digest !== digest(added) || from.hash !== to.hash) {
    throw new RebuildFailed({ message: "the two ledgers do not fit together: run the command again" })
  }
  await session.run((sql) => sql.unsafe(settingsOfLongStatements))
  await copyRows(merge, to.tokens)
  await joinBlocks(merge)
  await markTrusted(merge, to.tokens)
  await openPricedHours(merge)
  const edges = await countWindows(merge, to.time, to.next)
  const wanted = canonical(settings)
  await session.run(
    (sql) => sql`
        update state set
          settings = ${JSON.stringify(wanted)}, settings_digest = ${digestOf(wanted)},
          epoch = epoch + 1, revision = revision + 1, token_seq = ${to.tokens + from.tokens},
          edge_24h = ${edges[0]}, edge_48h = ${edges[1]}, edge_72h = ${edges[2]}`,
  )
  await session.run((sql) =>
    sql.unsafe(`update state s set ${summed.map((name) => `${name} = s.${name} + n.${name}`).join(", ")}
                  from "${merge.from}".state n`),
  )
  // Whoever walks as of a block from there on is told as after a rollback. No event is told of it: there are no rows.
  const [first] = await session.run(
    (sql) => sql<Array<{ block: number }>>`
        select (first_pos >> 24)::int4 as block from token where token_id > ${to.tokens} order by first_pos limit 1`,
  )
  if (first !== undefined) {
    const number = await numberRollback(session, first.block)
    await keepCorrection(session, { number, isHeal: true, removed: [], added: [] }, eventsDays)
  }
  await notify(session)
  for (const schema of [bulkSchema(merge.from), merge.from]) {
    await session.run((sql) => sql.unsafe(`drop schema if exists "${schema}" cascade`))
  }
  await session.run((sql) => sql`commit`)
  return from.born
}

/** A writer's session walks indexes row by row: whole tables are read otherwise. */
const settingsOfLongStatements = `
  select set_config(name, 'on', true)
  from unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin,enable_bitmapscan}'::text[]) name`

/** Counters of the whole ledger. */
const summed = [
  ...["erc20_tokens", "erc20_transfers", "erc721_tokens", "erc721_transfers", "erc1155_tokens", "erc1155_transfers"],
  "skipped_odd",
]

interface State {
  readonly digest: string
  readonly hash: Hash
  readonly next: number
  readonly time: number
  /** The last `token_id` that was given out. */
  readonly tokens: number
  readonly born: number
}

const statesOf = ({ session, to, from }: Merge): Promise<ReadonlyArray<State> & [State, State]> =>
  Promise.all(
    [to, from].map(async (schema) => {
      const [state] = await session.run(
        (sql) => sql<[State]>`
          select settings_digest as digest, head_hash as hash, next_block as next, head_time as time, token_seq as tokens,
                 (erc20_tokens + erc721_tokens + erc1155_tokens)::int4 as born
          from ${sql(`${schema}.state`)}`,
      )
      return state
    }),
  ) as Promise<[State, State]>
