/** Which words show that logs which the ledger lacks are in their block: nodes asked by its hash, unproven receipts, the header's bloom. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { rowsOfLogs } from "../../src/domain/audit/missing/compareRows.ts"
import { confirmLogs } from "../../src/domain/audit/missing/confirmLogs.ts"
import { contractsOf } from "../../src/domain/audit/missing/healContract.ts"
import { unite } from "../../src/domain/audit/missing/heard.ts"
import type { Log } from "../../src/model/block.ts"
import { ChainId, type Hash } from "../../src/model/primitives.ts"
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
  /** What proven receipts hold that count their logs anew, or as the chain does. */
  readonly proven?: ReadonlyArray<Log>
  readonly indexed?: boolean
  /** Only the bloom proves them. */
  readonly isWeak?: boolean
  /** What the ledger has of the block. */
  readonly stored?: ReadonlyArray<Log>
}
const transactions = new Map(logs.map(({ txHash }, place) => [txHash, place]))
const contracts = contractsOf({ chainId: ChainId.make("1"), wrappedNative: [] })
const confirmed = ({
  nodes,
  receipts,
  bloom,
  asked = [missing],
  proven,
  indexed = false,
  isWeak = false,
  stored = [],
}: Case) => {
  const source = {
    headers: () => Effect.succeed([{ ...header, ...(bloom && { bloom }) }]),
    ...(proven && {
      prove: () => Effect.succeed([{ logs: proven, indexed, isWeak, transactions, isOrdered: true }]),
    }),
    crossCheck: () => Effect.succeed([receipts === undefined ? {} : { receipts }]),
    logsOfBlocks: () => Effect.succeed([nodes[0]]),
    nodes: {
      ...{ labels: nodes.map((_, place) => `node ${place}`), current: () => 0, tellerOf: () => undefined },
      logs: () => Effect.undefined,
      logsOfBlock: (node: number) => Effect.succeed(nodes[node]),
    },
  } satisfies Partial<ChainSourceClient> as unknown as ChainSourceClient
  const storedIn = () => Effect.succeed(rowsOfLogs(stored, contracts))
  return Effect.runPromise(confirmLogs(source, asked, { contracts, storedIn }))
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
    expect(found).toMatchObject({ logs: [missing], disproved: [strange], doubt: "block 0: they are of another fork" })
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
      expect(await confirmed(given)).toEqual({
        logs: [],
        headers: [],
        known: [],
        disproved: [],
        doubt: `block 0: ${doubt}`,
      }),
    )
  }
})

const notHeld = "block 0: its receipts, which fit its header, do not hold them"

test("what receipts prove is taken in, what they do not hold is disproved, unless only the bloom proves them", async () => {
  const given: Case = { nodes: [whole], proven: whole, indexed: true, asked: [missing, other[1]!] }
  expect(await confirmed(given)).toMatchObject({ logs: [missing], disproved: [other[1]!], doubt: notHeld })
  expect(await confirmed({ ...given, isWeak: true })).toMatchObject({ logs: [missing], disproved: [], doubt: notHeld })
})

describe("where receipts that the chain counts hold a log at another place than it is told at", () => {
  const elsewhere: Log = { ...missing, logIndex: 7 }
  const given: Case = { nodes: [], indexed: true, proven: whole, stored: [first], asked: [elsewhere] }
  const doubt = "block 0: nodes tell of them at different places of the block"

  test("it is lacking: its place is not shown, and nothing disproves it", async () =>
    expect(await confirmed(given)).toEqual({ logs: [], headers: [], known: [], disproved: [], doubt }))

  test("it is the one that comes in where a node tells that too", async () => {
    const found = await confirmed({ ...given, asked: [missing, elsewhere] })
    expect(found).toMatchObject({ logs: [missing], known: [elsewhere], disproved: [] })
    expect(found.doubt).toBeUndefined()
  })

  test("it may be the second one of two, where one came in", async () => {
    const twice = [...whole, { ...missing, logIndex: 9 }]
    const found = await confirmed({ ...given, proven: twice, asked: [missing, elsewhere] })
    expect(found).toMatchObject({ logs: [missing], known: [], disproved: [], doubt })
  })
})

