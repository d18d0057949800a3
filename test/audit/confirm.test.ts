/** Which words show that logs which the ledger lacks are in their block: nodes asked by its hash, unproven receipts, the header's bloom. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { confirmLogs } from "../../src/domain/audit/missing/confirmLogs.ts"
import { unite } from "../../src/domain/audit/missing/heard.ts"
import type { Log } from "../../src/model/block.ts"
import type { Hash } from "../../src/model/primitives.ts"
import type { ChainSourceClient, LogsBloom } from "../../src/ports/ChainSource.ts"
import { address, hash, TestChain, transfer } from "../support/chain/testChain.ts"

const chain = new TestChain().block([0n, 1n].map((amount) => transfer(address(0xc), address(1), address(2), amount)))
const { header, logs } = chain.blocks[0]!
const [first, missing] = logs as [Log, Log]
const bloom = (isHeld: boolean): LogsBloom => ({
  ...{ empty: false, mayHold: () => isHeld, suggestsLogs: () => true },
  ...{ excludesLogs: () => false, suggestsOthers: () => false },
})
const [whole, lossy] = [logs, [first]]
const other = [first, { ...missing, data: `0x${"ff".repeat(32)}` }]

interface Case {
  /** What each gives of the block by its hash. */
  readonly nodes: ReadonlyArray<ReadonlyArray<Log> | undefined>
  readonly receipts?: ReadonlyArray<Log>
  readonly bloom?: LogsBloom
  readonly asked?: ReadonlyArray<Log>
}
const confirmed = ({ nodes, receipts, bloom, asked = [missing] }: Case) => {
  const source = {
    headers: () => Effect.succeed([{ ...header, ...(bloom && { bloom }) }]),
    crossCheck: () => Effect.succeed([receipts === undefined ? {} : { receipts }]),
    logsOfBlocks: () => Effect.succeed([nodes[0]]),
    nodes: {
      ...{ labels: nodes.map((_, place) => `node ${place}`), current: () => 0, tellerOf: () => undefined },
      logs: () => Effect.undefined,
      logsOfBlock: (node: number) => Effect.succeed(nodes[node]),
    },
  } satisfies Partial<ChainSourceClient> as unknown as ChainSourceClient
  return Effect.runPromise(confirmLogs(source, asked))
}

describe("a log that the ledger lacks is believed", () => {
  const believed: ReadonlyArray<[string, Case]> = [
    ["where two nodes give it, though the one in use does not", { nodes: [lossy, whole, whole] }],
    [
      "where one node and the bloom show it, though the one in use does not",
      { nodes: [lossy, whole], bloom: bloom(true) },
    ],
    ["where one node and receipts show it", { nodes: [lossy, whole], receipts: whole }],
    ["where two nodes give it, though unproven receipts do not", { nodes: [whole, whole], receipts: lossy }],
    ["of one node with its bloom", { nodes: [whole], bloom: bloom(true) }],
  ]
  for (const [name, given] of believed) {
    test(name, async () => expect(await confirmed(given)).toMatchObject({ logs: [missing] }))
  }

  test("beside one of another fork, which is not", async () => {
    const strange = { ...missing, blockHash: hash("fork") as Hash }
    const found = await confirmed({ nodes: [whole, whole], asked: [strange, missing] })
    expect(found).toMatchObject({ logs: [missing], doubt: "block 0: they are of another fork" })
  })
})

describe("a log that the ledger lacks is not believed", () => {
  const doubted: ReadonlyArray<[string, Case, string]> = [
    [
      "where no node gives it by the hash",
      { nodes: [lossy, lossy], bloom: bloom(true) },
      "no node gives them by its hash",
    ],
    ["on one node's word", { nodes: [lossy, whole] }, "another node does not give them"],
    ["where the bloom denies it", { nodes: [lossy, whole], bloom: bloom(false) }, "another node does not give them"],
    [
      "where another node has another in its place",
      { nodes: [other, whole, whole], bloom: bloom(true) },
      "another node has other logs in their places",
    ],
    [
      "on one node's word and the bloom's, where receipts lack it",
      { nodes: [lossy, whole], receipts: lossy, bloom: bloom(true) },
      "its receipts do not hold them",
    ],
    [
      "of a node that is alone, without a bloom",
      { nodes: [whole] },
      "neither receipts nor another node nor its logsBloom show that they are in it",
    ],
  ]
  for (const [name, given, doubt] of doubted) {
    test(name, async () =>
      expect(await confirmed(given)).toEqual({ logs: [], headers: [], doubt: `block 0: ${doubt}` }),
    )
  }
})

test("what nodes tell is put together, each log once; who gives fewer and who is silent is named", () => {
  const answers = [
    { node: "a", logs: lossy },
    { node: "b", logs: whole },
  ]
  expect(unite({ answers, silent: [{ node: "c", why: "502" }] })).toEqual({
    logs: whole,
    whole: ["b"],
    others: [
      { node: "a", why: "gives fewer" },
      { node: "c", why: "could not be asked: 502" },
    ],
  })
})
