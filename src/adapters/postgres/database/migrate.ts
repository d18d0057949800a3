/** Brings a schema up to date: each migration file once, in one transaction, whoever else is starting at the same time. */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"
import type postgres from "postgres"
import { idleSetting } from "./client.ts"
import { DatabaseRefused } from "./connectionUrl.ts"
import { isDistributed, runsDistributed, statementsOf } from "./distributed.ts"
import { isTaken, listTables, lockTables } from "./locks/lockTables.ts"
import { tablesInUse } from "./locks/tablesInUse.ts"

/** Files of ./migrations in order. Add at the end; never change one that was released (test/postgres/database/released.ts). */
export const registryMigrations: ReadonlyArray<string> = [
  "000_registry.sql",
  "004_copies.sql",
  "014_transactions.sql",
  "017_served.sql",
  "027_webhooks.sql",
  "031_shared_limits.sql",
  "038_wanted_codes.sql",
]
export const ledgerMigrations: ReadonlyArray<string> = [
  "001_ledger.sql",
  "002_nft.sql",
  "003_swaps.sql",
  "004_trust.sql",
  "005_prices.sql",
  "006_burnt.sql",
  "007_rollbacks.sql",
  "008_audit.sql",
  "009_given_up.sql",
  "010_heal.sql",
  "011_count_steps.sql",
  "012_log_places.sql",
  "013_approvals.sql",
  "016_odd_logs.sql",
  "019_audit_counts.sql",
  "022_price_gaps.sql",
  "023_wallets.sql",
  "024_search.sql",
  "026_events.sql",
  "029_account_codes.sql",
  "033_wallet_marks.sql",
  "036_learned.sql",
  "039_folds.sql",
  "040_learned_moves.sql",
  "041_appended_moves.sql",
  "042_vacuum.sql",
  "043_vacuum_more.sql",
  "044_burns_own.sql",
]

/** `baseline/ledger.sql` stands for the files of a ledger up to this one. */
const lastOfBaseline = "041_appended_moves.sql"

/**
 * Creates the schema if it is missing and applies what its journal (table `migration`, inside the schema, so that
 * dropping the schema forgets it too) does not list yet. A ledger that is made anew is made of the baseline, and its
 * journal lists the files that this stands for. Refuses a journal that names a changed or unknown file, and
 * touches nothing then. `otherwise`: what an operator can do but run the version that made the schema. `mayChange`: called
 * before a schema that is there already is changed; where it throws nothing is. Tables that are there are taken before they
 * are changed, and never waited for by more than a moment: whoever reads would wait behind that. Where others stay in them
 * `TablesInUse` is thrown.
 */
export const migrate = async (
  sql: postgres.Sql,
  schema: string,
  files: ReadonlyArray<string>,
  otherwise = "use another database: DATABASE_URL, or DATA_DIR of the embedded one",
  mayChange: () => void = () => {},
): Promise<void> => {
  const scripts = await Promise.all(files.map(readScript))
  let isThere = false
  const change = async (tx: postgres.TransactionSql): Promise<void> => {
    await tx.unsafe(withoutLimits)
    await tx`select pg_advisory_xact_lock(hashtextextended(${`migrate ${schema}`}, 0))`
    await prepareSchema(tx, schema)
    const applied = await tx<Array<{ file: string; sha256: string }>>`select file, sha256 from migration`
    refuseOtherHistory(schema, applied, scripts, otherwise)
    const wanted = scripts.filter(({ file }) => !applied.some((it) => it.file === file))
    if (wanted.length === 0) return
    if (applied.length > 0) {
      mayChange()
      isThere = true
      await takeTables(tx, schema, wanted)
    }
    const distributed = await isDistributed(tx)
    for (const { text, files } of applied.length === 0 ? await fromNothing(wanted) : wanted.map(byItself)) {
      const statements = statementsOf(text).filter((it) => !distributed || runsDistributed(it))
      // One behind the other, not each after the other's answer.
      await Promise.all(statements.map((it) => tx.unsafe(it)))
      await tx`insert into migration ${tx(files.map(({ file, sha256 }) => ({ file, sha256 })))}`
    }
  }
  for (let tries = 1; ; tries++) {
    try {
      return await sql.begin(change)
    } catch (cause) {
      if (!isThere || !isTaken(cause)) throw cause
      if (tries === mostTries) throw await tablesInUse(sql, schema, cause)
    }
    await pause(tryAgainMs)
  }
}

