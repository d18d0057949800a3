/** What was found to be missing is of one ledger: it outlives that ledger's being lost and opened again, and ends where another one is opened. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { doubtsOf, makeDoubts } from "../../../src/domain/ingest/evidence/doubts.ts"
import { noteUnhealed } from "../../../src/domain/ingest/evidence/Evidence.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { LedgerUnavailable } from "../../../src/ports/Ledger.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { FakeNode } from "../../support/nodes/fakeNode.ts"
import { token } from "../traffic.ts"
import { chainId, inWorld } from "../world.ts"

test("tokens that the ledger may lack logs of are so until another one takes its place", async () => {
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
  expect(lacking).toEqual([0, 1, 2, 0])
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
