/** follow over HTTP against a node that lies or is broken, in backfill and at the head: nothing false is stored, the status says what is wrong, and it goes on once the node is honest. */
import { expect, test } from "bun:test"
import { randomOf } from "../../demo/chain/random.ts"
import type { FaultKind } from "../../src/model/fault.ts"
import { Address } from "../../src/model/primitives.ts"
import { contentOf } from "../contracts/content.ts"
import { type TestChain, transfer } from "../support/chain/testChain.ts"
import { type LyingNode, startLyingNode } from "../support/nodes/lyingNode.ts"
import { replayOf, withReceipts } from "../support/nodes/replayChain.ts"
import { type ReplayChain, startReplayNode } from "../support/nodes/replayNode.ts"
import { startReplay } from "./replay.ts"
import { manager, newTrafficChain, randomEvent, token, weth } from "./traffic.ts"
import { chainId, comparable, truthOf } from "./world.ts"

const past = 90
const length = 100
const hex = (number: number) => `0x${number.toString(16)}`

/** Every block has two logs at least, of transactions of their own. */
const grow = (chain: TestChain, seed: number, to = length): TestChain => {
  const random = randomOf(seed)
  while (chain.nextBlock < to) {
    const events = Array.from({ length: random.below(3) }, () => randomEvent(random))
    const alice = Address.make(`0x${"a1".repeat(20)}`)
    chain.block([...events, transfer(token(0), alice, alice, 1n), transfer(token(0), alice, alice, 2n)], {
      salt: String(seed),
    })
  }
  return chain
}

const chain = grow(newTrafficChain(), 1)
const whole = withReceipts(replayOf(chainId, chain))

/** Shown up to `head`, which moves. */
const shown = (all: ReplayChain, state: { head: number }): ReplayChain => ({
  ...all,
  get head() {
    return state.head
  },
  find: (key) => {
    const block = all.find(key)
    return block !== undefined && block.number <= state.head ? block : undefined
  },
  withLogs: (from, to) => all.withLogs(from, Math.min(to, state.head)),
})

interface Scene {
  readonly node: LyingNode
  /** The node's newest block. */
  readonly head: () => number
  /** Urls of other chains, by which it may answer; stopped at the end. */
  readonly another: (other: ReplayChain) => string
}

interface Scenario {
  readonly name: string
  readonly kind: FaultKind
  readonly where: ReadonlyArray<"backfill" | "head">
  readonly lie: (scene: Scene) => void
  /** Of the status while it lies. */
  readonly says?: RegExp
  readonly verify?: "full"
}

type Raw = Record<string, unknown>
const isBlock = (method: string) => method === "eth_getBlockByNumber" || method === "eth_getBlockByHash"
const numberOf = (block: unknown) => Number((block as Raw).number)
const logsOf = (result: unknown) => result as ReadonlyArray<Raw>
/** Lies about blocks from here on are of the newest ones, at the head; else of every one. */
const withBlocks = (node: LyingNode, change: (block: Raw) => unknown) => {
  node.lie = ({ method }, result) => (isBlock(method) && result !== null ? change(result as Raw) : result)
}
const withLogs = (node: LyingNode, change: (logs: ReadonlyArray<Raw>) => ReadonlyArray<Raw>) => {
  node.lie = ({ method }, result) => (method === "eth_getLogs" ? change(logsOf(result)) : result)
}
const ask = async (url: string, method: string, params: ReadonlyArray<unknown>) => {
  const answer = await fetch(url, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) })
  return ((await answer.json()) as { result?: unknown }).result ?? null
}

