/** `kill -9` of the service, of its database or of both in every step of a first sync in bulk: the answers are those of a run without. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import postgres from "postgres"
import { randomOf } from "../../demo/chain/random.ts"
import { prefix } from "../http/support.ts"
import { answersOf, busyChain, chainId, manager, past, truthOf } from "../support/chain/busyChain.ts"
import { runCommand } from "../support/command.ts"
import { replayOf } from "../support/nodes/replayChain.ts"
import { startReplayNode } from "../support/nodes/replayNode.ts"
import { ownFolder, testDatabase } from "../support/postgres.ts"
import { untilPhase } from "../support/resync.ts"
import { startService } from "../support/service.ts"
import { end, killDatabase, startVictim } from "../support/victim.ts"

const seed = Number(process.env.KILLS_SEED ?? 1)
const steps = ["copying", "deriving", "indexing"] as const
const victims = ["service", "database", "both", "stop"] as const
/** Blocks of a load that only has to last until it was seen, and what each of its some 30 answers takes meanwhile. */
const some = 1200
const slowMs = 500
/** How often each step is struck, by one victim after the other: so few strikes leave each step another pair of them. */
const strikes = Number(process.env.BULK_STRIKES ?? 2)

/** Of the whole chain: two tests end with it. */
let truth: ReturnType<typeof truthOf> | undefined
const wanted = () => (truth ??= truthOf(busyChain(seed)))

test("the service and its database may be killed in every step of a load", async () => {
  const random = randomOf(seed + 7)
  const chain = busyChain(seed)
  const whole = replayOf(chainId, chain)
  // Blocks come while it is loaded, and while nobody follows.
  let head = past - 100 * (steps.length * strikes + 1)
  const growing = {
    ...whole,
    get head() {
      return head
    },
  }
  const node = startReplayNode(growing, { mostBlocks: 40 })
  using folder = ownFolder("cowry-bulk-kills-")
  const dataDir = join(folder.path, "data")
  const start = () => startVictim(node.url, dataDir, { [`BULK_${chainId}`]: "on" })
  let victim = await start()
  const struckIn: Array<string> = []
  const strike = async (struck: (typeof victims)[number]) => {
    head += 100
    if (struck === "database" || struck === "both") await killDatabase(dataDir)
    if (struck === "database") return
    if (struck === "stop") expect(await end(victim.child, "SIGTERM")).toBe(0)
    else await end(victim.child, "SIGKILL")
    victim = await start()
  }
  try {
    for (const [turn, step] of steps.entries()) {
      for (let count = 0; count < strikes; count++) {
        const struck = victims[(turn * strikes + count) % victims.length]!
        // A step that is over does not come again: what is left to strike is later.
        for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(20)) {
          const phase = await victim.phase()
          if (phase === undefined || phase === "waiting") continue
          if (steps.slice(0, steps.indexOf(step)).some((earlier) => earlier === phase)) continue
          struckIn.push(phase)
          break
        }
        await pause(random.below(40))
        await strike(struck)
      }
    }
    head = whole.head
    await victim.until(past - 1)
    for (const deadline = Date.now() + 60_000; (await victim.phase()) !== "live" && Date.now() < deadline; )
      await pause(50)
    const found = await answersOf(victim.get)
    expect(await end(victim.child, "SIGTERM")).toBe(0)
    expect(found).toEqual(await wanted())
    expect([struckIn.length, struckIn[0]]).toEqual([steps.length * strikes, "copying"])
    expect(new Set(struckIn).size).toBeGreaterThanOrEqual(2)
  } finally {
    if (victim.child.exitCode === null && victim.child.signalCode === null) await end(victim.child, "SIGTERM")
    await node.stop()
  }
}, 400_000)

test("an instance that waits refuses what another one loads, and answers once that is whole", async () => {
  const node = startReplayNode(replayOf(chainId, busyChain(seed, some)), { mostBlocks: 40 })
  // Between two commits of copying nothing goes on for as long as the node takes.
  // And the load lasts for longer than the second one takes to start.
  node.faults.delay = () => 4 * slowMs
  const settings = { DATABASE_URL: await testDatabase(), [`RPC_URL_${chainId}`]: node.url, [`BULK_${chainId}`]: "on" }
  const managed = { ...settings, [`POOL_MANAGERS_${chainId}`]: manager, [`POLL_MS_${chainId}`]: "50" }
  const [first, second] = await Promise.all([startService(managed), startService(managed)])
  const list = async ({ url }: { readonly url: string }) => (await fetch(`${url}${prefix(chainId)}/erc20`)).status
  // Either may be the one that loads: the other one learns of it a moment later.
  for (const service of [first, second])
    for (const deadline = Date.now() + 30_000; (await list(service)) !== 503 && Date.now() < deadline; )
      await pause(100)
  expect([await list(first), await list(second)]).toEqual([503, 503])
  node.faults.delay = () => 0
  for (const service of [first, second]) {
    for (const deadline = Date.now() + 60_000; (await list(service)) !== 200 && Date.now() < deadline; )
      await pause(100)
    expect(await list(service)).toBe(200)
  }
  await Promise.all([first.stop(), second.stop()])
  await node.stop()
}, 150_000)