/**
 * The role's count for nothing in this one transaction: a large ledger takes minutes, and who starts beside it waits that long.
 * By the list of what this server knows: one of them came with version 17.
 */
const withoutLimits = `
  select count(set_config(name, '0', true)), ${idleSetting(30)} from pg_settings
  where name in ('lock_timeout', 'statement_timeout', 'transaction_timeout')`

/** As often others are found in the tables before it is said. */
const mostTries = 5
const tryAgainMs = 1000

/** Those that the scripts name. */
const takeTables = async (
  tx: postgres.TransactionSql,
  schema: string,
  scripts: ReadonlyArray<Script>,
): Promise<void> => {
  const isNamed = (table: string) => scripts.some(({ text }) => new RegExp(`\\b${table}\\b`).test(text))
  const tables = await listTables(tx, schema)
  await lockTables(
    (statement) => tx.unsafe(statement),
    tables.filter(({ name }) => isNamed(name)),
  )
}

interface Script {
  readonly file: string
  readonly text: string
  readonly sha256: string
}

/** What is run at once, and the files that are in the journal by it. */
interface Step {
  readonly text: string
  readonly files: ReadonlyArray<Script>
}

const textOf = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), "utf8")

const readScript = async (file: string): Promise<Script> => {
  const text = await textOf(`./migrations/${file}`)
  return { file, text, sha256: createHash("sha256").update(text).digest("hex") }
}

const byItself = (script: Script): Step => ({ text: script.text, files: [script] })

const fromNothing = async (scripts: ReadonlyArray<Script>): Promise<ReadonlyArray<Step>> => {
  const count = ledgerMigrations.indexOf(lastOfBaseline) + 1
  if (!ledgerMigrations.slice(0, count).every((file, place) => scripts[place]?.file === file))
    return scripts.map(byItself)
  const baseline = { text: await textOf("./baseline/ledger.sql"), files: scripts.slice(0, count) }
  return [baseline, ...scripts.slice(count).map(byItself)]
}

const refuseOtherHistory = (
  schema: string,
  applied: ReadonlyArray<{ file: string; sha256: string }>,
  scripts: ReadonlyArray<Script>,
  otherwise: string,
): void => {
  for (const { file, sha256 } of applied) {
    const script = scripts.find((it) => it.file === file)
    if (script === undefined) throw ofNewer(schema, file, otherwise)
    if (script.sha256 !== sha256) {
      throw new DatabaseRefused({
        message: `migration ${file} is another one than was applied to schema ${schema}. Run the version that applied it, or ${otherwise}`,
      })
    }
  }
}

export const ofNewer = (schema: string, file: string, otherwise: string): DatabaseRefused =>
  new DatabaseRefused({
    message: `schema ${schema} was made by a newer version: it holds migration ${file}, which this version does not know. Run the newer version again, or ${otherwise}`,
  })

const prepareSchema = async (tx: postgres.TransactionSql, schema: string): Promise<void> => {
  const [rights] = await tx`
    select current_user as role, current_database() as database,
           has_database_privilege(current_database(), 'create') as may_create,
           n.oid is not null as present,
           coalesce(has_schema_privilege(n.oid, 'create') and has_schema_privilege(n.oid, 'usage'), false) as may_use
    from (values (1)) one left join pg_namespace n on n.nspname = ${schema}`
  if (!rights!.present && !rights!.may_create) {
    throw missingGrant(
      `create schema "${schema}"`,
      `grant create on database "${rights!.database}" to "${rights!.role}"`,
    )
  }
  if (rights!.present && !rights!.may_use) {
    throw missingGrant(`use schema "${schema}"`, `grant usage, create on schema "${schema}" to "${rights!.role}"`)
  }
  if (!rights!.present) await tx`create schema ${tx(schema)}`
  await tx`select set_config('search_path', ${`"${schema}"`}, true)`
  await tx`
    create table if not exists migration (
      file       text primary key,
      sha256     text not null,
      applied_at timestamptz not null default now()
    )`
}

const missingGrant = (action: string, statement: string) =>
  new DatabaseRefused({ message: `the database's role may not ${action}. As an administrator run: ${statement};` })
