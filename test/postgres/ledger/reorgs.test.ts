/** Reorgs of every depth, one after another, on a chain of all standards and swaps: what is stored is the fold of the chain that remains. REORGS = how many. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { type Random, randomOf } from "../../../demo/chain/random.ts"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { managedPool } from "../../../src/model/poolKey.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import { contentOf } from "../../contracts/content.ts"
import { openStore } from "../../contracts/store.ts"
import { type Replay, startReplay } from "../../ingest/replay.ts"
import { manager, newTrafficChain, randomEvent, token, weth } from "../../ingest/traffic.ts"
import { chainId, comparable, truthOf } from "../../ingest/world.ts"
import { address, type TestBlock, type TestChain, transfer } from "../../support/chain/testChain.ts"
import { FakeNode } from "../../support/nodes/fakeNode.ts"
import { testDatabase } from "../../support/postgres.ts"
import { contentOfTables, findDisorder } from "./ledger.support.ts"
import { naiveContent } from "./naiveLedger.ts"

const reorgs = Number(process.env.REORGS ?? 12)
const seed = Number(process.env.REORGS_SEED ?? 1)
const finality = 64

/** Also tokens that nobody has seen before: a reorg unmakes them. */
const grow = (random: Random, chain: TestChain, blocks: number) => {
  for (let made = 0; made < blocks; made++) {
    const events = Array.from({ length: random.below(4) }, () =>
      random.chance(0.05)
        ? transfer(address(0x10_000 + random.below(50)), zeroAddress, address(0xa0), 5n)
        : randomEvent(random),
    )
    // Some of a third of a day, so that rows pass the edges of the rolling counts.
    const pause = random.chance(0.05) ? 30_000 : random.below(13)
    chain.block(events, { time: chain.blocks.at(-1)!.header.time + pause, salt: String(random.word()) })
  }
}

/** The chain, which parts from itself again and again; never below what was final once. */
const makeStory = () => {
  const random = randomOf(seed)
  const chain = newTrafficChain()
  for (const id of [0, 1, 2]) {
    const pool = managedPool(manager, `0x${String(id).padStart(64, "0")}`)
    const facts = { token0: zeroAddress, token1: token(1), decimals0: 18, decimals1: 18 }
    chain.pools.set(pool, { pool, ...facts, factory: manager })
  }
  chain.block()
  grow(random, chain, 69)
  let final = chain.nextBlock - 1 - finality
  let orphans: ReadonlyArray<TestBlock> = []
  const depths = new Map<number, number>()
  let returned = 0
  const head = () => chain.nextBlock - 1
  /** How deep it was. */
  const reorg = (): number => {
    const returns = orphans.length > 0 && orphans[0]!.header.number > final && random.chance(0.3)
    const deepest = head() - final
    const depth = returns ? head() - orphans[0]!.header.number + 1 : 1 + random.below(deepest)
    const fork = head() - depth + 1
    const before = chain.blocks.slice(fork)
    chain.truncate(fork)
    // The very blocks that were there before.
    if (returns) chain.blocks.push(...orphans)
    returned += returns ? 1 : 0
    orphans = before
    grow(
      random,
      chain,
      Math.max(
        returns ? 0 : 1,
        head() < fork + depth - 1 || random.chance(0.8) ? depth - (chain.nextBlock - fork) : 0,
      ) + random.below(4),
    )
    final = Math.max(final, head() - finality)
    depths.set(depth, (depths.get(depth) ?? 0) + 1)
    return depth
  }
  return { chain, reorg, finalized: () => final, depths, returned: () => returned }
}

let sql: postgres.Sql
let url: string
beforeAll(async () => {
  url = await testDatabase()
  sql = postgres(url, { max: 4, onnotice: () => {} })
})
afterAll(() => sql.end())

const follow = async (store: NonNullable<Parameters<typeof startReplay>[0]["store"]>, chain: TestChain) => {
  const replay = await startReplay({
    urls: [],
    source: new FakeNode(chain),
    store,
    poolOf: (pool) => chain.pools.get(pool),
    settings: { wrappedNative: [weth], poolManagers: [manager], finality, pollMs: 2 },
  })
  await reached(replay, chain, 0)
  return replay
}

const reached = (replay: Replay, chain: TestChain, count: number) =>
  replay.until((status) => status.reorgs.count === count && status.indexedBlock === chain.nextBlock - 1)

for (const [name, open] of [
  ["memory", async () => openStore(async () => MemoryStore.layer)],
  ["PostgreSQL", async () => openStore(async () => PostgresStore.layer({ url }))],
] as const) {
  test(`${reorgs} reorgs leave in ${name} what a naive fold of the chain gives`, async () => {
    const { chain, reorg, finalized, depths, returned } = makeStory()
    const replay = await follow(await open(), chain)
    const compare = async (reads: boolean) => {
      if (name === "PostgreSQL") {
        const tables = JSON.parse(JSON.stringify(await contentOfTables(sql, chainId)))
        expect(tables).toEqual(naiveContent(chain, finalized(), chain.nextBlock - 1))
        expect([...(await findDisorder(sql, chainId))]).toEqual([])
      }
      if (reads) expect(comparable(await contentOf(replay.store, chainId, chain))).toEqual(await truthOf(chain))
    }
    let blocks = 0
    for (let made = 1; made <= reorgs; made++) {
      blocks += reorg()
      await reached(replay, chain, made)
      await compare(made % 50 === 0 || made === reorgs)
    }
    const deepest = Math.max(...depths.keys())
    expect(replay.status().reorgs).toEqual({ count: reorgs, blocks, deepest })
    expect([deepest > 32, returned() > 0]).toEqual([true, true])
    await replay.stop()
  })
}
