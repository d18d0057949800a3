/** follow over HTTP against nodes with the limits and faults of real ones: the ledger is exact, or it waits and says why. */
import { afterEach, describe, expect, test } from "bun:test"
import { type Random, randomOf } from "../../demo/chain/random.ts"
import { zeroAddress } from "../../src/model/primitives.ts"
import { contentOf } from "../contracts/content.ts"
import { address, nftTransfer, type TestChain, transfer } from "../support/chain/testChain.ts"
import { replayOf } from "../support/nodes/replayChain.ts"
import { type ReplayFaults, type ReplayNode, startReplayNode } from "../support/nodes/replayNode.ts"
import { type Replay, type ReplayOptions, startReplay } from "./replay.ts"
import { manager, newTrafficChain, randomEvent, token, weth } from "./traffic.ts"
import { chainId, comparable, truthOf } from "./world.ts"

/** As real chains are: many empty blocks, some full, log indexes with gaps, equal times. */
const chainOf = (random: Random, blocks: number): TestChain => {
  const chain = newTrafficChain()
  for (let made = 0; made < blocks; made++) {
    const count = random.chance(0.6) ? 0 : random.chance(0.1) ? 12 : 1 + random.below(3)
    const time = (chain.blocks.at(-1)?.header.time ?? 1_700_000_000) + random.below(3)
    chain.block(
      Array.from({ length: count }, () => randomEvent(random)),
      { time, logIndex: random.below(50) },
    )
  }
  return chain
}

const stops: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})
const startNode = (...args: Parameters<typeof startReplayNode>): ReplayNode => {
  const node = startReplayNode(...args)
  stops.push(node.stop)
  return node
}
const start = async (options: ReplayOptions): Promise<Replay> => {
  const settings = { wrappedNative: [weth], poolManagers: [manager], ...options.settings }
  const replay = await startReplay({ poolOf: (pool) => newTrafficChain().pools.get(pool), ...options, settings })
  stops.push(replay.stop)
  return replay
}

const isAtHead = (chain: TestChain) => (status: { indexedBlock?: number }) =>
  status.indexedBlock === chain.nextBlock - 1
const expectTruth = async ({ store }: Replay, chain: TestChain) =>
  expect(comparable(await contentOf(store, chainId, chain))).toEqual(await truthOf(chain))

describe("the ledger is exact", () => {
  const hard: ReadonlyArray<[string, ReplayFaults]> = [
    ["ranges of 7 blocks at most", { mostBlocks: 7 }],
    [
      "ranges of 100 blocks and 10 logs at most, so that some blocks come by their receipts",
      { mostBlocks: 100, mostLogs: 10 },
    ],
    ["receipts one by one", { mostLogs: 3, unknown: ["eth_getBlockReceipts"] }],
    ["no batches", { mostCalls: 1 }],
    ["one request in five failing", { errors: 0.2, mostBlocks: 30 }],
    ["requests that are never answered", { stalls: 0.05, mostBlocks: 60 }],
    ["one request in five answered by a node that is far behind", { stale: 0.2, behind: 120, mostBlocks: 50 }],
    ["the same, and no batches", { stale: 0.2, behind: 120, mostCalls: 1 }],
    [
      "all of it at once",
      { errors: 0.2, stalls: 0.01, stale: 0.1, behind: 60, mostBlocks: 40, mostLogs: 11, mostCalls: 20 },
    ],
  ]
  for (const [place, [name, faults]] of hard.entries()) {
    test(`with ${name}`, async () => {
      const chain = chainOf(randomOf(place + 1), 300)
      const node = startNode(replayOf(chainId, chain), { seed: place + 1, ...faults })
      const replay = await start({ urls: [node.url], settings: { verify: place % 2 === 0 ? "range" : "full" } })
      await replay.until(isAtHead(chain))
      await expectTruth(replay, chain)
    })
  }
})

