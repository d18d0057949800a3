/** Logs that are told by another than the chain's nodes, and that receipts disprove: what it has beside them is not taken for proven. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { makeEvidence } from "../../../src/domain/ingest/evidence/Evidence.ts"
import { checkSample } from "../../../src/domain/ingest/evidence/receiptsSample.ts"
import type { Log } from "../../../src/model/block.ts"

const block = 7
const logOf = (logIndex: number, txHash: string): Log =>
  ({
    blockNumber: block,
    blockHash: "0xb7",
    address: "0x70",
    topics: ["0xdd"],
    data: `0x0${logIndex}`,
    logIndex,
    txHash,
    txIndex: 0,
  }) as never
const [first, second] = [logOf(0, "0xaa"), logOf(1, "0xaa")]
const beside = logOf(5, "0x666")

const findingsOf = (logs: ReadonlyArray<Log>, isForeign: boolean) => {
  const header = { number: block, hash: "0xb7", receipts: {} }
  const proof = { logs: [first, second], transactions: new Set(["0xaa"]), indexed: true }
  const node = { headers: () => Effect.succeed([header]), proveFinal: () => Effect.succeed([proof]) }
  const verifier = { node, chainId: "1", isFollowed: () => true, report: {}, traits: {} } as never
  const sampled = { logs, doubted: [block], isLossy: false, isDistrusted: false, isForeign, read: new Set<number>() }
  return Effect.runPromise(checkSample(verifier, makeEvidence(), sampled))
}

test("one that left a log out: what receipts hold is right", async () => {
  for (const isForeign of [true, false]) {
    const [found] = await findingsOf([first], isForeign)
    expect(found?.right).toEqual([first, second])
  }
})

test("one that also has a log in no receipt: a node's may be one that the chain adds, another's is its own word", async () => {
  const [ofNode] = await findingsOf([first, beside], false)
  expect(ofNode?.right).toEqual([first, second, beside])
  const [ofHistory] = await findingsOf([first, beside], true)
  expect(ofHistory?.why).toStartWith("its receipts hold 2")
  expect(ofHistory?.right).toBeUndefined()
})