test("who starts in the middle of a load refuses what is not there yet, also while the node is away or has lost its blocks", async () => {
  const whole = replayOf(chainId, busyChain(seed, some))
  let lost = false
  const losing = {
    ...whole,
    get head() {
      return lost ? 5 : whole.head
    },
  }
  const node = startReplayNode(losing, { mostBlocks: 40 })
  node.faults.delay = () => slowMs
  using folder = ownFolder("cowry-bulk-away-")
  const start = () => startVictim(node.url, join(folder.path, "data"), { [`BULK_${chainId}`]: "on" })
  const first = await start()
  for (const deadline = Date.now() + 60_000; (await first.phase()) !== "copying" && Date.now() < deadline; )
    await pause(20)
  expect(await first.phase()).toBe("copying")
  await end(first.child, "SIGKILL")
  node.faults.errors = 1
  const second = await start()
  const refused = () =>
    second
      .get(`${prefix(chainId)}/erc20`, 503)
      .then(({ code }) => code === "CHAIN_SYNCING")
      .catch(() => false)
  try {
    for (const deadline = Date.now() + 30_000; !(await refused()) && Date.now() < deadline; ) await pause(20)
    for (let look = 0; look < 30; look++) {
      expect(await refused()).toBe(true)
      await pause(100)
    }
    expect(await second.phase()).toBe("waiting")
    // As one that begins anew: what it has is not all that there is.
    lost = true
    node.faults.errors = 0
    node.faults.delay = () => 0
    const words = "the node is at block 5, the load goes on at block 0: the node is waited for"
    for (const deadline = Date.now() + 60_000; !second.output().includes(words) && Date.now() < deadline; ) {
      expect(await refused()).toBe(true)
      await pause(100)
    }
    expect(second.output()).toContain(words)
    lost = false
    await second.until(whole.head)
    expect(await second.phase()).toBe("live")
  } finally {
    await end(second.child, "SIGTERM")
    await node.stop()
  }
}, 200_000)

test("a load that other settings stop says so and refuses what is not there; with the ledger built anew nothing is left of it", async () => {
  const node = startReplayNode(replayOf(chainId, busyChain(seed, some)), { mostBlocks: 40 })
  node.faults.delay = () => slowMs
  const url = await testDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const settings = (more: Readonly<Record<string, string>>) => ({
    DATABASE_URL: url,
    [`RPC_URL_${chainId}`]: node.url,
    [`POOL_MANAGERS_${chainId}`]: manager,
    [`POLL_MS_${chainId}`]: "50",
    [`BULK_${chainId}`]: "on",
    ...more,
  })
  const load = () => sql`select from pg_namespace where nspname = ${`cowry_${chainId}_bulk`}`
  const first = await startService(settings({ [`APPROVALS_${chainId}`]: "on" }))
  for (const deadline = Date.now() + 30_000; (await load()).length === 0 && Date.now() < deadline; ) await pause(20)
  expect(await load()).toHaveLength(1)
  await first.stop()
  const service = await startService(settings({}))
  const list = async () => {
    const answer = await fetch(`${service.url}${prefix(chainId)}/erc20`)
    return { status: answer.status, text: await answer.text() }
  }
  try {
    const { problem } = await untilPhase(service, "stopped")
    expect(problem).toEndWith(`Set them back, or have the chain built anew by: cowry resync ${chainId}`)
    expect(await list()).toMatchObject({ status: 503, text: expect.stringContaining("CHAIN_SYNCING") })
    node.faults.delay = () => 0
    expect(await runCommand(["resync", chainId], settings({}))).toMatchObject({ code: 0 })
    await untilPhase(service, "live")
    expect(await list()).toMatchObject({ status: 200 })
    expect(await load()).toHaveLength(0)
  } finally {
    await service.stop()
    await node.stop()
    await sql.end()
  }
}, 200_000)

test("while it is loaded a chain answers 503 CHAIN_SYNCING, and as it always would once it is whole", async () => {
  const chain = busyChain(seed)
  const node = startReplayNode(replayOf(chainId, chain), { mostBlocks: 40 })
  using folder = ownFolder("cowry-bulk-")
  const dataDir = join(folder.path, "data")
  const victim = await startVictim(node.url, dataDir, { [`BULK_${chainId}`]: "on" })
  try {
    const seen = new Set<string>()
    const codes = new Set<string>()
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; ) {
      const phase = await victim.phase()
      if (phase === "live") break
      await pause(50)
      // Before its database is there everything is UNAVAILABLE, after 10 s.
      if (phase === undefined) continue
      seen.add(phase)
      const refusal = await victim.get(`${prefix(chainId)}/erc20`, 503).catch(() => undefined)
      if (refusal?.code !== undefined) codes.add(refusal.code)
    }
    expect(await victim.phase()).toBe("live")
    expect([...codes]).toEqual(["CHAIN_SYNCING"])
    expect([...seen]).toContain("copying")
    await victim.until(chain.nextBlock - 1)
    expect(await answersOf(victim.get)).toEqual(await wanted())
  } finally {
    await end(victim.child, "SIGTERM")
    await node.stop()
  }
}, 400_000)
