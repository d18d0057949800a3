/** follow over HTTP against nodes whose `eth_getLogs` counts logs anew in each transaction: their receipts tell such blocks, where the root proves them. */
import { expect, test } from "bun:test"
import { type Address, zeroAddress } from "../../../src/model/primitives.ts"
import { contentOf } from "../../contracts/content.ts"
import { address, nftTransfer, TestChain, type TestEvent, transfer } from "../../support/chain/testChain.ts"
import { startLyingNode } from "../../support/nodes/lyingNode.ts"
import { chainOf, replayOf, withReceipts } from "../../support/nodes/replayChain.ts"
import { type ReplayChain, type ReplayFaults, type ReplayLog, startReplayNode } from "../../support/nodes/replayNode.ts"
import { type Replay, startReplay } from "../replay.ts"
import { token } from "../traffic.ts"
import { chainId, comparable, truthOf } from "../world.ts"

const last = 50
const [a, b, c] = [address(0xa), address(0xb), address(0xc)] as const
const passOn = (from: Address, to: Address) => nftTransfer(token(1), from, to, 7n)

/** Block 1 mints the id, the others hold one log each, but for the odd ones. */
const chainWith = (odd: ReadonlyMap<number, ReadonlyArray<TestEvent>>): TestChain => {
  const chain = new TestChain()
  const plain = (block: number) =>
    block === 1 ? [nftTransfer(token(1), zeroAddress, a, 7n)] : [transfer(token(0), address(1), address(2), 5n)]
  for (let block = 0; block <= last; block++) chain.block(odd.get(block) ?? plain(block), { logIndex: 1 })
  return chain
}

/** In each block the first transaction has a log of no interest ahead of its own. `isAnew`: each receipt counts its logs from 0. */
const blocksOf = (chain: TestChain, isAnew: boolean): ReplayChain => {
  const plain = replayOf(chainId, chain)
  const blocks = Array.from({ length: last + 1 }, (_, number) => {
    const block = plain.find(number)!
    const receipts = block.receipts.filter(({ logs }) => logs.length > 0)
    const other = receipts.at(-1)!.logs[0]!
    const [first, ...more] = receipts.slice(0, -1)
    const { transactionHash } = first!
    const ahead = { ...other, transactionHash, transactionIndex: "0x0", logIndex: "0x0" }
    return { ...block, receipts: [{ transactionHash, logs: [ahead, ...first!.logs] }, ...more] }
  })
  const rooted = withReceipts(chainOf(chainId, blocks))
  if (!isAnew) return rooted
  const counted = blocks.map(({ number }) => {
    const block = rooted.find(number)!
    const anew = (logs: (typeof block.receipts)[number]["logs"]) =>
      logs.map((log, place) => ({ ...log, logIndex: `0x${place.toString(16)}` }))
    return { ...block, receipts: block.receipts.map((receipt) => ({ ...receipt, logs: anew(receipt.logs) })) }
  })
  return chainOf(chainId, counted)
}

/** The id's second transfer has index 0, its first has 1: sorted, they change places. */
const fallen = chainWith(new Map([[20, [passOn(a, b), passOn(b, c)]]]))
/** Two logs of such a block have one index, far below the head and near it. */
const twice = chainWith(
  new Map([
    [20, [passOn(a, b), passOn(b, c), passOn(c, a)]],
    [last - 2, [passOn(a, b), passOn(b, c), passOn(c, b)]],
  ]),
)

const play = async (
  chain: TestChain,
  nodes: ReadonlyArray<ReturnType<typeof startReplayNode>>,
  scene: (replay: Replay) => Promise<void> = (replay) =>
    replay.until(({ indexedBlock, problem }) => indexedBlock === last && problem === undefined),
) => {
  const replay = await startReplay({ urls: nodes.map(({ url }) => url) })
  try {
    await scene(replay)
    expect(comparable(await contentOf(replay.store, chainId, chain))).toEqual(await truthOf(chain))
  } finally {
    await replay.stop()
    await Promise.all(nodes.map((node) => node.stop()))
  }
}

const nodeOf = (chain: TestChain, isAnew: boolean, faults: ReplayFaults = {}) =>
  startReplayNode(blocksOf(chain, isAnew), faults)

test.concurrent("an order that falls behind that of the transactions is not stored: the id is whose it is", () =>
  play(fallen, [nodeOf(fallen, true)]))

test.concurrent("an index twice in a block, far below the head and near it, holds nobody up", () =>
  play(twice, [nodeOf(twice, true)]))

test.concurrent("nor where the node tells receipts one by one alone", () =>
  play(twice, [nodeOf(twice, true, { unknown: ["eth_getBlockReceipts"] })]))

const unserved = { unknown: ["eth_getBlockReceipts", "eth_getTransactionReceipt"] }

test.concurrent("without receipts such a block comes from another node", () =>
  play(twice, [nodeOf(twice, true, unserved), nodeOf(twice, false, unserved)]))

test.concurrent("without receipts and another node it stands, and the status says what helps", async () => {
  const right = startReplayNode(blocksOf(twice, false), unserved)
  const gate = startLyingNode(right.url)
  gate.lie = ({ method }, result) =>
    method === "eth_getLogs"
      ? (result as ReadonlyArray<ReplayLog>).map((log) =>
          log.blockNumber === "0x14" ? { ...log, logIndex: "0x0" } : log,
        )
      : result
  const replay = await startReplay({ urls: [gate.url] })
  try {
    await replay.until(({ problem = "" }) => problem.includes("another node, or a newer version of this one"))
    expect(replay.status().problem).toMatch(/log 0 of block 20 comes twice/)
    expect(replay.status().faults.order).toBeGreaterThan(0)
    gate.lie = undefined
    await replay.until(({ indexedBlock, problem }) => indexedBlock === last && problem === undefined)
    expect(comparable(await contentOf(replay.store, chainId, twice))).toEqual(await truthOf(twice))
  } finally {
    await replay.stop()
    await Promise.all([gate.stop(), right.stop()])
  }
})
