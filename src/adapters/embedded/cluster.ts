/** The database's files: made once, in one step, and refused when another PostgreSQL made them. */
import { randomBytes } from "node:crypto"
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { EmbeddedFailed } from "./failure.ts"
import { unpackFolder } from "./packedFolder.ts"
import { describeEnding, type Installation, logLength, readLog, spawnProgram, untilExit } from "./run.ts"

/** The role that owns everything, and the database. */
const NAME = "cowry"

export interface Cluster {
  readonly folder: string
  readonly password: string
}

export interface ClusterOptions {
  readonly dataDir: string
  /** The version of the programs. */
  readonly major: number
  /** A file with those of a new database; undefined = `initdb` makes them. */
  readonly packed: string | undefined
}

/** Opens the files in `<dataDir>/pgdata`, making them if there are none. */
export const openCluster = async (installation: Installation, options: ClusterOptions): Promise<Cluster> => {
  const { dataDir, major } = options
  const folder = join(dataDir, "pgdata")
  if (!existsSync(folder)) return { folder, password: await create(installation, folder, options) }
  refuseForeign(installation, dataDir, folder, major)
  return { folder, password: await openPassword(installation, dataDir, folder) }
}

const refuseForeign = ({ account }: Installation, dataDir: string, folder: string, major: number): void => {
  const uid = account?.uid ?? process.getuid?.()
  const owner = statSync(folder).uid
  if (uid !== undefined && owner !== uid)
    throw new EmbeddedFailed({
      message: `DATA_DIR ${dataDir} belongs to user ${owner}, and PostgreSQL would run as user ${uid}: run Cowry as the user who made it, change its owner (chown -R), or set DATA_DIR to another folder.`,
    })
  const path = join(folder, "PG_VERSION")
  if (!existsSync(path))
    throw new EmbeddedFailed({
      message: `${folder} holds no PostgreSQL database: set DATA_DIR to an empty folder, or one that Cowry made.`,
    })
  const found = readFileSync(path, "utf8").trim()
  if (found !== `${major}`)
    throw new EmbeddedFailed({
      message: `DATA_DIR ${dataDir} was made by PostgreSQL ${found}, and this Cowry brings PostgreSQL ${major}, which cannot read it. Set DATA_DIR to an empty folder to index again, or move the data over with pg_dump (docs/operations.md).`,
    })
}

/**
 * Made under another name and renamed when complete: a crash half-way leaves nothing that looks like a database. So nothing
 * is made to last on the way, and all of it at the end, once. Answers the password.
 */
const create = async (
  installation: Installation,
  folder: string,
  { dataDir, major, packed }: ClusterOptions,
): Promise<string> => {
  const half = `${folder}.new`
  rmSync(half, { recursive: true, force: true })
  if (packed === undefined) await initialize(installation, half)
  else unpackFolder(readFileSync(packed), half, installation.account)
  writeFileSync(join(half, "pg_hba.conf"), `host all ${NAME} 127.0.0.1/32 scram-sha-256\n`)
  const password = newPassword()
  // The one that initdb made gets our name: another would be 300 files more.
  const statements = [`alter database postgres rename to ${NAME}`, passwordIs(password)]
  await runSql(installation, half, statements, ["-c", "fsync=off"])
  await mustSucceed(installation, "initdb", ["--sync-only", ...syncMethod(major), "-D", half])
  // One of files that were here before is not this one's.
  rmSync(passwordFile(dataDir), { force: true })
  renameSync(half, folder)
  keepPassword(dataDir, password)
  return password
}

/** A database's files as `initdb` makes them: nobody can connect, and nothing is made to last. */
export const initialize = async (installation: Installation, folder: string): Promise<void> => {
  mkdirSync(folder, { mode: 0o700 })
  if (installation.account !== undefined) chownSync(folder, installation.account.uid, installation.account.gid)
  await mustSucceed(installation, "initdb", [
    ...["-D", folder, "-U", NAME, "-A", "reject", "-E", "UTF8", "--locale=C", "--no-instructions", "--no-sync"],
  ])
}

/** One call for all of the file system, where there is one: by turns, a thousand files wait for the disk a thousand times. */
const syncMethod = (major: number): ReadonlyArray<string> =>
  process.platform === "linux" && major >= 17 ? ["--sync-method=syncfs"] : []

const passwordFile = (dataDir: string): string => join(dataDir, "password")

/** Of the role that owns everything. Throws where there is none, or where this user may not read it. */
export const readPassword = (dataDir: string): string => readFileSync(passwordFile(dataDir), "utf8").trim()

/** How to reach a server of `dataDir` that listens on `port`: never to be logged. */
export const urlOf = (password: string, port: number): string =>
  `postgres://${NAME}:${password}@127.0.0.1:${port}/${NAME}`

/**
 * The password of this data folder's server, readable by the service's user only; a lost one is replaced. So is what cannot be
 * one: a machine that lost its power may leave the file empty.
 */
const openPassword = async (installation: Installation, dataDir: string, folder: string): Promise<string> => {
  const kept = existsSync(passwordFile(dataDir)) ? readPassword(dataDir) : ""
  if (isPassword(kept)) return kept
  const password = newPassword()
  await runSql(installation, folder, [passwordIs(password)])
  keepPassword(dataDir, password)
  return password
}

const newPassword = (): string => randomBytes(24).toString("hex")

const isPassword = (text: string): boolean => /^[0-9a-f]{48}$/.test(text)

const passwordIs = (password: string): string => `alter role ${NAME} password '${password}'`

/** Once the server knows it: until then there is none, and the next start makes another. */
const keepPassword = (dataDir: string, password: string): void => {
  const path = passwordFile(dataDir)
  const file = openSync(`${path}.new`, "w", 0o600)
  try {
    writeFileSync(file, password)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.new`, path)
}

/** Statements without a server, so without anyone who could connect meanwhile. They are not logged. */
const runSql = (
  installation: Installation,
  folder: string,
  statements: ReadonlyArray<string>,
  settings: ReadonlyArray<string> = [],
): Promise<void> =>
  mustSucceed(
    installation,
    "postgres",
    [
      ...[
        "--single",
        "-D",
        folder,
        "-c",
        "exit_on_error=on",
        "-c",
        "log_min_error_statement=panic",
        "-c",
        "huge_pages=off",
        ...settings,
      ],
      "template1",
    ],
    `${statements.join("\n")}\n`,
  )

const mustSucceed = async (
  installation: Installation,
  program: "initdb" | "postgres",
  args: ReadonlyArray<string>,
  input?: string,
): Promise<void> => {
  const from = logLength(installation.logFile)
  const ending = await untilExit(spawnProgram(installation, program, args, input))
  if (ending.code !== 0)
    throw new Error(`${program} ${describeEnding(ending)}:\n${readLog(installation.logFile, from)}`)
}
