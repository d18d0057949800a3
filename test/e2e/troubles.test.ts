/** What operation brings: a full disk, lost connections, two instances on one chain, clocks that jump. Each ends with the answers of a run without. */
import { expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import postgres from "postgres"
import { serverAccount } from "../../src/adapters/embedded/account.ts"
import type { Json } from "../http/support.ts"
import { answersOf, busyChain, chainId, manager, truthOf } from "../support/chain/busyChain.ts"
import { startCuttable } from "../support/nodes/cuttable.ts"
import { replayOf } from "../support/nodes/replayChain.ts"
import { type ReplayChain, startReplayNode } from "../support/nodes/replayNode.ts"
import { ownFolder, startCluster, testDatabase } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"

const blocks = 1500
const chain = busyChain(3, blocks)
const whole = replayOf(chainId, chain)
let truth: Promise<Json> | undefined
const wanted = () => (truth ??= truthOf(chain))
const last = blocks - 1
/** Where the node is at first: what comes then is appended block by block. */
const past = blocks - 150

/** A node that shows the chain up to `state.head`. */
const startNode = (state: { head: number }) => {
  const shown: ReplayChain = {
    ...whole,
    get head() {
      return state.head
    },
    find: (key) => {
      const block = whole.find(key)
      return block !== undefined && block.number <= state.head ? block : undefined
    },
    withLogs: (from, to) => whole.withLogs(from, Math.min(to, state.head)),
  }
  return startReplayNode(shown, { mostBlocks: 200 })
}

const settings = (rpcUrl: string, databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  [`RPC_URL_${chainId}`]: rpcUrl,
  [`POLL_MS_${chainId}`]: "50",
  [`POOL_MANAGERS_${chainId}`]: manager,
})

const readyOf = async ({ url }: Service): Promise<{ status: number; chain: Json }> => {
  const response = await fetch(`${url}/ready`)
  return { status: response.status, chain: ((await response.json()) as Json).chains[0] }
}

const until = async <Found>(complaint: string, look: () => Promise<Found | undefined>): Promise<Found> => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(25)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error(`after 60 s ${complaint}`)
}

const isReady = (service: Service) =>
  until("it is not ready", async () => ((await readyOf(service)).status === 200 ? true : undefined))

const isFollowing = (service: Service) =>
  until("it does not follow", async () => {
    const { chain } = await readyOf(service)
    return chain.phase === "live" && chain.problem === undefined ? true : undefined
  })

const expectTruth = async (service: Service) =>
  expect(await answersOf((path) => service.get(path), blocks)).toEqual(await wanted())

/** The port of a database, another one in its place. */
const withPort = (url: string, port: number): string => Object.assign(new URL(url), { port: String(port) }).href

/** Those that it starts from now on have it too. A process that ended meanwhile needs none. */
const giveRoom = (pid: number): void => {
  try {
    execFileSync("prlimit", ["--pid", `${pid}`, "--fsize=unlimited:"], serverAccount() ?? {})
  } catch (cause) {
    if (existsSync(`/proc/${pid}`)) throw cause
  }
}

test.concurrent("a full disk stops nothing but writing, is said, and is over when there is room", async () => {
  const cluster = await startCluster(18, 1024 * 1024)
  const state = { head: 300 }
  const node = startNode(state)
  const service = await startService(settings(node.url, cluster.urlOf("postgres")))
  try {
    await service.reached(chainId, 300)
    state.head = last
    const said = await until("nothing is said of a full disk", async () => {
      const { chain } = await readyOf(service)
      return chain?.problem?.startsWith("the database has no room left") ? chain : undefined
    })
    expect([said.ready, said.indexedBlock < last]).toEqual([false, true])
    // It answers, and what it answers fits together.
    const response = await fetch(`${service.url}/v2/network/mainnet/evm/${chainId}/erc20-transfers?limit=1&count=true`)
    const stored = Number(response.headers.get("x-as-of-block")!.split(":")[1])
    expect(((await response.json()) as Json).count).toBe(chain.segment(0, stored).movements.length)
    expect(service.output()).toContain("the ledger cannot be written")
    giveRoom(cluster.pid)
    const children = readFileSync(`/proc/${cluster.pid}/task/${cluster.pid}/children`, "utf8").trim().split(" ")
    for (const pid of children) giveRoom(Number(pid))
    await service.reached(chainId, last)
    await expectTruth(service)
    await isFollowing(service)
  } finally {
    await service.stop()
    await node.stop()
    await cluster.stop()
  }
})

test.concurrent("connections that are lost in the middle of an append cost nothing but time", async () => {
  const database = await testDatabase()
  const line = await startCuttable("127.0.0.1", Number(new URL(database).port))
  const state = { head: past - 1 }
  const node = startNode(state)
  const service = await startService(settings(node.url, withPort(database, line.port)))
  try {
    for (let cut = 0; cut < 6; cut++) {
      await pause(150 + 70 * cut)
      line.cut()
      await pause(50)
      line.mend()
      state.head = Math.min(last, state.head + 20)
    }
    state.head = last
    await service.reached(chainId, last)
    await expectTruth(service)
  } finally {
    await service.stop()
    await node.stop()
    await line.stop()
  }
})

