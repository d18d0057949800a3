/** What was found to be missing is of one ledger: it outlives that ledger's being lost and opened again. Where another one is opened only what its nodes may have left out there too is kept. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { doubtOf } from "../../../src/domain/ingest/evidence/doubt.ts"
import { doubtsOf, makeDoubts } from "../../../src/domain/ingest/evidence/doubts.ts"
import { distrust, noteTold, noteUnhealed, recordOf } from "../../../src/domain/ingest/evidence/Evidence.ts"
import { toldOf } from "../../../src/domain/ingest/evidence/told.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { LedgerUnavailable } from "../../../src/ports/Ledger.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { FakeNode } from "../../support/nodes/fakeNode.ts"
import { token } from "../traffic.ts"
import { chainId, inWorld } from "../world.ts"

test("tokens that a ledger may lack logs of are looked at in the next one too, which may have been read from the same node", async () => {
  const chain = new TestChain()
  const grow = () => chain.block([transfer(token(0), address(0), address(1), 1n)])
  for (let block = 0; block < 30; block++) grow()
  let ledger = chainId
  let isLost = false
  /** Of each ledger that was opened, how many tokens it may lack logs of; then one more. */
  const lacking: Array<number> = []
  await inWorld(
    {
      node: new FakeNode(chain),
      ledgerOf: () => ledger,
      wrapWriter: (writer) => ({
        ...writer,
        append: (segment) =>
          Effect.suspend(() => {
            if (!isLost) return writer.append(segment)
            isLost = false
            return Effect.fail(new LedgerUnavailable({ cause: "its connection was lost" }))
          }),
      }),
      beside: ({ lost }) =>
        Effect.sync(() => {
          lacking.push(lost.list().length)
          lost.tell([token(lacking.length)], { from: 3, to: 5 })
        }),
    },
    (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        for (const next of [chainId, chainId, ChainId.make("2")]) {
          ledger = next
          isLost = true
          grow()
          yield* world.caughtUp(chain)
        }
      }),
  )
  expect(lacking).toEqual([0, 1, 2, 3])
})

test("what no audit brings back is so too, and an empty ledger that is loaded stays the one that was opened", () => {
  const doubts = makeDoubts()
  const first = doubtsOf(doubts, "aaaa").evidence
  noteUnhealed(first, "swaps", 500)
  expect(doubtsOf(doubts, "aaaa").evidence).toBe(first)
  doubts.birth = "bbbb"
  expect(doubtsOf(doubts, "bbbb").evidence.unhealed.size).toBe(1)
  expect(doubtsOf(doubts, "cccc").evidence.unhealed.size).toBe(0)
})

test("a node that left logs out is known as such behind a resync; of blocks of the old ledger nothing is in doubt any more", () => {
  const doubts = makeDoubts()
  const { evidence, lost } = doubtsOf(doubts, "aaaa")
  const [forgetful, other] = [0, 1]
  for (const node of [forgetful, other]) noteTold(recordOf(evidence, node), toldOf({ from: 1, to: 90 }, []))
  recordOf(evidence, other).forgotten = { from: 0, to: 0 }
  distrust(evidence, forgetful, "the node left out token logs of block 5")
  evidence.unasked = { from: 1, to: 2 }
  evidence.forgotten = { from: 3, to: 4 }
  noteUnhealed(evidence, "swaps", 6)
  recordOf(evidence, forgetful).agreed = 7
  lost.tell([token(1)], { from: 5, to: 5, by: ["https://other.test"] })
  expect(doubtOf(chainId, evidence, lost)).toContain("cowry resync")

  const behind = doubtsOf(doubts, "bbbb")
  expect(behind.evidence.nodes.get(forgetful)).toMatchObject({ isForgetful: true, isDistrusted: true, agreed: 7 })
  expect(behind.lost.list()).toMatchObject([{ token: token(1), from: 5 }])
  expect(doubtOf(chainId, behind.evidence, behind.lost)).toBeUndefined()
  // What either told of the old one's blocks is asked again of nobody, whatever shows now.
  for (const node of [forgetful, other]) distrust(behind.evidence, node, "it left out token logs of block 95")
  expect(behind.evidence.doubtful).toEqual([])
  expect(doubtOf(chainId, behind.evidence, behind.lost)).toBe(
    "it left out token logs of block 95; the ledger may lack logs of 1 tokens (blocks 5 to 5): the audit looks at them",
  )
})
