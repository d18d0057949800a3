/** follow over HTTP on a chain whose receiptsRoot says nothing (of Ethermint's kind) against a node that keeps logs back in logs and receipts alike: its blooms matched, so it is not believed. */
import { expect, test } from "bun:test"
import { contentOf } from "../contracts/content.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { type LyingNode, startLyingNode } from "../support/nodes/lyingNode.ts"
import { chainOf, replayOf, withReceipts } from "../support/nodes/replayChain.ts"
import { type ReplayChain, startReplayNode } from "../support/nodes/replayNode.ts"
import { type Replay, startReplay } from "./replay.ts"
import { token } from "./traffic.ts"
import { chainId, comparable, truthOf } from "./world.ts"

const past = 50
const last = 59

const chain = new TestChain()
for (let block = 0; block <= last; block++) {
  chain.block([
    transfer(token(block % 3), address(block), address(block + 1), 5n),
    transfer(token(3), address(1), address(2), 7n),
  ])
}
/** The root of no receipts, in every header. */
const root = `0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421`
const rooted = withReceipts(replayOf(chainId, chain))
const whole = chainOf(
  chainId,
  Array.from({ length: last + 1 }, (_, number) => rooted.find(number)!).map((block) => ({
    ...block,
    header: { ...block.header, receiptsRoot: root },
  })),
)
const shown = (state: { head: number }): ReplayChain => ({
  ...whole,
  get head() {
    return state.head
  },
  find: (key) => {
    const block = whole.find(key)
    return block !== undefined && block.number <= state.head ? block : undefined
  },
  withLogs: (from, to) => whole.withLogs(from, Math.min(to, state.head)),
})

type Raw = Record<string, unknown>
const listOf = (result: unknown) => result as ReadonlyArray<Raw>
/** Every log of the first tokens is gone from this block on. */
const keepBack = (node: LyingNode, from: number) => {
  const isKept = (log: Raw) => Number(log.blockNumber) < from || log.address === token(3) || Number(log.logIndex) > 9
  node.lie = ({ method }, result) => {
    if (method === "eth_getLogs") return listOf(result).filter(isKept)
    if (method !== "eth_getBlockReceipts" || result === null) return result
    return listOf(result).map((receipt) => ({ ...receipt, logs: listOf(receipt.logs).filter(isKept) }))
  }
}

const isDenied = (problem = "") =>
  /token logs came, (and of its receipts they lack logs that its header's logsBloom shows|its receipts hold 2)/.test(
    problem,
  )

const play = async (
  honestToo: boolean,
  scene: (it: { readonly replay: Replay; readonly node: LyingNode; readonly state: { head: number } }) => Promise<void>,
  head = past,
  lieFrom?: number,
) => {
  const state = { head }
  const honest = startReplayNode(shown(state))
  const node = startLyingNode(honest.url)
  if (lieFrom !== undefined) keepBack(node, lieFrom)
  const replay = await startReplay({ urls: honestToo ? [node.url, honest.url] : [node.url] })
  try {
    await scene({ replay, node, state })
    expect(comparable(await contentOf(replay.store, chainId, chain))).toEqual(await truthOf(chain))
  } finally {
    await replay.stop()
    await Promise.all([node.stop(), honest.stop()])
  }
}

test.concurrent("alone, from a block on: counted, said, and never stored", () =>
  play(false, async ({ replay, node, state }) => {
    await replay.until(({ indexedBlock }) => indexedBlock === past)
    keepBack(node, past + 1)
    state.head = last
    await replay.until(({ problem, faults }) => isDenied(problem) && faults.receipts > 1)
    expect(replay.status().problem).toContain(`block ${past + 1}: 1 token logs came`)
    expect(replay.status().problem).toContain("RECEIPTS_1=off")
    expect(replay.status().indexedBlock).toBe(past)
    node.lie = undefined
    await replay.until(({ indexedBlock, problem }) => indexedBlock === last && problem === undefined)
  }))

test.concurrent("alone, from the start of the process on: blocks further below show that blooms tell", () =>
  play(
    false,
    async ({ replay, node }) => {
      await replay.until(({ problem }) => isDenied(problem))
      expect(replay.status().indexedBlock).toBeLessThan(last - 5)
      node.lie = undefined
      await replay.until(({ indexedBlock, problem }) => indexedBlock === last && problem === undefined)
    },
    last,
    last - 5,
  ))

for (const [when, head, lieFrom] of [
  ["from a block on", past, undefined],
  ["from the start of the process on", last, last - 5],
] as const) {
  test.concurrent(`beside an honest node, ${when}: counted, said, and what that one tells is stored`, () =>
    play(
      true,
      async ({ replay, node, state }) => {
        const problems: Array<string | undefined> = []
        if (lieFrom === undefined) {
          await replay.until(({ indexedBlock }) => indexedBlock === past)
          keepBack(node, past + 1)
          state.head = last
        }
        await replay.until(({ indexedBlock, problem }) => {
          problems.push(problem)
          return indexedBlock === last && problem === undefined
        })
        const { faults } = replay.status()
        expect(faults.receipts + faults.logs).toBeGreaterThan(0)
        expect(
          replay.lines.some((line) => /is refused \((logs|receipts).*lack logs|its receipts hold 2/.test(line)),
        ).toBe(true)
      },
      head,
      lieFrom,
    ))
}
