/** follow over HTTP against a node that announces a block far above its chain's: nothing is final for that, and what is taken back later is. */
import { expect, test } from "bun:test"
import { randomOf } from "../../../demo/chain/random.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { contentOf } from "../../contracts/content.ts"
import type { TestChain } from "../../support/chain/testChain.ts"
import { startLyingNode } from "../../support/nodes/lyingNode.ts"
import { replayOf, withReceipts } from "../../support/nodes/replayChain.ts"
import { type ReplayChain, startReplayNode } from "../../support/nodes/replayNode.ts"
import { type Replay, startReplay } from "../replay.ts"
import { manager, newTrafficChain, randomEvent, weth } from "../traffic.ts"
import { chainId, comparable, truthOf } from "../world.ts"

const far = 20_000_000
/** As of a node that is a few blocks ahead, and alone with it. */
const near = 458

const grow = (chain: TestChain, seed: number, to: number): TestChain => {
  const random = randomOf(seed)
  while (chain.nextBlock < to) {
    const events = Array.from({ length: 1 + random.below(3) }, () => randomEvent(random))
    chain.block(events, { salt: String(seed) })
  }
  return chain
}
/** Of one chain until block 447, of two from there on. */
const stale = grow(grow(newTrafficChain(), 1, 447), 2, 450)
const chain = grow(grow(newTrafficChain(), 1, 447), 3, 454)
const replays = { stale: withReceipts(replayOf(chainId, stale)), chain: withReceipts(replayOf(chainId, chain)) }

const startWorld = async (announced: number) => {
  const state = { shown: replays.stale, head: 439 }
  const shown: ReplayChain = {
    ...replays.stale,
    get head() {
      return state.head
    },
    find: (key) => {
      const block = state.shown.find(key)
      return block !== undefined && block.number <= state.head ? block : undefined
    },
    withLogs: (from, to) => state.shown.withLogs(from, Math.min(to, state.head)),
  }
  const honest = startReplayNode(shown)
  const node = startLyingNode(honest.url)
  /** How many looks at the head are answered so from now on, and the highest block of which a range's logs were asked for. */
  const lies = { left: 0, asked: 0, looks: 0 }
  node.lie = ({ method, params }, result) => {
    if (method === "eth_getLogs") lies.asked = Math.max(lies.asked, Number(Object(params[0]).toBlock ?? 0))
    if (method !== "eth_getBlockByNumber" || String(params[0]) !== "latest" || lies.left === 0) return result
    lies.looks++
    lies.left--
    return { ...(result as object), number: `0x${announced.toString(16)}` }
  }
  const start = () =>
    startReplay({
      urls: [node.url],
      settings: { wrappedNative: [weth], poolManagers: [manager], rpcConcurrency: 1 },
      poolOf: (pool) => chain.pools.get(pool),
      timeoutMs: 10_000,
    })
  const stop = () => Promise.all([node.stop(), honest.stop()])
  return { state, lies, faults: honest.faults, start, stop }
}

/** As it is stored. */
const nodeHeadOf = async ({ store }: Replay) => (await store.run(Freshness.use((it) => it.newest(chainId))))!.nodeHead

test.concurrent("of a node that always announces some blocks more than it has all that there are come, and the next ones", async () => {
  const { state, lies, start, stop } = await startWorld(452)
  state.head = 449
  lies.left = Number.POSITIVE_INFINITY
  const replay = await start()
  try {
    await replay.until(({ indexedBlock, phase }) => indexedBlock === 449 && phase === "live")
    expect(replay.status().finalizedBlock).toBeLessThanOrEqual(449 - 10)
    expect(lies.looks).toBeLessThan(100)
  } finally {
    await replay.stop()
    await stop()
  }
})

for (const [where, announced] of [
  ["at the head", far],
  ["ahead of a backfill", far],
  ["ahead of a backfill", near],
  ["in the middle of one", far],
] as const) {
  test.concurrent(`block ${announced} told ${where} it makes no block final, and the newest ones can be taken back`, async () => {
    const { state, lies, faults, start, stop } = await startWorld(announced)
    if (where !== "at the head") state.head = 449
    if (where === "ahead of a backfill") lies.left = 4
    // The head is looked at every two seconds meanwhile.
    if (where === "in the middle of one") faults.delay = () => 500
    const replay = await start()
    try {
      if (where === "at the head") await replay.until(({ indexedBlock }) => indexedBlock === 439)
      if (where === "in the middle of one") await replay.until(({ phase }) => phase === "backfill")
      if (where !== "ahead of a backfill") lies.left = 4
      if (where === "in the middle of one") {
        await replay.until(({ phase }) => lies.left < 4 || phase !== "backfill")
        expect(replay.status().phase).toBe("backfill")
      }
      state.head = 449
      await replay.until(
        ({ indexedBlock, problem }) => indexedBlock === 449 && problem === undefined && lies.left === 0,
      )
      expect(replay.status().finalizedBlock).toBeLessThanOrEqual(449 - 10)
      expect(await nodeHeadOf(replay)).toBeLessThanOrEqual(449)
      faults.delay = () => 0
      state.shown = replays.chain
      state.head = 453
      await replay.until(({ indexedBlock, problem }) => indexedBlock === 453 && problem === undefined)
      expect(replay.status().reorgs).toEqual({ count: 1, blocks: 3, deepest: 3 })
      expect(replay.status().finalizedBlock).toBe(443)
      expect(comparable(await contentOf(replay.store, chainId, chain))).toEqual(await truthOf(chain))
      expect(lies.asked).toBeLessThan(440)
    } finally {
      await replay.stop()
      await stop()
    }
  })
}
