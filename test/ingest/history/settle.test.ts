/** Whether receipts speak for a history where the node tells other logs, of which a chain adds some beside its transactions. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { settleByReceipts } from "../../../src/domain/ingest/history/settle.ts"
import type { Log } from "../../../src/model/block.ts"
import type { Hash } from "../../../src/model/primitives.ts"
import { address, hash, TestChain, transfer } from "../../support/chain/testChain.ts"

const chain = new TestChain().block([0n, 1n].map((amount) => transfer(address(0xc), address(1), address(2), amount)))
const { header, logs: proven } = chain.blocks[0]!
const [first, second] = proven as [Log, Log]
const ofSystem: Log = { ...second, logIndex: 7, txHash: hash("system") as Hash }

const settled = (own: ReadonlyArray<Log>, others: ReadonlyArray<Log>) => {
  const transactions = new Map(proven.map(({ txHash }, place) => [txHash, place]))
  const node = {
    headers: () => Effect.succeed([{ ...header, receipts: {} }]),
    proveFinal: () => Effect.succeed([{ logs: proven, indexed: true, transactions, isOrdered: true }]),
  }
  const report = { noticed: () => Effect.void }
  const verifier = { node, chainId: "1", isFollowed: () => true, report, traits: {} } as never
  return Effect.runPromise(settleByReceipts(verifier, own, others))
}

describe("where a node has a log of no transaction that receipts prove", () => {
  test("a history without it is not right, though it is all that they prove", async () => {
    expect(await settled(proven, [...proven, ofSystem])).toMatchObject({ isRight: false, findings: [] })
  })

  test("one that lacks what the node lacks of the others too is not right either, and the node's is known", async () => {
    const { isRight, findings } = await settled(proven, [first, ofSystem])
    expect(isRight).toBe(false)
    expect(findings).toMatchObject([{ own: [first, ofSystem], right: [...proven, ofSystem] }])
  })

  test("a history that has it too is right, where the node lacks another", async () => {
    expect(await settled([...proven, ofSystem], [first, ofSystem])).toMatchObject({ isRight: true })
  })

  test("a history that alone has one is not", async () => {
    expect(await settled([...proven, ofSystem], [first])).toMatchObject({ isRight: false })
  })
})

test("where the node has none a history is right that is all that receipts prove", async () => {
  expect(await settled(proven, [first])).toMatchObject({ isRight: true, proven })
})