const both = ["backfill", "head"] as const
const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "null for blocks it announced",
    kind: "behind",
    where: both,
    lie: ({ node }) => {
      node.lie = ({ method, params }, result) =>
        method === "eth_getBlockByNumber" && String(params[0]) !== "latest" && Number(params[0]) > 80 ? null : result
    },
  },
  {
    name: "a head far below the ledger's",
    kind: "behind",
    where: ["head"],
    lie: ({ node }) => {
      node.lie = ({ method, params }, result) =>
        method === "eth_getBlockByNumber" && String(params[0]) === "latest" ? ask(node.url, method, [hex(20)]) : result
    },
  },
  {
    name: "logs of another fork than the headers'",
    kind: "fork",
    where: ["backfill"],
    lie: ({ node, another }) => {
      const url = another(withReceipts(replayOf(chainId, grow(grow(newTrafficChain(), 1, 30), 2))))
      node.lie = ({ method, params }, result) => (method === "eth_getLogs" ? ask(url, method, params) : result)
    },
  },
  {
    name: "one log of several kept back",
    kind: "logs",
    where: ["head"],
    says: /token logs came, its receipts hold \d+; it is not stored/,
    lie: ({ node }) => withLogs(node, (logs) => logs.slice(0, -1)),
  },
  {
    name: "a log invented in a transaction that has it not",
    kind: "logs",
    where: ["head"],
    says: /some of which are in no receipt/,
    lie: ({ node }) =>
      withLogs(node, (logs) => {
        const last = logs.at(-1)
        return last === undefined ? logs : [...logs, { ...last, logIndex: hex(Number(last.logIndex) + 1000) }]
      }),
  },
  {
    name: "a transaction's logs kept back in logs and in receipts alike",
    kind: "receipts",
    where: ["head"],
    says: /receipts/,
    lie: ({ node }) => {
      const last = (entries: ReadonlyArray<Raw>) => entries.at(-1)?.transactionHash
      node.lie = ({ method }, result) => {
        if (method === "eth_getLogs") return logsOf(result).filter((log, _, all) => log.transactionHash !== last(all))
        if (method !== "eth_getBlockReceipts" || result === null) return result
        const receipts = logsOf(result)
        const hidden = receipts.findLast(({ logs }) =>
          (logs as ReadonlyArray<Raw>).some((log) => log.address === token(0)),
        )
        return receipts.filter((receipt) => receipt !== hidden)
      }
    },
  },
  {
    name: "the indexes of a block's logs the other way round, and no places of their transactions",
    kind: "order",
    where: ["head"],
    says: /in another order than its receipts have them/,
    lie: ({ node }) =>
      withLogs(node, (logs) =>
        logs.map((log, at) => ({ ...log, transactionIndex: null, logIndex: logs.at(-1 - at)!.logIndex })),
      ),
  },
  {
    name: "every log's index one too high",
    kind: "order",
    where: ["head"],
    says: /of which number \d+ is \d+ in its receipts/,
    lie: ({ node }) =>
      withLogs(node, (logs) => logs.map((log) => ({ ...log, logIndex: hex(Number(log.logIndex) + 1) }))),
  },
  {
    name: "one log kept back, and no receipts to show it",
    kind: "receipts",
    where: ["head"],
    says: /none of the nodes gave its receipts.+expected a list, got null.+RECEIPTS_1=off/,
    lie: ({ node }) => {
      node.lie = ({ method }, result) =>
        method === "eth_getLogs" ? logsOf(result).slice(1) : method === "eth_getBlockReceipts" ? null : result
    },
  },
  {
    name: "no logs of old blocks, as if it had been pruned",
    kind: "logs",
    where: ["backfill"],
    lie: ({ node }) => withLogs(node, () => []),
  },
  {
    name: "logs twice",
    kind: "order",
    where: both,
    lie: ({ node }) => withLogs(node, (logs) => [...logs, ...logs.slice(-1)]),
  },
  {
    name: "logs with the hash of another block",
    kind: "fork",
    where: both,
    lie: ({ node }) => withLogs(node, (logs) => logs.map((log) => ({ ...log, blockHash: `0x${"ab".repeat(32)}` }))),
  },
  {
    name: "a block older than the one before it",
    kind: "time",
    where: both,
    lie: ({ node }) => withBlocks(node, (block) => (numberOf(block) > 70 ? { ...block, timestamp: "0x5" } : block)),
  },
  {
    name: "times beyond every calendar",
    kind: "time",
    where: both,
    lie: ({ node }) => withBlocks(node, (block) => ({ ...block, timestamp: "0x3fffffffffffff" })),
  },
  {
    name: "garbage",
    kind: "call",
    where: both,
    lie: ({ node }) => {
      node.body = () => new Response("%PDF-1.4 \u0000 garbage")
    },
  },
  {
    name: "a page in HTML",
    kind: "call",
    where: both,
    lie: ({ node }) => {
      node.body = () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } })
    },
  },
  {
    name: "half an answer",
    kind: "call",
    where: both,
    lie: ({ node }) => {
      node.body = (honest) => new Response(honest.slice(0, honest.length / 2))
    },
  },
  {
    name: "no answer at all, the connection left open",
    kind: "call",
    where: both,
    lie: ({ node }) => {
      node.body = () => new Promise<Response>(() => {})
    },
  },
]

