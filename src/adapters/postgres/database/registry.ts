/** The registry: which chains live in this database, each in a schema of its own, and what their ledgers were made with. */
import { createHash } from "node:crypto"
import type { ChainId, Hash } from "../../../model/primitives.ts"
import { foldVersion } from "../../../model/search/searchText.ts"
import { LedgerRefused, type LedgerSettings, rebuildCommand } from "../../../ports/Ledger.ts"
import { DatabaseRefused } from "./connectionUrl.ts"
import type { DatabaseShape } from "./Database.ts"
import { addable, canonical, differences, digestOf, emptied, ledgerVersion } from "./ledgerSettings.ts"
import { ledgerMigrations, migrate, ofNewer } from "./migrate.ts"

/**
 * Makes the chain's schema and its `state` row if they are new; throws `LedgerRefused` when what is stored was made of
 * another chain, with other settings or by another version. What a newer version made is not touched at all. Else nothing
 * that is stored is changed or removed, save that its tables are brought up to date: also those of a refused ledger, which
 * is read by this version's statements meanwhile. `isLocked`: whether the writer's lock is held here. Without it the tables
 * of a ledger that is there already are not changed: `TablesAreOlder` is thrown.
 */
export const registerChain = async (
  database: DatabaseShape,
  settings: LedgerSettings,
  isLocked: boolean,
): Promise<void> => {
  await refuseNewer(database, settings)
  await migrateLedger(database, settings, rebuilding(settings.chainId), () => {
    if (!isLocked) throw new TablesAreOlder()
  })
  await tellTables(database, settings)
  await registerGenesis(database, settings)
  await makeState(database, settings)
  await checkLedger(database, settings)
}

/** An older version may be writing the ledger: it would go on without what newer tables expect of a writer. */
export class TablesAreOlder extends Error {}

/** `otherwise`, `mayChange`: as of `migrate`. */
export const migrateLedger = (
  database: DatabaseShape,
  { chainId }: LedgerSettings,
  otherwise = rebuilding(chainId),
  mayChange?: () => void,
): Promise<void> =>
  migrate(database.sql, database.chainSchema(chainId), ledgerMigrations, otherwise, mayChange).catch((cause) => {
    throw cause instanceof DatabaseRefused ? new LedgerRefused({ message: cause.message }) : cause
  })

/** Throws `LedgerRefused` where a newer version has brought the tables up to date, as it may while their lock is waited for. */
export const checkTables = (
  database: DatabaseShape,
  { chainId }: LedgerSettings,
  files: ReadonlyArray<string>,
): void => {
  const unknown = files.find((file) => !ledgerMigrations.includes(file))
  if (unknown === undefined) return
  const { message } = ofNewer(database.chainSchema(chainId), unknown, rebuilding(chainId))
  throw new LedgerRefused({ message })
}

/** By which a process knows again what was told of a chain. */
export const servedDigest = (text: string): string => createHash("sha256").update(text).digest("hex")

/**
 * Readers of every version go by the files that are named beside what was told of the chain. Who has its ledger open names
 * them with its settings; a ledger that is refused is never open, and its tables are of this version all the same.
 */
const tellTables = async ({ sql, schema }: DatabaseShape, { chainId }: LedgerSettings): Promise<void> => {
  const chain = sql(`${schema}.chain`)
  const [told] = await sql<Array<{ served: string; served_digest: string }>>`
    select served, served_digest from ${chain} where chain_id = ${chainId} and served is not null`
  if (told === undefined) return
  const text = JSON.stringify({ ...JSON.parse(told.served), tables: ledgerMigrations })
  if (text === told.served) return
  await sql`
    update ${chain} set served = ${text}, served_digest = ${servedDigest(text)}
    where chain_id = ${chainId} and served_digest = ${told.served_digest}`
}

/** By its version; by its tables `migrate` refuses it. */
const refuseNewer = async (database: DatabaseShape, settings: LedgerSettings): Promise<void> => {
  const version = await newerVersion(database, settings)
  if (version !== undefined) throw otherVersion(settings, version)
}

/** The version of the ledger that is there, where it is newer than this one's. */
export const newerVersion = async (
  database: DatabaseShape,
  { chainId }: LedgerSettings,
): Promise<number | undefined> => {
  const schema = database.chainSchema(chainId)
  const [table] = await database.sql`select from pg_tables where schemaname = ${schema} and tablename = 'state'`
  if (table === undefined) return undefined
  const [stored] = await database.sql<Array<{ ledger_version: number }>>`
    select ledger_version from ${database.sql(`${schema}.state`)}`
  return stored !== undefined && stored.ledger_version > ledgerVersion ? stored.ledger_version : undefined
}

