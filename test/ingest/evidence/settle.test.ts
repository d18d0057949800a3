/** Who is right where two nodes differ on a block, and what comes of ranges that are asked again. */
import { describe, expect, test } from "bun:test"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { approvalTopics, swapTopics } from "../../../src/domain/ingest/decode/topics.ts"
import { differencesOf } from "../../../src/domain/ingest/evidence/compareRange.ts"
import { distrust, makeEvidence, noteTold, recordOf } from "../../../src/domain/ingest/evidence/Evidence.ts"
import { recheckDoubtful } from "../../../src/domain/ingest/evidence/recheck.ts"
import { settle } from "../../../src/domain/ingest/evidence/settle.ts"
import { toldOf } from "../../../src/domain/ingest/evidence/told.ts"
import { makeLostTokens } from "../../../src/domain/ingest/status/LostTokens.ts"
import { makeChainTraits, type Verifier } from "../../../src/domain/ingest/verify/verifier.ts"
import type { Log } from "../../../src/model/block.ts"
import { ChainId, type Hash } from "../../../src/model/primitives.ts"
import {
  type LogsBloom,
  RangeRefused,
  type ReceiptsProof,
  type SourceHeader,
  type SourceNodes,
} from "../../../src/ports/ChainSource.ts"
import { address, hash, TestChain, transfer } from "../../support/chain/testChain.ts"
import { FakeNode } from "../../support/nodes/fakeNode.ts"

const [coin, art] = [address(0xc), address(0xa)]
const chain = new TestChain()
for (let block = 0; block < 20; block++) {
  chain.block([transfer(coin, address(1), address(2), 1n), transfer(art, address(2), address(3), 2n)])
}
const logsOf = (from: number, to: number) =>
  chain.blocks.filter(({ header: { number } }) => number >= from && number <= to).flatMap(({ logs }) => logs)
const headerOf = (number: number) => chain.blocks[number]!.header

type Telling = (logs: ReadonlyArray<Log>) => ReadonlyArray<Log> | undefined
const nodesOf = (tellings: ReadonlyArray<Telling>, mostBlocks = 1000): SourceNodes => ({
  labels: tellings.map((_, place) => `http://${"abc"[place]}`),
  current: () => 0,
  tellerOf: () => 0,
  logsOfBlock: () => Effect.undefined,
  logs: (node, from, to) =>
    Effect.sync(() => {
      if (to - from >= mostBlocks) return new RangeRefused({ message: "too wide" })
      const logs = tellings[node]!(logsOf(from, to))
      return logs && { head: headerOf(to), logs }
    }),
})
const verifierOf = (nodes?: SourceNodes): Verifier => ({
  chainId: ChainId.make("1"),
  node: Object.assign(new FakeNode(chain), nodes && { nodes }),
  isFollowed: () => true,
  traits: makeChainTraits(),
  report: { noticed: () => Effect.void, problem: () => undefined, refused: () => Effect.void },
})

const withoutArt: Telling = (logs) => logs.filter((log) => log.address !== art)
const all: Telling = (logs) => logs
const nothing: Telling = () => []
const silent: Telling = () => undefined
const forked: Telling = (logs) => logs.map((log) => ({ ...log, blockHash: hash("another") as Hash }))
const invented: Telling = (logs) => [...logs, { ...logs[0]!, address: address(0xbad), logIndex: 9 }]
const proofOf = (logs: ReadonlyArray<Log>, isWeak = false): ReceiptsProof => ({
  logs,
  indexed: true,
  transactions: new Map(logsOf(7, 7).map(({ txHash }, place) => [txHash, place])),
  isOrdered: true,
  ...(isWeak ? { isWeak } : {}),
})
const denying: LogsBloom = {
  empty: false,
  mayHold: (log) => log.address === coin || log.address === art,
  suggestsLogs: () => true,
  excludesLogs: () => false,
  suggestsOthers: () => false,
}

describe("where the first node differs from a second, of block 7", () => {
  interface Case {
    readonly nodes: readonly [Telling, Telling, ...ReadonlyArray<Telling>]
    /** What the first told in the range, where it tells something else of the block alone. */
    readonly told?: Telling
    readonly proof?: ReceiptsProof
    readonly bloom?: LogsBloom
  }
  const whole = logsOf(7, 7)
  const settled = ({ nodes, told = nodes[0], proof, bloom }: Case) => {
    const [difference] = differencesOf(told(whole)!, nodes[1](whole)!)
    const header: SourceHeader = { ...headerOf(7), ...(bloom && { bloom }) }
    const verifier = verifierOf()
    verifier.traits.bloomsReliable = true
    return Effect.runPromise(settle(verifier, nodesOf(nodes), { ...difference!, header, proof, teller: 0, other: 1 }))
  }
  const wrong = { wrong: "teller", right: whole }
  const cases: ReadonlyArray<[string, Case, object]> = [
    ["its receipts show what it lacks", { nodes: [withoutArt, all], proof: proofOf(whole) }, wrong],
    ["weakly proven receipts do so too", { nodes: [withoutArt, all], proof: proofOf(whole, true) }, wrong],
    ["its receipts show what it invented", { nodes: [invented, all], proof: proofOf(whole) }, wrong],
    [
      "its receipts show that the other lacks some",
      { nodes: [all, withoutArt], proof: proofOf(whole) },
      { wrong: "other" },
    ],
    ["the other has less", { nodes: [all, nothing] }, { wrong: "other" }],
    ["the other is of a fork", { nodes: [withoutArt, forked] }, { wrong: "other" }],
    ["the bloom denies what the other has more", { nodes: [all, invented], bloom: denying }, { wrong: "other" }],
    ["asked for the block alone it tells more", { nodes: [all, all], told: withoutArt }, wrong],
    ["a third node has what it lacks", { nodes: [withoutArt, all, all] }, wrong],
    ["a third node tells the same", { nodes: [all, invented, all] }, { wrong: "other" }],
    ["a third node has nothing, which says nothing", { nodes: [withoutArt, all, nothing] }, wrong],
    ["nobody else tells anything: who has more", { nodes: [withoutArt, all, silent] }, wrong],
  ]
  for (const [name, given, expected] of cases) {
    test(name, async () => {
      expect(await settled(given)).toMatchObject(expected)
    })
  }

  test("with one index for two logs: what it holds is not known", async () => {
    const shifted: Telling = (logs) => logs.map((log) => ({ ...log, logIndex: 0 })).slice(1)
    expect(await settled({ nodes: [withoutArt, shifted] })).toEqual({
      wrong: "teller",
      why: "another node tells 1 (http://b)",
      right: undefined,
    })
  })
})

