/** follow over HTTP far below the head, against nodes that leave logs out, alone, beside an honest node and beside another such: what is missing is found while it is read. */
import { expect, test } from "bun:test"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type LyingNode, startLyingNode } from "../../support/nodes/lyingNode.ts"
import { replayOf, withReceipts } from "../../support/nodes/replayChain.ts"
import { type ReplayFaults, type ReplayNode, startReplayNode } from "../../support/nodes/replayNode.ts"
import { type Replay, type ReplayOptions, startReplay } from "../replay.ts"
import { token } from "../traffic.ts"
import { chainId } from "../world.ts"

/** Every block holds six logs of four tokens. */
const chainTo = (length: number): TestChain => {
  const chain = new TestChain()
  for (let block = 0; block < length; block++) {
    const person = (number: number) => address(0xa0 + ((block * 7 + number) % 23))
    chain.block([
      ...[0, 1, 2].map((index) => transfer(token(index), person(index), person(index + 1), 5n)),
      ...[4, 5, 6].map((index) => transfer(token(3), person(index), person(index + 1), 7n)),
    ])
  }
  return chain
}
const chain = chainTo(150)
const whole = withReceipts(replayOf(chainId, chain))

type Raw = Record<string, unknown>
type Lie = (logs: ReadonlyArray<Raw>) => ReadonlyArray<Raw>
const numberOf = ({ blockNumber }: Raw) => Number(blockNumber)
const indexOf = ({ logIndex }: Raw) => Number(logIndex)
const lies: Readonly<Record<string, Lie>> = {
  "one log of blocks that hold others": (logs) => logs.filter((log) => indexOf(log) !== 4),
  "all logs of a block": (logs) => logs.filter((log) => numberOf(log) !== 57),
  "all logs of a token": (logs) => logs.filter(({ address: of }) => of !== token(1)),
  "a range's logs": (logs) => logs.filter((log) => numberOf(log) < 20 || numberOf(log) > 90),
  "logs of the second half, first held": (logs) => logs.filter((log) => numberOf(log) < 50 || indexOf(log) !== 2),
}
/** Only of ranges far below the head: by hash it is honest, as where a node's index of logs has holes. */
const lieInRanges = (node: LyingNode, lie: Lie) => {
  node.lie = ({ method, params }, result) =>
    method === "eth_getLogs" && Object(params[0]).blockHash === undefined ? lie(result as ReadonlyArray<Raw>) : result
}
/** Logs by hash too, below the newest blocks; receipts are true. */
const lieAlways = (node: LyingNode, lie: Lie) => {
  node.lie = ({ method }, result) => {
    if (method !== "eth_getLogs") return result
    const { old = [], recent = [] } = Object.groupBy(result as ReadonlyArray<Raw>, (log) =>
      numberOf(log) < chain.nextBlock - 20 ? "old" : "recent",
    )
    return [...lie(old), ...recent]
  }
}

interface Play extends Omit<ReplayOptions, "urls"> {
  /** In order: how each node lies, or what its limits are; undefined = honest. */
  readonly nodes: ReadonlyArray<((node: LyingNode) => void) | ReplayFaults | undefined>
  readonly faults?: ReplayFaults
  readonly of?: TestChain
}
interface Scene {
  readonly replay: Replay
  readonly honest: ReplayNode
  readonly nodes: ReadonlyArray<LyingNode>
}

const play = async ({ nodes: kinds, faults, of = chain, ...options }: Play, scene: (it: Scene) => Promise<void>) => {
  const told = of === chain ? whole : withReceipts(replayOf(chainId, of))
  const honest = startReplayNode(told, faults)
  const others: Array<ReplayNode> = []
  const nodes = kinds.map((kind) => {
    if (typeof kind === "object") others.push(startReplayNode(told, kind))
    const node = startLyingNode(typeof kind === "object" ? others.at(-1)!.url : honest.url)
    if (typeof kind === "function") kind(node)
    return node
  })
  const replay = await startReplay({ timeoutMs: 10_000, ...options, urls: nodes.map(({ url }) => url) })
  try {
    await scene({ replay, honest, nodes })
  } finally {
    await replay.stop()
    await Promise.all([...nodes, ...others, honest].map(({ stop }) => stop()))
  }
}
const atHead = ({ replay }: Scene, of = chain) =>
  replay.until(({ indexedBlock, problem }) => indexedBlock === of.nextBlock - 1 && problem === undefined)