describe("nodes at one address that are not level lose no log", () => {
  const lagging: ReadonlyArray<[string, ReplayFaults]> = [
    ["where ranges of logs end before the headers do", { staleRanges: true, behind: 120 }],
    ["where each call of a request may meet a node that is behind", { staleCalls: 0.3, behind: 120, mostBlocks: 50 }],
    ["where each single request may", { stale: 0.15, behind: 100, mostCalls: 1 }],
  ]
  const kinds: ReadonlyArray<[string, "true" | "zero", boolean]> = [
    ["", "true", true],
    [", and blooms are all zero", "zero", true],
    [", with BLOOM=off", "true", false],
  ]
  for (const [name, faults] of lagging) {
    for (const [also, kind, bloom] of kinds) {
      test(`${name}${also}`, async () => {
        const chain = chainOf(randomOf(20), 200)
        const node = startNode(replayOf(chainId, chain, kind), { seed: 20, ...faults })
        const replay = await start({ urls: [node.url], bloom })
        await replay.until(isAtHead(chain))
        await expectTruth(replay, chain)
        expect(replay.status().doubt).toBeUndefined()
      })
    }
  }

  test("where the second of two is level, and few tokens are followed", async () => {
    const chain = chainOf(randomOf(21), 300)
    const behind = startNode(replayOf(chainId, chain), { staleRanges: true, behind: 120 })
    const level = startNode(replayOf(chainId, chain))
    const followed = { tokens: [token(1)], wrappedNative: [] }
    const replay = await start({ urls: [behind.url, level.url], settings: followed })
    await replay.until(isAtHead(chain))
    const truth = await start({ urls: [level.url], settings: followed })
    await truth.until(isAtHead(chain))
    const seen = [replay, truth].map(({ store }) => contentOf(store, chainId, chain).then(comparable))
    expect(await seen[0]).toEqual(await seen[1]!)
    expect(replay.status().logs).toBeGreaterThan(0)
  })
})

describe("logs that a node keeps back", () => {
  /** A block in the middle and one near the head, each with logs. */
  const hiddenBlocks = (chain: TestChain) => {
    const full = chain.blocks.filter(({ nfts }) => nfts.length > 0).map(({ header }) => header.number)
    return { final: full[Math.floor(full.length / 2)]!, recent: full.at(-1)! }
  }

  for (const where of ["final", "recent"] as const) {
    test(`of a ${where} block are missed by the bloom, shown by the receipts, and waited for`, async () => {
      const chain = chainOf(randomOf(7), 120)
      const hidden = hiddenBlocks(chain)[where]
      const node = startNode(replayOf(chainId, chain), { hides: (block) => block === hidden })
      const replay = await start({ urls: [node.url], settings: { verify: "full" } })
      await replay.until(
        ({ problem }) => problem?.startsWith(`block ${hidden}: 0 token logs came, its receipts hold`) === true,
      )
      expect(replay.status().indexedBlock ?? -1).toBeLessThan(hidden)
      expect(replay.lines.filter((line) => line.includes(`block ${hidden}: 0 token logs came`)).length).toBe(1)
      delete node.faults.hides
      await replay.until(isAtHead(chain))
      expect(replay.status().problem).toBeUndefined()
      await expectTruth(replay, chain)
    })
  }

  test("of the last block of a range are noticed without VERIFY=full", async () => {
    const chain = chainOf(randomOf(8), 119).block([transfer(token(1), zeroAddress, address(0xa0), 5n)])
    for (let made = 0; made < 10; made++) chain.block()
    const node = startNode(replayOf(chainId, chain), { hides: (block) => block === 119 })
    const replay = await start({ urls: [node.url] })
    await replay.until(({ problem }) => problem?.startsWith("block 119: 0 token logs came") === true)
    delete node.faults.hides
    await replay.until(isAtHead(chain))
    await expectTruth(replay, chain)
  })

  test("are had from the second node, which is then asked first", async () => {
    const chain = chainOf(randomOf(9), 120)
    const { final, recent } = hiddenBlocks(chain)
    const unknown = ["eth_getBlockReceipts"]
    const bad = startNode(replayOf(chainId, chain), { hides: (block) => block === final || block === recent, unknown })
    const good = startNode(replayOf(chainId, chain), { unknown })
    const replay = await start({ urls: [bad.url, good.url], settings: { verify: "full" } })
    await replay.until(isAtHead(chain))
    await expectTruth(replay, chain)
    expect(replay.lines.some((line) => line.includes(`block ${final}: 0 token logs came, asked again it holds`))).toBe(
      true,
    )
  })

  test("by ranges only are noticed where nothing but the hash is left to ask by", async () => {
    const chain = chainOf(randomOf(10), 49).block([nftTransfer(token(3), zeroAddress, address(0xa0), 77n)])
    for (let made = 0; made < 10; made++) chain.block()
    let asked = 0
    const hides = (block: number) => block === 49 && ++asked < 3
    const node = startNode(replayOf(chainId, chain), { hides, unknown: ["eth_getBlockReceipts"] })
    const replay = await start({ urls: [node.url] })
    await replay.until(isAtHead(chain))
    await expectTruth(replay, chain)
  })
})

