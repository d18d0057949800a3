/** A soak: chains that grow and are replaced, a service that follows them, questions all the while; then all of it at rest. */
import { createHash } from "node:crypto"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import postgres from "postgres"
import { type ReplayNode, startReplayNode } from "../support/nodes/replayNode.ts"
import { freePort, openTemporaryFolder, startCluster, testDatabase } from "../support/postgres.ts"
import { inParallel, type Service, startService } from "../support/service.ts"
import { SoakChain } from "./chain/chain.ts"
import { dollar, nativeSupply, trusted } from "./chain/scene.ts"
import { type Random, randomOf } from "./chain/traffic.ts"
import { viewOf } from "./chain/views.ts"
import { Oracle } from "./oracle.ts"
import { Asking } from "./questions/asking.ts"
import { questions } from "./questions/questions.ts"
import { managerKey, type Receivers, startReceivers } from "./receivers.ts"
import { auditStates, settle, sumsOfWallets, sweep } from "./rest.ts"
import { type Difference, Tester } from "./tester.ts"
import { notesAreKnown } from "./wallet/known.ts"

export interface SoakOptions {
  readonly seed: number
  /** Turns: in each a chain grows or changes, and questions are asked. */
  readonly turns: number
  /** Blocks of each chain before the service starts. */
  readonly blocks: number
  /** Share of the nodes' requests that fail while there are faults. */
  readonly faults: number
  /** Blocks that a reorg replaces at most: FINALITY. */
  readonly reorgDepth: number
  /** Between two turns the service is killed, once in so many; absent = never. */
  readonly killEvery?: number
  /** So is the database, once in so many; absent = never. */
  readonly crashEvery?: number
  /** No further turn after this, milliseconds since 1970. */
  readonly until?: number
  readonly tell?: (difference: Difference) => void
  readonly progress?: (progress: Progress) => void
}

export interface Progress {
  readonly blocks: number
  readonly reorgs: number
  readonly kills: number
  readonly checks: number
  readonly differences: number
}

/** Questions asked at once. */
const width = 3
const questionsOfTurn = 9
const chainIds = ["9000001", "9000002"]
/** Each as often as it weighs. */
const weighted = questions.flatMap(([weight, ask]) => Array.from({ length: weight }, () => ask))

