/** A service that is killed, on an embedded database that outlives it, or is killed itself. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type Json, prefix } from "../http/support.ts"
import { chainId, manager } from "./chain/busyChain.ts"
import { freePort } from "./postgres.ts"
import { program } from "./program.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** The service on its own embedded database, which outlives it. */
export const startVictim = async (rpcUrl: string, dataDir: string, settings: Readonly<Record<string, string>> = {}) => {
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATA_DIR: dataDir,
    [`RPC_URL_${chainId}`]: rpcUrl,
    [`POLL_MS_${chainId}`]: "50",
    [`RPC_CONCURRENCY_${chainId}`]: "2",
    [`POOL_MANAGERS_${chainId}`]: manager,
    // Figures that it finds to be wrong would be the contracts' from then on.
    [`AUDIT_${chainId}`]: "off",
    ...settings,
  }
  const child: ChildProcess = spawn(process.execPath, [program], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
  let words = ""
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk) => {
      words = (words + chunk).slice(-4000)
    })
  const base = `http://127.0.0.1:${port}`
  /** Whatever gives no answer at all is an error with its name, not a test that lasts too long. */
  const ask = (path: string) => fetch(base + path, { signal: AbortSignal.timeout(30_000) })
  /** A database that comes back is a 503 until it is there. */
  const get = async (path: string, status = 200): Promise<Json> => {
    for (const deadline = Date.now() + 30_000; ; await pause(100)) {
      const response = await ask(path)
      if (response.status === status) return response.json()
      if (status !== 200) throw new Error(`${path}: ${response.status}`)
      const text = await response.text()
      if (response.status !== 503 || Date.now() > deadline) throw new Error(`${path}: ${response.status} ${text}`)
    }
  }
  /** Newest indexed block, undefined where nothing answers. */
  const newest = async (): Promise<number | undefined> => {
    const response = await ask(`${prefix(chainId)}/erc20?limit=1`).catch(() => undefined)
    const asOf = response?.headers.get("x-as-of-block")?.split(":")[1]
    return asOf === undefined ? undefined : Number(asOf)
  }
  const until = async (block: number): Promise<void> => {
    for (const deadline = Date.now() + 120_000; ; await pause(20)) {
      const found = await newest()
      if ((found ?? -1) >= block) return
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}:\n${words}`)
      if (Date.now() > deadline)
        throw new Error(`after 120 s the newest block is ${found}, not ${block}, phase ${await phase()}:\n${words}`)
    }
  }
  /** What the chain's ingestion does, by `/ready`; undefined where nothing answers. */
  const phase = async (): Promise<string | undefined> => {
    const response = await ask("/ready").catch(() => undefined)
    const body = (await response?.json().catch(() => undefined)) as Json
    return body?.chains?.[0]?.phase
  }
  /** The last that it has said. */
  const output = () => words
  return { child, get, newest, until, phase, output }
}

/** Its exit code; null where a signal ended it. One that stays is killed, and an error. */
export const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  const gone = once(child, "exit")
  child.kill(signal)
  const late = setTimeout(() => child.kill("SIGKILL"), 60_000)
  await gone
  clearTimeout(late)
  if (signal !== "SIGKILL" && child.signalCode === "SIGKILL") throw new Error(`60 s after ${signal} it had not ended`)
  return child.exitCode
}

/** Until then the file may name the one that was killed before, or be gone. */
export const killDatabase = async (dataDir: string) => {
  for (const deadline = Date.now() + 60_000; ; await pause(20)) {
    try {
      const [pid] = readFileSync(join(dataDir, "pgdata", "postmaster.pid"), "utf8").split("\n")
      return process.kill(Number(pid), "SIGKILL")
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}