describe("where receipts are the block's and count its logs anew", () => {
  const at = (log: Log, logIndex: number): Log => ({ ...log, logIndex })
  const anew = [first, missing].map((log) => at(log, log.logIndex + 40))
  const asked = [at(missing, 7)]
  const told = [first, at(missing, 7)]
  const nodesDiffer = "nodes tell of them at different places of the block"
  const cases: ReadonlyArray<[string, Case, object]> = [
    ["a log is taken in on the word of two nodes", { nodes: [told, told, lossy] }, { logs: asked }],
    ["and on one node's, where no other contradicts it", { nodes: [lossy, told] }, { logs: asked }],
    [
      "one that the ledger has at another place is known, whoever tells it at this one",
      { nodes: [told, told], stored: [first, missing] },
      { logs: [], known: asked },
    ],
    [
      "one that is told at two places is in none of them on one node's word",
      { nodes: [[...told, missing], lossy], asked: [missing, ...asked] },
      { logs: [], doubt: `block 0: ${nodesDiffer}` },
    ],
    [
      "nor on two nodes' that count differently",
      { nodes: [whole, told], asked: [missing, ...asked] },
      { logs: [], doubt: `block 0: ${nodesDiffer}` },
    ],
    [
      "nor is one of them that the other node tells at another place",
      { nodes: [whole, told] },
      { logs: [], doubt: `block 0: ${nodesDiffer}` },
    ],
    [
      "of two places the one is taken that two nodes tell",
      { nodes: [whole, told, told], asked: [missing, ...asked] },
      { logs: asked, doubt: `block 0: ${nodesDiffer}` },
    ],
    [
      "where two nodes tell each, only one: it is there once",
      { nodes: [whole, told, told, whole], asked: [missing, ...asked] },
      { logs: [missing] },
    ],
    [
      "what they do not hold is not taken in, and holds up nothing else",
      { nodes: [told, told], asked: [...asked, at(other[1]!, 8)] },
      { logs: asked, disproved: [at(other[1]!, 8)], doubt: notHeld },
    ],
    [
      "one that is there twice is taken in once more",
      { nodes: [[...whole, at(missing, 7)], whole], proven: [...anew, at(missing, 50)], stored: whole },
      { logs: asked },
    ],
    [
      "nothing is taken in that no node gives by the hash",
      { nodes: [lossy, undefined] },
      { logs: [], doubt: "block 0: no node gives them by its hash" },
    ],
  ]
  for (const [name, given, wanted] of cases) {
    test(name, async () =>
      expect(await confirmed({ proven: anew, asked, stored: [first], ...given })).toMatchObject(wanted),
    )
  }
})