export const soak = async (options: SoakOptions) => {
  const { seed, reorgDepth } = options
  // What happens to the chains is the seed's alone; what is asked, and what fails, have numbers of their own.
  const [random, paths, noise] = [randomOf(seed), randomOf(seed + 1), randomOf(seed + 2)]
  const chains = chainIds.map((chainId, place) => new SoakChain(chainId, seed * 10 + place, reorgDepth, place === 0))
  for (const chain of chains) chain.grow(options.blocks)
  const oracles = new Map(chains.map((chain) => [chain.chainId, new Oracle(chain)]))
  for (const oracle of oracles.values()) oracle.chain.view = viewOf(oracle)
  const nodes = chains.map((chain, place) => startReplayNode(chain, { seed: seed + place, behind: 3 }))
  const folder = openTemporaryFolder("cowry-soak-")
  // A server of its own where it is killed: others work on the common one.
  const cluster = options.crashEvery === undefined ? undefined : await startCluster(18, undefined, true)
  const database = cluster?.urlOf("postgres") ?? (await testDatabase())
  let kills = 0
  let service: Service | undefined
  let receivers: Receivers | undefined
  try {
    const settings = { DATABASE_URL: database, PORT: `${await freePort()}`, ...settingsOf(nodes, reorgDepth, folder) }
    service = await startService(settings)
    const tester = new Tester(service.url, oracles, options.tell)
    const asking = new Asking(paths, chains)
    await caughtUp(service, tester, chains)
    await notesAreKnown(service, chainIds)
    receivers = await startReceivers(service.url, randomOf(seed + 3))
    for (let turn = 0; turn < options.turns && Date.now() < (options.until ?? Number.POSITIVE_INFINITY); turn++) {
      if (turn % 10 === 0) setFaults(nodes, chains, random.chance(0.6) ? options.faults : 0, noise)
      const asked = askMany(tester, new Asking(randomOf(seed * 1000 + turn), chains), paths)
      for (const chain of chains) change(chain, random, reorgDepth)
      await asked
      if (options.killEvery !== undefined && turn % options.killEvery === options.killEvery - 1) {
        await service.stop("SIGKILL")
        service = await startService(settings)
        kills++
      }
      if (options.crashEvery !== undefined && turn % options.crashEvery === options.crashEvery - 1) {
        await cluster!.crash()
        await answers(service)
        kills++
      }
      if (turn % 15 === 14) await caughtUp(service, tester, chains)
      options.progress?.({ ...totalsOf(chains), kills, checks: tester.checks, differences: tester.differences.length })
    }
    setFaults(nodes, chains, 0, noise)
    await caughtUp(service, tester, chains)
    await settle(tester, asking)
    await sweep(tester, asking)
    await sumsOfWallets(tester, asking)
    const exact = await auditStates(tester, asking)
    const states = chains.map(({ chainId, newest }) => oracles.get(chainId)!.find(newest.hash)!)
    for (const what of await receivers.settle(states)) tester.check("events", what)
    return { exact, ...totalsOf(chains), kills, checks: tester.checks, differences: tester.differences }
  } finally {
    await receivers?.stop()
    await service?.stop()
    await Promise.all(nodes.map(({ stop }) => stop()))
    await (cluster === undefined ? dropDatabase(database) : cluster.stop())
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A soak of hours has many. */
const dropDatabase = async (url: string): Promise<void> => {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = "/postgres"
  const sql = postgres(server.href, { max: 1, onnotice: () => {} })
  await sql.unsafe(`drop database ${name} with (force)`)
  await sql.end()
}

const settingsOf = (nodes: ReadonlyArray<ReplayNode>, reorgDepth: number, folder: string): Record<string, string> => {
  const [list, config] = [join(folder, "tokens.json"), join(folder, "config.json")]
  const tokens = chainIds.flatMap((chainId) =>
    trusted.map((address) => ({ chainId: Number(chainId), address, name: "Any", symbol: "ANY", decimals: 18 })),
  )
  const version = { major: 1, minor: 0, patch: 0 }
  writeFileSync(list, JSON.stringify({ name: "Soak", timestamp: new Date(0).toISOString(), version, tokens }))
  const facts = {
    nativeCurrency: { name: "Soak", symbol: "SOAK", decimals: 18 },
    supply: { kind: "fixed", total: nativeSupply },
    anchors: { [dollar]: { symbol: "USD" } },
  }
  writeFileSync(config, JSON.stringify({ chains: Object.fromEntries(chainIds.map((chainId) => [chainId, facts])) }))
  const ofChain = (chainId: string, place: number) => ({
    [`RPC_URL_${chainId}`]: nodes[place]!.url,
    [`FINALITY_${chainId}`]: `${reorgDepth}`,
    [`POLL_MS_${chainId}`]: "50",
    [`AUDIT_SECONDS_${chainId}`]: "2",
    [`VERIFY_${chainId}`]: place === 0 ? "full" : "range",
    [`WRAPPED_NATIVE_${chainId}`]: "0x000000000000000000000000000000000000007e",
    [`POOL_MANAGERS_${chainId}`]: "0x000000000000000000000000000000000000004a",
  })
  return {
    // No pool is as deep: one token is a dollar, and nothing else has a price.
    PRICES: "swaps",
    PRICE_MIN_DEPTH: `${1e12}`,
    PRICE_SECONDS: "1",
    TOKEN_LISTS: list,
    COWRY_CONFIG: config,
    LOG_LEVEL: "error",
    WEBHOOK_ALLOW_PRIVATE: "on",
    WEBHOOK_KEYS_SHA256: createHash("sha256").update(managerKey).digest("hex"),
    ...Object.assign({}, ...chainIds.map(ofChain)),
  }
}

/** What happens to a chain in a turn. */
const change = (chain: SoakChain, random: Random, reorgDepth: number): void => {
  const kind = random.below(20)
  if (kind < 2) return
  if (kind < 11) chain.grow()
  else if (kind < 14) chain.grow(2 + random.below(12))
  else if (kind < 18)
    chain.reorg(random.chance(0.15) ? reorgDepth : 1 + random.below(random.chance(0.5) ? 3 : reorgDepth))
  else chain.comeBack()
}

const setFaults = (
  nodes: ReadonlyArray<ReplayNode>,
  chains: ReadonlyArray<SoakChain>,
  share: number,
  random: Random,
): void => {
  for (const [place, { faults }] of nodes.entries()) {
    const chain = chains[place]!
    faults.errors = share
    faults.stale = share / 4
    faults.staleCalls = share / 20
    // What is left out in the middle of a range far below the head is seen by VERIFY=full alone.
    faults.hides = (block) => (place === 0 || block > chain.head - chain.finality) && random.chance(share / 20)
    faults.lacksReceipt = () => random.chance(share / 4)
    faults.delay = () => (random.chance(share / 2) ? random.below(60) : 0)
  }
}

const askMany = async (tester: Tester, asking: Asking, paths: Random): Promise<void> => {
  const asked = Array.from({ length: questionsOfTurn }, () => asking.random.pick(weighted)(asking))
  await inParallel(asked, width, (question) => tester.ask(question, paths))
}

/** Every connection that was lost has been made anew. */
const answers = async (service: Service): Promise<void> => {
  const ask = () => service.get(`/v2/network/mainnet/evm/all/erc20?limit=1&_=${Math.random()}`)
  let inTurn = 0
  for (const deadline = Date.now() + 60_000; inTurn < 10; await pause(20)) {
    inTurn = await ask().then(
      () => inTurn + 1,
      () => 0,
    )
    if (Date.now() > deadline) throw new Error(`the service does not come back\n${service.output().slice(-4000)}`)
  }
}

/** Where most calls fail that takes its time. */
const catchUpTimeoutMs = 300_000

const caughtUp = async (service: Service, tester: Tester, chains: ReadonlyArray<SoakChain>): Promise<void> => {
  for (const deadline = Date.now() + catchUpTimeoutMs; Date.now() < deadline; await pause(50)) {
    const heads = await tester.heads().catch((cause) => {
      throw new Error(`the service does not answer: ${cause}\n${service.output().slice(-4000)}`)
    })
    if (chains.every(({ chainId, newest }) => heads.get(chainId) === newest.hash)) return
  }
  throw new Error(`the service has not caught up after five minutes\n${service.output().slice(-4000)}`)
}

const totalsOf = (chains: ReadonlyArray<SoakChain>) => ({
  blocks: chains.reduce((sum, { head }) => sum + head + 1, 0),
  reorgs: chains.reduce((sum, { reorgs }) => sum + reorgs, 0),
  deepest: Math.max(...chains.map(({ deepest }) => deepest)),
  returns: chains.reduce((sum, { returns }) => sum + returns, 0),
})