for (const [how, endsSessions] of [
  ["its sessions ended both times", true],
  ["sessions of the spell kept", false],
] as const) {
  test.concurrent(`a database that takes no writes for a while is waited for and said, ${how}`, async () => {
    const database = await testDatabase()
    const admin = postgres(database, { max: 1, onnotice: () => {}, connection: { application_name: "admin" } })
    const name = admin.unsafe(new URL(database).pathname.slice(1))
    const setReadOnly = async (isOn: boolean) => {
      await admin`alter database ${name} set default_transaction_read_only = ${admin.unsafe(isOn ? "on" : "off")}`
      if (!isOn && !endsSessions) return
      await admin`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name <> 'admin'`
    }
    const state = { head: past - 1 }
    const node = startNode(state)
    const service = await startService(settings(node.url, database))
    try {
      await service.reached(chainId, past - 1)
      await setReadOnly(true)
      state.head = past + 49
      const said = await until("nothing is said of it", async () => {
        const { chain } = await readyOf(service)
        return chain?.problem?.startsWith("the database takes no writes") ? chain : undefined
      })
      expect([said.phase, said.ready]).toEqual(["waiting", false])
      // Every connection of the readers is one of the spell by now, and all of them answer.
      const answers = Array.from({ length: 30 }, () =>
        fetch(`${service.url}/v2/network/mainnet/evm/${chainId}/erc20-transfers?limit=1&count=true`),
      )
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(30).fill(200))
      await setReadOnly(false)
      await service.reached(chainId, past + 49)
      await isFollowing(service)
      state.head = last
      await service.reached(chainId, last)
      await expectTruth(service)
    } finally {
      await service.stop()
      await node.stop()
      await admin.end()
    }
  })
}

test.concurrent("of two instances one follows; the other serves and takes over, from a frozen and from a killed one", async () => {
  const database = await testDatabase()
  const line = await startCuttable("127.0.0.1", Number(new URL(database).port))
  const state = { head: past - 1 }
  const node = startNode(state)
  const first = await startService(settings(node.url, withPort(database, line.port)))
  let second: Service | undefined
  try {
    await first.reached(chainId, 10)
    second = await startService(settings(node.url, database))
    const { phase } = await until("it does not say that it waits", async () => {
      const { chain } = await readyOf(second!)
      return chain?.problem?.startsWith("waiting for the ledger") ? chain : undefined
    })
    expect(phase).toBe("waiting")
    // What one writes the other serves.
    await second.reached(chainId, past - 1)
    await isReady(second)
    // Frozen, and its host gone from the net: what the server's keepalives find out in a minute.
    process.kill(first.pid, "SIGSTOP")
    line.cut()
    state.head = past + 49
    await second.reached(chainId, past + 49)
    line.mend()
    process.kill(first.pid, "SIGCONT")
    state.head = past + 99
    await first.reached(chainId, past + 99)
    await isFollowing(second)
    await second.stop("SIGKILL")
    second = undefined
    state.head = last
    await first.reached(chainId, last)
    await expectTruth(first)
    await isFollowing(first)
  } finally {
    process.kill(first.pid, "SIGCONT")
    await first.stop()
    await second?.stop()
    await node.stop()
    await line.stop()
  }
})

test.concurrent("a clock that jumps by hours, forth and back, holds nothing up and moves no figure", async () => {
  using folder = ownFolder("cowry-clock-")
  const shift = join(folder.path, "shift")
  writeFileSync(shift, "0")
  const state = { head: past - 1 }
  const node = startNode(state)
  const limits = { RATE_LIMIT_RPM: "1000000", [`RPC_RATE_${chainId}`]: "2000", [`POLL_MS_${chainId}`]: "2000" }
  const env = { ...settings(node.url, await testDatabase()), ...limits, CLOCK_SHIFT: shift }
  const preload = join(import.meta.dir, "../support/shiftedClock.ts")
  const service = await startService(env, ["--preload", preload])
  try {
    await service.reached(chainId, past - 1)
    await isReady(service)
    for (const hours of [5, -5, -40, 0]) {
      writeFileSync(`${shift}.next`, String(hours * 3_600_000))
      renameSync(`${shift}.next`, shift)
      // Nor is the node silent for as long, though it has not been asked since.
      expect(await readyOf(service)).toMatchObject({ status: 200 })
      state.head += 20
      await service.reached(chainId, state.head)
      await isReady(service)
      const response = await fetch(`${service.url}/v2/network/mainnet/evm/${chainId}/erc20?limit=1`)
      const reset = response.headers.get("x-ratelimit-rpm-reset")
      expect(reset).toMatch(/^\d+$/)
      expect(Number(reset)).toBeLessThanOrEqual(60)
    }
    state.head = last
    await service.reached(chainId, last)
    await expectTruth(service)
  } finally {
    await service.stop()
    await node.stop()
  }
})
