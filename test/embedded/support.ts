/** What the tests of the embedded server share: folders, a service in a process of its own, a look at what runs. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import type { Account } from "../../src/adapters/embedded/account.ts"
import { findProcess } from "../../src/adapters/embedded/processes.ts"

export interface Service {
  readonly child: ChildProcess
  /** What it said first. */
  readonly said: Promise<{ readonly url?: string; readonly failed?: string }>
  /** Its exit code; null after a signal. */
  readonly ended: Promise<number | null>
}

export const SCRIPT = fileURLToPath(new URL("service.ts", import.meta.url))

/** Starts the service; as another account, or from another copy of script and runtime, where told. */
export const startService = (
  dataDir: string,
  { account, runtime = process.execPath, script = SCRIPT, cwd = "/" }: StartOptions = {},
): Service => {
  const child = spawn(runtime, [script, dataDir], { ...account, cwd, env: {}, stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const said = new Promise<{ url?: string; failed?: string }>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if (line.startsWith("{")) resolve(JSON.parse(line))
    })
    child.once("error", reject)
    ended.then((code) => reject(new Error(`the service ended with ${code} before it said anything`)))
  })
  return { child, said, ended }
}

interface StartOptions {
  readonly account?: Account | undefined
  readonly runtime?: string
  readonly script?: string
  readonly cwd?: string
}

export const postmasterOf = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "pgdata/postmaster.pid"), "utf8").split("\n")[0])

/** Process ids of the server's own processes. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .stdout.split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid ? [child!] : []))

export const isRunning = (pid: number): boolean => findProcess(pid) !== undefined

/** Waits for something that happens outside of this process. */
export const until = async (what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + 30_000
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`waited 30 s for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** The rows of one statement, over a connection of its own. */
export const ask = async (url: string, statement: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 })
  try {
    return [...(await sql.unsafe(statement))].map((row) => ({ ...row }))
  } finally {
    await sql.end()
  }
}