/** On a slow machine a call may take too long, and is made again. */
const isNoRetry = (line: string) => !line.includes("asked again")

describe("honest chains", () => {
  // What is counted is not asked again because a busy machine was slow.
  const timeoutMs = 20_000
  test("whose blooms are all zero are believed after one check, with one warning", async () => {
    const chain = chainOf(randomOf(11), 200)
    const node = startNode(replayOf(chainId, chain, "zero"))
    const replay = await start({ urls: [node.url], timeoutMs, settings: { verify: "full" } })
    await replay.until(isAtHead(chain))
    await expectTruth(replay, chain)
    expect(node.counts.get("eth_getBlockReceipts")).toBe(1)
    expect(replay.lines.filter((line) => line.includes("logsBloom")).length).toBe(1)
  })

  test("cost no question more while blooms are true", async () => {
    const chain = chainOf(randomOf(12), 200)
    const node = startNode(replayOf(chainId, chain))
    const replay = await start({ urls: [node.url], timeoutMs, settings: { verify: "full" } })
    await replay.until(isAtHead(chain))
    expect(node.counts.get("eth_getBlockReceipts")).toBeUndefined()
    expect(replay.lines.filter(isNoRetry)).toEqual([])
  })

  test("of which few tokens are followed are not doubted again and again", async () => {
    const chain = chainOf(randomOf(13), 200)
    const node = startNode(replayOf(chainId, chain))
    const replay = await start({
      urls: [node.url],
      timeoutMs,
      settings: { verify: "full", tokens: [token(1)], wrappedNative: [] },
    })
    await replay.until(isAtHead(chain))
    expect(node.counts.get("eth_getBlockReceipts") ?? 0).toBeLessThan(5)
  })

  test("with BLOOM=off are asked nothing about blooms", async () => {
    const chain = chainOf(randomOf(14), 60)
    const node = startNode(replayOf(chainId, chain, "zero"))
    const replay = await start({ urls: [node.url], timeoutMs, bloom: false })
    await replay.until(isAtHead(chain))
    expect([node.counts.get("eth_getBlockReceipts"), replay.lines.filter(isNoRetry)]).toEqual([undefined, []])
  })
})

describe("receipts that are not whole", () => {
  test("are never taken for the block's logs", async () => {
    const chain = chainOf(randomOf(15), 80)
    const big = chain.blocks.find(({ logs }) => logs.length > 3)!.header.number
    const node = startNode(replayOf(chainId, chain), { mostLogs: 3, lacksReceipt: (block) => block === big })
    const replay = await start({ urls: [node.url] })
    await replay.until(({ problem }) => problem?.includes(`receipt`) === true)
    expect(replay.status().indexedBlock ?? -1).toBeLessThan(big)
    delete node.faults.lacksReceipt
    await replay.until(isAtHead(chain))
    await expectTruth(replay, chain)
  })
})

test("a budget of calls is kept, whatever the requests hold", async () => {
  const chain = chainOf(randomOf(16), 120)
  const node = startNode(replayOf(chainId, chain))
  const replay = await start({ urls: [node.url], callsPerSecond: 100, settings: { verify: "full" } })
  await replay.until(isAtHead(chain))
  await expectTruth(replay, chain)
  // The client's own budget and that of its checks of chain ids: each a burst of a quarter, and one request at the edge.
  for (const { at } of node.requests) {
    const within = node.requests.filter((other) => other.at >= at && other.at < at + 1000)
    expect(within.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThanOrEqual(100 + 25 + 50 + 1)
  }
})
