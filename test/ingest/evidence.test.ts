/** follow over HTTP far below the head, against nodes that leave logs out, alone, beside an honest node and beside another such: what is missing is found while it is read. */
import { expect, test } from "bun:test"
import { contentOf } from "../contracts/content.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { type LyingNode, startLyingNode } from "../support/nodes/lyingNode.ts"
import { replayOf, withReceipts } from "../support/nodes/replayChain.ts"
import { type ReplayFaults, type ReplayNode, startReplayNode } from "../support/nodes/replayNode.ts"
import { type Replay, type ReplayOptions, startReplay } from "./replay.ts"
import { token } from "./traffic.ts"
import { chainId, comparable, truthOf } from "./world.ts"

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
const chain = chainTo(200)
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
/** Logs by hash too; receipts are true. */
const lieAlways = (node: LyingNode, lie: Lie) => {
  node.lie = ({ method }, result) => (method === "eth_getLogs" ? lie(result as ReadonlyArray<Raw>) : result)
}

interface Play extends Omit<ReplayOptions, "urls"> {
  /** In order: how each node lies; undefined = honest. */
  readonly nodes: ReadonlyArray<((node: LyingNode) => void) | undefined>
  readonly faults?: ReplayFaults
  readonly of?: TestChain
}
interface Scene {
  readonly replay: Replay
  readonly honest: ReplayNode
  readonly nodes: ReadonlyArray<LyingNode>
}

const play = async ({ nodes: kinds, faults, of = chain, ...options }: Play, scene: (it: Scene) => Promise<void>) => {
  const honest = startReplayNode(of === chain ? whole : withReceipts(replayOf(chainId, of)), faults)
  const nodes = kinds.map((lie) => {
    const node = startLyingNode(honest.url)
    lie?.(node)
    return node
  })
  const replay = await startReplay({ ...options, urls: nodes.map(({ url }) => url) })
  try {
    await scene({ replay, honest, nodes })
  } finally {
    await replay.stop()
    await Promise.all([...nodes.map(({ stop }) => stop()), honest.stop()])
  }
}
const atHead = ({ replay }: Scene, of = chain) =>
  replay.until(({ indexedBlock, problem }) => indexedBlock === of.nextBlock - 1 && problem === undefined)
const expectTruth = async ({ replay }: Scene, of = chain) =>
  expect(comparable(await contentOf(replay.store, chainId, of))).toEqual(await truthOf(of))

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

for (const limit of [500, 777]) {
  test.concurrent(`ranges cut after ${limit} logs without a word, by a node that is alone and has no receipts`, () => {
    const long = chainTo(600)
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