/** Every stored transfer: block, index, token, amount. */
const rowsOf = async ({ store }: Replay): Promise<ReadonlyArray<string>> => {
  const page = { limit: 1000 }
  const chains = [chainId]
  const listed = await store.run(
    TransferStore.use((it) => it.list({ standard: "erc20", chains, filter: {}, direction: "asc", page, count: false })),
  )
  return listed.value.items.map((row) => [row.blockNumber, row.logIndex, row.tokenAddress, row.amount].join())
}
const truthOf = (of: TestChain): ReadonlyArray<string> =>
  of.blocks.flatMap(({ movements }) =>
    movements.map((it) => [it.blockNumber, it.logIndex, it.token, String(it.amount)].join()),
  )
const expectTruth = async ({ replay }: Scene, of = chain) => expect(await rowsOf(replay)).toEqual(truthOf(of))

for (const [name, lie] of Object.entries(lies)) {
  for (const [how, keepBack] of [
    ["in ranges", lieInRanges],
    ["always", lieAlways],
  ] as const) {
    const forgetful = (node: LyingNode) => keepBack(node, lie)
    for (const receipts of [true, false]) {
      test.concurrent(`${name} kept back ${how}, beside an honest node${receipts ? "" : ", with RECEIPTS=off"}`, () =>
        play({ nodes: [forgetful, undefined], receipts }, async (scene) => {
          await atHead(scene)
          await expectTruth(scene)
          expect(scene.replay.status().faults.logs).toBeGreaterThan(0)
        }))
    }
  }
}

for (const [name, lie] of Object.entries(lies)) {
  const isRare = name === "all logs of a block" || name.includes("half")
  if (isRare) continue
  test.concurrent(`${name} kept back in ranges by a node that is alone: its receipts show them`, () =>
    play({ nodes: [(node) => lieInRanges(node, lie)] }, async (scene) => {
      await atHead(scene)
      await expectTruth(scene)
      expect(scene.replay.lines.some((line) => /is refused \(logs\).+its receipts hold/.test(line))).toBe(true)
    }))
}

test.concurrent("a node that is alone, whose receipts come later: the range that stands still is told by them", () => {
  let [isBack, asked] = [false, 0]
  return play(
    {
      nodes: [
        (node) => {
          // The header of a range's first block is read in any case.
          lieInRanges(node, (logs) => logs.filter((log) => numberOf(log) > 0))
          const { lie } = node
          node.lie = (call, result) => {
            if (call.method !== "eth_getBlockReceipts") return lie!(call, result)
            asked++
            return isBack ? result : null
          }
        },
      ],
    },
    async (scene) => {
      await scene.replay.until(({ faults }) => faults.logs > 1)
      expect(scene.replay.status().problem).toContain("block 0: 0 token logs came")
      expect(asked).toBeGreaterThan(0)
      isBack = true
      await atHead(scene)
      await expectTruth(scene)
    },
  )
})

test.concurrent("two nodes that keep back different logs: their receipts settle it", () =>
  play(
    {
      nodes: [
        (node) => lieInRanges(node, lies["all logs of a token"]!),
        (node) => lieInRanges(node, lies["one log of blocks that hold others"]!),
      ],
    },
    async (scene) => {
      await atHead(scene)
      await expectTruth(scene)
    },
  ))

test.concurrent("a log told twice, under another index: it is in no receipt", () =>
  play(
    {
      nodes: [
        (node) =>
          lieInRanges(node, (logs) =>
            logs.flatMap((log) => (indexOf(log) === 5 ? [log, { ...log, logIndex: "0x99" }] : [log])),
          ),
        undefined,
      ],
    },
    async (scene) => {
      await atHead(scene)
      await expectTruth(scene)
    },
  ))

for (const limit of [500, 333]) {
  test.concurrent(`ranges cut after ${limit} logs without a word, by a node that is alone and has no receipts`, () => {
    const long = chainTo(160)
    return play(
      {
        of: long,
        faults: { unknown: ["eth_getBlockReceipts"] },
        nodes: [(node) => lieInRanges(node, (logs) => logs.slice(0, limit))],
      },
      async (scene) => {
        await atHead(scene, long)
        await expectTruth(scene, long)
        expect(scene.replay.lines.some((line) => line.includes("the answer was cut"))).toBe(true)
      },
    )
  })
}

/** Sparse rows over many short ranges: what begins in mid-backfill is past the first ranges. */
const long = (() => {
  const made = new TestChain()
  for (let block = 0; block < 480; block++) {
    made.block([0, 1].map((index) => transfer(token(index), address(0xa0 + (block % 23)), address(0xb0), 5n)))
  }
  return made
})()
const begun = 120

