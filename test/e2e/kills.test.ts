/** `kill -9` of the service, of its database or of both, again and again: the answers are those of a run without. KILLS = how many. */
import { expect, test } from "bun:test"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { randomOf } from "../../demo/chain/random.ts"
import { type Json, prefix, startService as startReference, store } from "../http/support.ts"
import { freePort, openTemporaryFolder } from "../support/postgres.ts"
import { replayOf } from "../support/replayChain.ts"
import { startReplayNode } from "../support/replayNode.ts"
import {
  address,
  consecutiveTransfer,
  initialize,
  managedSwap,
  multiTransfer,
  nftTransfer,
  TestChain,
  transfer,
} from "../support/testChain.ts"

const kills = Number(process.env.KILLS ?? 6)
const seed = Number(process.env.KILLS_SEED ?? 1)
const chainId = "43114"
const past = 6000
const live = 400
const tokens = [1, 2, 3, 4, 5].map((n) => address(0x7000 + n))
/** The first two are ERC-721, the others ERC-1155. */
const collections = [1, 2, 3, 4].map((n) => address(0x7100 + n))
const zero = address(0)
/** Its pools tell their tokens themselves; the node knows no contract that could tell decimals. */
const manager = address(0x7200)
const poolId = (number: number) => `0x${String(number).padStart(64, "0")}`
const root = fileURLToPath(new URL("../../", import.meta.url))

/** Mints, burns and transfers of every standard between people of whom there are ever more. */
const busyChain = (): TestChain => {
  const random = randomOf(seed)
  const chain = new TestChain(new Set(), 0, undefined, new Set([manager]))
  const pools = [1, 2, 3].map((number) => ({
    pool: `${manager}/${poolId(number)}`,
    token0: tokens[0]!,
    token1: tokens[number]!,
    decimals0: 0,
    decimals1: 0,
    factory: manager,
  }))
  for (const facts of pools) chain.pools.set(facts.pool, facts)
  for (let block = 0; block < past + live; block++) {
    const person = () => address(0xa000 + random.below(20 + block / 10))
    const id = () => BigInt(random.below(300))
    chain.block(
      Array.from({ length: random.below(6) }, () => {
        const from = random.chance(0.4) ? zero : person()
        const to = random.chance(0.1) ? zero : person()
        if (random.chance(0.02)) {
          const { token0, token1 } = pools[0]!
          const number = random.below(3)
          return initialize(manager, poolId(number + 1), token0, pools[number]?.token1 ?? token1)
        }
        if (random.chance(0.1)) {
          const sides = { paid0: random.chance(0.5), paid: 1n + random.amount(60), got: 1n + random.amount(60) }
          return managedSwap(manager, poolId(1 + random.below(3)), sides)
        }
        if (random.chance(0.7)) return transfer(random.pick(tokens), from, to, BigInt(random.below(1000)))
        const [first, second, ...others] = collections as [string, string]
        if (random.chance(0.05)) return consecutiveTransfer(first, zero, person(), id(), 305n)
        if (random.chance(0.5)) return nftTransfer(random.pick([first, second]), from, to, id())
        const count = random.below(4)
        return multiTransfer(
          random.pick(others),
          from,
          to,
          Array.from({ length: count }, () => [id() % 20n, BigInt(random.below(100))] as const),
        )
      }),
    )
  }
  return chain
}

/** Everything worth comparing, page by page. */
const answers = async (get: (path: string) => Promise<Json>): Promise<Json> => {
  const walk = async (path: string) => {
    const items: Array<Json> = []
    for (let next: string | undefined = `${path}limit=1000&count=true`; next !== undefined; ) {
      const page: Json = await get(next)
      items.push(...page.items, page.count)
      next = page.link.next
    }
    return items
  }
  const base = prefix(chainId)
  const lists = [
    `${base}/erc20?`,
    `${base}/erc20-transfers?`,
    ...tokens.map((token) => `${base}/erc20/${token}/holders?`),
    ...["erc721", "erc1155"].flatMap((standard) => [
      `${base}/${standard}?`,
      `${base}/${standard}-transfers?`,
      ...collections.map((token) => `${base}/${standard}/${token}/holders?`),
    ]),
    ...collections.map((token) => `${base}/erc721/${token}/tokens?`),
    `${base}/erc20-swaps?`,
  ]
  const history = [0, 1000, past - 1, past + live - 1].flatMap((block) =>
    [...tokens, ...collections].flatMap((token) => [
      `module=stats&action=tokensupplyhistory&contractaddress=${token}&blockno=${block}`,
      ...[0, 7, 30].map(
        (who) =>
          `module=account&action=tokenbalancehistory&contractaddress=${token}&address=${address(0xa000 + who)}&blockno=${block}`,
      ),
    ]),
  )
  return {
    lists: await Promise.all(lists.map(walk)),
    history: await Promise.all(history.map((query) => get(`${base}/compat/api?${query}`))),
  }
}

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
    const chain = busyChain()
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
      const found = await answers(victim.get)
      expect(await end(victim.child, "SIGTERM")).toBe(0)

      const reference = await startReference()
      await store(reference, chainId, chain)
      const wanted = await answers(async (path) => (await reference.get(path)).body)
      await reference.close()
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
