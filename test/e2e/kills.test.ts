/** `kill -9` of the service, of its database or of both, again and again: the answers are those of a run without. KILLS = how many. */
import { expect, test } from "bun:test"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { randomOf } from "../../demo/chain/random.ts"
import { type Json, prefix } from "../http/support.ts"
import { answersOf, busyChain, chainId, live, manager, past, truthOf } from "../support/chain/busyChain.ts"
import { replayOf } from "../support/nodes/replayChain.ts"
import { startReplayNode } from "../support/nodes/replayNode.ts"
import { freePort, openTemporaryFolder } from "../support/postgres.ts"

const kills = Number(process.env.KILLS ?? 6)
const seed = Number(process.env.KILLS_SEED ?? 1)
const root = fileURLToPath(new URL("../../", import.meta.url))

/** The service on its own embedded database, which outlives it. */
const startVictim = async (rpcUrl: string, dataDir: string) => {
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
  }
  const child: ChildProcess = spawn(process.execPath, ["src/main.ts"], { cwd: root, env, stdio: "ignore" })
  const base = `http://127.0.0.1:${port}`
  /** A database that comes back is a 503 until it is there. */
  const get = async (path: string): Promise<Json> => {
    for (const deadline = Date.now() + 30_000; ; await pause(100)) {
      const response = await fetch(base + path)
      if (response.status === 200) return response.json()
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
  return { child, get, newest, until }
}

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  const gone = once(child, "exit")
  child.kill(signal)
  await gone
  return child.exitCode
}

test(
  "the service and its database may be killed at any instant",
  async () => {
    const random = randomOf(seed + 1)
    const chain = busyChain(seed)
    const whole = replayOf(chainId, chain)
    let head = past - 1
    // The node shows the chain up to `head`, which moves on by itself once the backfill had its share of kills.
    const visible = {
      ...whole,
      get head() {
        return head
      },
      find: (key: number | string) => {
        const block = whole.find(key)
        return block !== undefined && block.number <= head ? block : undefined
      },
      withLogs: (from: number, to: number) => whole.withLogs(from, Math.min(to, head)),
    }
    const node = startReplayNode(visible, { mostBlocks: 40 })
    const dataDir = join(openTemporaryFolder("cowry-kills-"), "data")
    /** One after the other, so that each has its share. */
    const victims = ["service", "database", "both"] as const
    /** Until then the file may name the one that was killed before, or be gone. */
    const killDatabase = async () => {
      for (const deadline = Date.now() + 60_000; ; await pause(20)) {
        try {
          const [pid] = readFileSync(join(dataDir, "pgdata", "postmaster.pid"), "utf8").split("\n")
          return process.kill(Number(pid), "SIGKILL")
        } catch (error) {
          if (Date.now() > deadline) throw error
        }
      }
    }
    let victim = await startVictim(node.url, dataDir)
    let growing: ReturnType<typeof setInterval> | undefined
    try {
      for (let kill = 0; kill < kills; kill++) {
        if (kill === Math.floor(kills / 2)) {
          growing = setInterval(() => {
            head = Math.min(head + 1, past + live - 1)
          }, 20)
        }
        const before = (await victim.newest()) ?? -1
        await victim.until(Math.min(before + 1, head))
        await pause(random.below(300))
        const struck = victims[kill % victims.length]!
        if (struck !== "service") await killDatabase()
        if (struck !== "database") {
          await end(victim.child, "SIGKILL")
          victim = await startVictim(node.url, dataDir)
        }
      }
      clearInterval(growing)
      head = past + live - 1
      await victim.until(head)
      const found = await answersOf(victim.get)
      expect(await end(victim.child, "SIGTERM")).toBe(0)

      const wanted = await truthOf(chain)
      expect(found).toEqual(wanted)
      expect(wanted.lists.at(-1).length).toBeGreaterThan(500)
    } finally {
      clearInterval(growing)
      if (victim.child.exitCode === null && victim.child.signalCode === null) await end(victim.child, "SIGTERM")
      await node.stop()
    }
  },
  120_000 + kills * 30_000,
)