describe("a range that is asked again", () => {
  const recheck = async (tellings: ReadonlyArray<Telling>, stored: ReadonlyArray<Log>, mostBlocks?: number) => {
    const [evidence, lost] = [makeEvidence(), makeLostTokens()]
    const doubts: Array<string | undefined> = []
    noteTold(recordOf(evidence, 0), toldOf({ from: 3, to: 14 }, stored))
    distrust(evidence, 0, "http://a left logs out")
    const verifier = verifierOf(nodesOf(tellings, mostBlocks))
    const report = { doubt: (text: string | undefined) => void doubts.push(text) }
    await Effect.runPromise(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(recheckDoubtful({ verifier, evidence, lost, report }))
        yield* TestClock.adjust(120_000)
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide([TestClock.layer(), Logger.layer([])])),
    )
    return { lost: lost.list(), doubt: doubts.at(-1), doubts }
  }
  const stored = withoutArt(logsOf(3, 14))!

  test("and told alike by another node is sure", async () => {
    expect(await recheck([withoutArt, all], logsOf(3, 14))).toMatchObject({ lost: [], doubt: undefined })
  })

  test("and lacks logs names their tokens, and that is said", async () => {
    const { lost, doubt, doubts } = await recheck([withoutArt, all], stored)
    expect(lost).toEqual([{ token: art, from: 3, to: 14, by: ["http://b"] }])
    // While the other node is asked, too.
    expect(doubts).not.toContain(undefined)
    expect(doubt).toContain("the ledger may lack logs of 1 tokens (blocks 3 to 14)")
  })

  test("in pieces that the node takes is the same", async () => {
    expect((await recheck([withoutArt, all], stored, 5)).lost).toEqual([
      { token: art, from: 3, to: 14, by: ["http://b"] },
    ])
  })

  test("and cannot be asked for by a bug is given up after some tries, and the others are asked", async () => {
    const broken: Telling = () => {
      throw new RangeError("Maximum call stack size exceeded.")
    }
    const { doubt, doubts } = await recheck([withoutArt, broken], stored)
    expect(doubts.length).toBeGreaterThan(2)
    expect(doubt).toContain("nobody")
  })

  test("and told otherwise now than when it was stored puts every token of it in doubt", async () => {
    const { lost } = await recheck([all, all], stored)
    expect(lost.map(({ token }) => token).sort()).toEqual([art, coin].sort())
  })

  test("and told alike by a second that left out the same is asked of the third too", async () => {
    const { lost } = await recheck([withoutArt, withoutArt, all], stored)
    expect(lost).toEqual([{ token: art, from: 3, to: 14, by: ["http://c"] }])
  })

  test("and lacks approvals or swaps stays in doubt, which says that nothing brings them back but an index made anew", async () => {
    const kinds = [approvalTopics.approval, swapTopics.v3]
    const other: Telling = (logs) =>
      logs.flatMap((log) => [
        log,
        ...(log.blockNumber === 5 || log.blockNumber === 9
          ? [{ ...log, logIndex: log.logIndex + 10, topics: [kinds[log.blockNumber === 5 ? 0 : 1]!] }]
          : []),
      ])
    const { lost, doubt } = await recheck([all, other], logsOf(3, 14))
    expect(lost).toEqual([])
    for (const [what, block] of [
      ["approvals", 5],
      ["swaps", 9],
    ] as const) {
      expect(doubt).toContain(
        `${what} of blocks ${block} to ${block} may be missing, which the audit does not bring back: cowry resync 1`,
      )
    }
  })

  for (const [name, other] of [
    ["has thrown its logs away", nothing],
    ["does not answer", silent],
  ] as const) {
    test(`where the other node ${name} stays in doubt, which names the blocks and what to do`, async () => {
      const { lost, doubt } = await recheck([withoutArt, other], stored)
      expect(lost).toEqual([])
      expect(doubt).toContain("nobody else could be asked about blocks 3 to 14")
      expect(doubt).toContain("cowry resync 1")
    })
  }
})