for (const { name, kind, where, lie, says, verify } of scenarios) {
  for (const place of where) {
    test.concurrent(`${name}, ${place === "head" ? "at the head" : "in a backfill"}: counted, said, and never stored`, async () => {
      const state = { head: past }
      const honest = startReplayNode(shown(whole, state))
      const node = startLyingNode(honest.url)
      const others: Array<ReturnType<typeof startReplayNode>> = []
      const another = (other: ReplayChain) => {
        others.push(startReplayNode(other))
        return others.at(-1)!.url
      }
      const scene: Scene = { node, head: () => state.head, another }
      if (place === "backfill") lie(scene)
      const replay = await startReplay({
        urls: [node.url],
        settings: { wrappedNative: [weth], poolManagers: [manager], ...(verify && { verify }) },
        poolOf: (pool) => chain.pools.get(pool),
      })
      try {
        if (place === "head") {
          await replay.until(({ indexedBlock }) => indexedBlock === past)
          lie(scene)
        }
        state.head = length - 1
        const problems = new Set<string>()
        await replay.until(({ problem, faults }) => {
          if (problem !== undefined) problems.add(problem)
          return faults[kind] > 0 && (says === undefined || says.test(problem ?? ""))
        })
        expect(replay.lines.filter((line) => line.includes(`is refused (${kind})`)).length).toBeLessThanOrEqual(1)
        node.lie = undefined
        node.body = undefined
        await replay.until(({ indexedBlock, problem }) => indexedBlock === length - 1 && problem === undefined)
        expect(comparable(await contentOf(replay.store, chainId, chain))).toEqual(await truthOf(chain))
        expect(replay.status().reorgs.count).toBe(0)
      } finally {
        await replay.stop()
        await Promise.all([node.stop(), honest.stop(), ...others.map(({ stop }) => stop())])
      }
    })
  }
}

test.concurrent("a log that comes twice is counted as order, and a line of the log says so, also while it is asked again", async () => {
  const honest = startReplayNode(whole)
  const node = startLyingNode(honest.url)
  withLogs(node, (logs) => [...logs, ...logs.slice(-1)])
  const replay = await startReplay({
    urls: [node.url],
    settings: { wrappedNative: [weth], poolManagers: [manager] },
    poolOf: (pool) => chain.pools.get(pool),
  })
  try {
    await replay.until(({ faults }) => faults.order > 0)
    node.lie = undefined
    await replay.until(() =>
      replay.lines.some((line) =>
        /is refused \(order, asked again\): http:.+eth_getLogs\(\{.*fromBlock: .+\): log \d+ of block \d+ comes twice \(\d+ so far\)/.test(
          line,
        ),
      ),
    )
    await replay.until(({ indexedBlock }) => indexedBlock === length - 1)
    expect(comparable(await contentOf(replay.store, chainId, chain))).toEqual(await truthOf(chain))
  } finally {
    await replay.stop()
    await Promise.all([node.stop(), honest.stop()])
  }
})

for (const depth of [1, 3]) {
  test.concurrent(`${depth} blocks stored with a time of tomorrow: read again once the node says so twice, counted, and gone on from`, async () => {
    const state = { head: past }
    const honest = startReplayNode(shown(whole, state))
    const node = startLyingNode(honest.url)
    const replay = await startReplay({
      urls: [node.url],
      settings: { wrappedNative: [weth], poolManagers: [manager] },
      poolOf: (pool) => chain.pools.get(pool),
    })
    try {
      withBlocks(node, (block) =>
        numberOf(block) > past ? { ...block, timestamp: hex(Number(block.timestamp) + 86_400) } : block,
      )
      state.head = past + depth
      await replay.until(({ indexedBlock }) => indexedBlock === past + depth)
      node.lie = undefined
      state.head = length - 1
      await replay.until(({ indexedBlock, problem }) => indexedBlock === length - 1 && problem === undefined)
      expect(comparable(await contentOf(replay.store, chainId, chain))).toEqual(await truthOf(chain))
      expect(replay.status().reorgs).toEqual({ count: 1, blocks: depth, deepest: depth })
      expect(replay.status().faults.time).toBeGreaterThan(0)
      expect(replay.lines.some((line) => line.includes(`reorg, ${depth} blocks taken back`))).toBe(true)
    } finally {
      await replay.stop()
      await Promise.all([node.stop(), honest.stop()])
    }
  })
}

test.concurrent("nodes on two forks behind one address: whichever answers, nothing is stored that none has", async () => {
  const [left, right] = [1, 2].map((seed) =>
    withReceipts(replayOf(chainId, grow(grow(newTrafficChain(), 1, 85), seed, 89))),
  )
  const ended = grow(grow(newTrafficChain(), 1, 85), 2)
  const nodes = [left!, right!, withReceipts(replayOf(chainId, ended))].map((it) => startReplayNode(it))
  const random = randomOf(5)
  let last: number | undefined
  const node = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) =>
      fetch(nodes[last ?? random.below(2)]!.url, { method: "POST", body: await request.text() }),
  })
  const replay = await startReplay({
    urls: [node.url.href],
    settings: { wrappedNative: [weth], poolManagers: [manager], pollMs: 5 },
    poolOf: (pool) => chain.pools.get(pool),
  })
  try {
    await replay.until(({ reorgs }) => reorgs.count >= 3)
    expect(replay.status().reorgs.deepest).toBeLessThanOrEqual(4)
    last = 2
    await replay.until(({ indexedBlock, problem }) => indexedBlock === length - 1 && problem === undefined)
    expect(comparable(await contentOf(replay.store, chainId, ended))).toEqual(await truthOf(ended))
  } finally {
    await replay.stop()
    await Promise.all([node.stop(true), ...nodes.map(({ stop }) => stop())])
  }
})