test.concurrent("a loss that begins in mid-backfill is found within 63 ranges; what was stored of it is told, block by block, and later blocks are whole", async () => {
  const playOnce = async (): Promise<number> => {
    let stored = 0
    await play(
      {
        of: long,
        faults: { mostBlocks: 5 },
        receipts: false,
        nodes: [
          (node) => lieInRanges(node, (logs) => logs.filter((log) => numberOf(log) < begun || indexOf(log) === 0)),
          undefined,
        ],
      },
      async (scene) => {
        await scene.replay.until(({ indexedBlock }) => indexedBlock === long.nextBlock - 1)
        const isTold = (line: string) => line.includes("tokens are compared with their contracts")
        const rows = new Set(await rowsOf(scene.replay))
        const missing = truthOf(long).filter((row) => !rows.has(row))
        const blocksOf = (line: string) => /blocks (\d+) to (\d+)/.exec(line)!.slice(1).map(Number) as [number, number]
        const isCovered = (row: string) =>
          scene.replay.lines.filter(isTold).some((line) => {
            const [from, to] = blocksOf(line)
            return Number.parseInt(row, 10) >= from && Number.parseInt(row, 10) <= to
          })
        await scene.replay.until(() => missing.every(isCovered))
        expect(missing.every((row) => row.includes(token(1)))).toBe(true)
        // The first ranges are longer than the node takes; four are under way at once.
        expect(missing.length).toBeLessThanOrEqual(5 * (63 + 8))
        expect(scene.replay.status().faults.logs).toBeGreaterThan(0)
        if (missing.length > 0)
          await scene.replay.until(({ doubt }) => doubt?.includes("the ledger may lack logs of 1 tokens") === true)
        stored = missing.length
      },
    )
    return stored
  }
  // Which ranges are compared is drawn: once in some thirty it is the first one that lacks logs, and nothing wrong is stored.
  let stored = 0
  for (let plays = 0; stored === 0 && plays < 8; plays++) stored = await playOnce()
  expect(stored).toBeGreaterThan(0)
})

const honestBeside: Readonly<Record<string, Omit<Play, "nodes"> & { readonly second: (node: LyingNode) => void }>> = {
  "has thrown its old logs away": { second: (node) => lieAlways(node, () => []) },
  "lacks some logs": { second: (node) => lieAlways(node, lies["one log of blocks that hold others"]!) },
  "is behind": {
    second: (node) => {
      node.lie = ({ method, params }, result) =>
        method === "eth_getBlockByNumber" && Number(params[0]) > 20 ? null : result
    },
  },
  "does not answer": {
    second: (node) => {
      node.body = () => new Response("<html>Bad Gateway</html>", { status: 502 })
    },
  },
  "invents logs": {
    second: (node) =>
      lieAlways(node, (logs) => logs.flatMap((log) => [log, { ...log, address: address(0x99), logIndex: "0x99" }])),
  },
}
for (const [name, { second, ...options }] of Object.entries(honestBeside)) {
  for (const receipts of [true, false]) {
    test.concurrent(`a second node that ${name}${receipts ? "" : ", with RECEIPTS=off"}: the first one's word stands, and nothing waits`, () =>
      play({ ...options, receipts, nodes: [undefined, second] }, async (scene) => {
        const problems = new Set<string | undefined>()
        await scene.replay.until(({ indexedBlock, problem }) => {
          problems.add(problem)
          return indexedBlock === chain.nextBlock - 1
        })
        await expectTruth(scene)
        expect([...problems].filter((problem) => problem?.includes("not stored"))).toEqual([])
      }))
  }
}

test.concurrent("a second node that takes ranges of seven blocks is asked in pieces", () =>
  play(
    {
      nodes: [(node) => lieInRanges(node, lies["all logs of a token"]!), { mostBlocks: 7 }],
      receipts: false,
    },
    async (scene) => {
      await atHead(scene)
      await expectTruth(scene)
    },
  ))

test.concurrent("a node that has thrown its old receipts away holds nothing up", () =>
  play(
    {
      nodes: [
        (node) => {
          node.lie = ({ method, params }, result) =>
            method === "eth_getBlockReceipts" && Number(params[0]) < 130 ? null : result
        },
      ],
    },
    async (scene) => {
      const problems = new Set<string | undefined>()
      await scene.replay.until(({ indexedBlock, problem }) => {
        problems.add(problem)
        return indexedBlock === chain.nextBlock - 1
      })
      await expectTruth(scene)
      expect([...problems].filter((problem) => problem?.includes("not stored"))).toEqual([])
    },
  ))