describe("a log of which the ledger has one alike at another place of the block", () => {
  const at = (log: Log, logIndex: number): Log => ({ ...log, logIndex })
  const elsewhere = at(missing, 7)
  const told = [first, elsewhere]
  const twins = [first, missing, elsewhere]
  const nodesDiffer = "block 0: nodes tell of them at different places of the block"
  const known = { logs: [], known: [elsewhere], disproved: [] }
  const indexed = { nodes: [], indexed: true }
  const cases: ReadonlyArray<[string, Case, object]> = [
    ["is known, where receipts that the chain counts hold it once", { ...indexed, proven: told }, known],
    ["also where they hold it at the ledger's place", { ...indexed, proven: whole }, known],
    ["is taken in where they hold both", { ...indexed, proven: twins }, { logs: [elsewhere] }],
    [
      "is not, where they hold two others, of which the ledger has one",
      { ...indexed, proven: [first, elsewhere, at(missing, 9)], asked: [elsewhere, at(missing, 9)] },
      { logs: [], disproved: [], doubt: nodesDiffer },
    ],
    [
      "holds up no other one of its block, where receipts prove those",
      { ...indexed, proven: told, stored: [missing], asked: [first, elsewhere] },
      { logs: [first], known: [elsewhere] },
    ],
    [
      "is known, where one node tells it, in its receipts too, and another node the ledger's",
      { nodes: [told, whole], receipts: told },
      known,
    ],
    ["also where the bloom may hold it", { nodes: [told, whole], bloom: bloom(true) }, known],
    ["also where two nodes count as it does", { nodes: [told, told], receipts: told }, known],
    ["is taken in where nodes give both", { nodes: [twins, twins, whole] }, { logs: [elsewhere] }],
    [
      "is not, on one node's word of both and receipts that hold it once",
      { nodes: [twins, whole], receipts: told },
      { logs: [], known: [], doubt: "block 0: its receipts do not hold them" },
    ],
    [
      "is not, where a node tells two others, of which the ledger has one",
      { nodes: [[...told, at(missing, 9)], whole], bloom: bloom(true), asked: [elsewhere, at(missing, 9)] },
      { logs: [], known: [], doubt: nodesDiffer },
    ],
    [
      "is not known, nor taken in, where the ledger's is told to be of another transaction",
      { nodes: [told, [first, { ...missing, txHash: hash("other") }]], receipts: told, bloom: bloom(true) },
      { logs: [], known: [], doubt: nodesDiffer },
    ],
    [
      "holds up no other one of its block, where nodes show those",
      { nodes: [told, told], stored: [missing], asked: [first, elsewhere] },
      { logs: [first], known: [elsewhere] },
    ],
  ]
  for (const [name, given, wanted] of cases) {
    test(name, async () =>
      expect(await confirmed({ asked: [elsewhere], stored: whole, ...given })).toMatchObject(wanted),
    )
  }
})

describe("a log of no transaction that receipts prove", () => {
  const ofSystem: Log = { ...missing, txHash: hash("system") as Hash, logIndex: 7, data: `0x${"00".repeat(31)}05` }
  const told = [...whole, ofSystem]
  const lacking = { logs: [], known: [], disproved: [] }
  const cases: ReadonlyArray<[string, Case, object]> = [
    ["is believed where two nodes give it", { nodes: [whole, told, told] }, { logs: [ofSystem], disproved: [] }],
    ["also where one does, and unproven receipts", { nodes: [whole, told], receipts: told }, { logs: [ofSystem] }],
    [
      "is lacking on one node's word, whatever the bloom shows",
      { nodes: [whole, told], bloom: bloom(true) },
      { ...lacking, doubt: "block 0: another node does not give them" },
    ],
    [
      "is known where the ledger has it elsewhere",
      { nodes: [told, told], stored: [{ ...ofSystem, logIndex: 9 }] },
      { known: [ofSystem], disproved: [] },
    ],
    [
      "holds up none that they prove, and is held up by none that they disprove",
      { nodes: [told, told], stored: [first], asked: [missing, other[1]!, ofSystem] },
      { logs: [missing, ofSystem], disproved: [other[1]!], doubt: notHeld },
    ],
    ["is believed where the block has no others", { nodes: [told, told], proven: [] }, { logs: [ofSystem] }],
  ]
  for (const [name, given, wanted] of cases) {
    for (const indexed of [true, false]) {
      test(`${name}, receipts counted ${indexed ? "through" : "anew"}`, async () =>
        expect(await confirmed({ proven: whole, indexed, asked: [ofSystem], stored: whole, ...given })).toMatchObject(
          wanted,
        ))
    }
  }
})

test("a word of one log is that of the one that receipts prove, and shows no second of no transaction", async () => {
  const alike: Log = { ...missing, txHash: hash("system") as Hash, logIndex: 7 }
  const told = [first, alike]
  const given: Case = { nodes: [told, told], proven: whole, indexed: true, stored: [first], asked: [missing, alike] }
  expect(await confirmed(given)).toMatchObject({ logs: [missing], disproved: [] })
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
