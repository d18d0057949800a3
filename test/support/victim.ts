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
  const child: ChildProcess = spawn(process.execPath, [program], { cwd: root, env, stdio: "ignore" })
  const base = `http://127.0.0.1:${port}`
  /** A database that comes back is a 503 until it is there. */
  const get = async (path: string, status = 200): Promise<Json> => {
    for (const deadline = Date.now() + 30_000; ; await pause(100)) {
      const response = await fetch(base + path)
      if (response.status === status) return response.json()
      if (status !== 200) throw new Error(`${path}: ${response.status}`)
      const text = await response.text()
      if (response.status !== 503 || Date.now() > deadline) throw new Error(`${path}: ${response.status} ${text}`)
    }
  }
  /** Newest indexed block, undefined where nothing answers. */
  const newest = async (): Promise<number | undefined> => {
    const response = await fetch(`${base}${prefix(chainId)}/erc20?limit=1`).catch(() => undefined)
    const asOf = response?.headers.get("x-as-of-block")?.split(":")[1]
    return asOf === undefined ? undefined : Number(asOf)
  }
  const until = async (block: number): Promise<void> => {
    while (((await newest()) ?? -1) < block) {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
      await pause(20)
    }
  }
  /** What the chain's ingestion does, by `/ready`; undefined where nothing answers. */
  const phase = async (): Promise<string | undefined> => {
    const response = await fetch(`${base}/ready`).catch(() => undefined)
    const body = (await response?.json().catch(() => undefined)) as Json
    return body?.chains?.[0]?.phase
  }
  return { child, get, newest, until, phase }
}

export const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  const gone = once(child, "exit")
  child.kill(signal)
  await gone
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