/** The `state` row, where there is none. */
export const makeState = async (database: DatabaseShape, settings: LedgerSettings): Promise<void> => {
  const wanted = canonical(settings)
  const state = database.sql(`${database.chainSchema(settings.chainId)}.state`)
  await database.sql`
    insert into ${state} (ledger_version, settings_digest, settings, first_block, next_block, folds)
    values (${ledgerVersion}, ${digestOf(wanted)}, ${JSON.stringify(wanted)}, ${settings.firstBlock}, ${settings.firstBlock}, ${foldVersion})
    on conflict do nothing`
}

/** Throws `LedgerRefused` when the stored ledger was made by another version or with other settings. */
export const checkLedger = async (database: DatabaseShape, settings: LedgerSettings): Promise<void> => {
  const wanted = canonical(settings)
  const state = database.sql(`${database.chainSchema(settings.chainId)}.state`)
  const [stored] = await database.sql<
    [{ ledger_version: number; settings_digest: string; settings: string; has_blocks: boolean }]
  >`select ledger_version, settings_digest, settings, head_hash is not null as has_blocks from ${state}`
  if (stored.ledger_version !== ledgerVersion) throw otherVersion(settings, stored.ledger_version, stored.has_blocks)
  if (stored.settings_digest !== digestOf(wanted)) {
    const made = JSON.parse(stored.settings)
    const isAddable = stored.has_blocks && !database.distributed()
    const adding = isAddable ? addable(settings, made, wanted) : ""
    throw refusal(
      settings,
      `was made with other settings: ${differences(settings, made, wanted)}`,
      `Set them back${emptied(settings, made, wanted)}${adding}`,
      stored.has_blocks,
    )
  }
}

/** Of the ledger that answers; undefined = nothing is stored of the chain. */
export const findGenesis = async ({ sql, schema }: DatabaseShape, chainId: ChainId): Promise<Hash | undefined> => {
  const [stored] = await sql<Array<{ genesis_hash: Hash }>>`
    select genesis_hash from ${sql(`${schema}.chain`)} where chain_id = ${chainId}`
  return stored?.genesis_hash
}

const registerGenesis = async (database: DatabaseShape, settings: LedgerSettings): Promise<void> => {
  const { sql, schema } = database
  const { chainId, genesisHash } = settings
  const chain = sql(`${schema}.chain`)
  await sql`
    insert into ${chain} (chain_id, schema_name, genesis_hash)
    values (${chainId}, ${database.chainSchema(chainId)}, ${genesisHash}) on conflict do nothing`
  const [stored] = await sql<[{ genesis_hash: string }]>`select genesis_hash from ${chain} where chain_id = ${chainId}`
  if (stored.genesis_hash !== genesisHash) {
    throw refusal(
      settings,
      `is of a chain with genesis block ${stored.genesis_hash}, the node's is ${genesisHash}`,
      "Point RPC_URL at the same chain",
    )
  }
}

/** The version that made an older ledger is no way back: it refuses the tables, which are up to date by now. */
const otherVersion = (settings: LedgerSettings, version: number, hasBlocks = true): LedgerRefused => {
  const isNewer = version > ledgerVersion
  const what = `was made by version ${version} of the ledger, this is version ${ledgerVersion}`
  return refusal(
    settings,
    isNewer ? `${what}, an older one` : what,
    isNewer ? "Run the newer version again" : undefined,
    hasBlocks,
  )
}

const refusal = (
  { chainId }: LedgerSettings,
  what: string,
  remedy: string | undefined,
  hasBlocks = true,
): LedgerRefused => {
  const ways = [remedy, rebuilding(chainId, hasBlocks)].filter((way) => way !== undefined).join(", or ")
  return new LedgerRefused({
    message: `the stored ledger of chain ${chainId} ${what}. ${ways[0]!.toUpperCase()}${ways.slice(1)}`,
  })
}

/** Of a ledger without blocks, as one that is being loaded is, nothing answers. */
const rebuilding = (chainId: ChainId, hasBlocks = true): string =>
  `have the chain built anew${hasBlocks ? ", while what is stored goes on answering," : ""} by: ${rebuildCommand(chainId)}`
