/** What receipts prove, on chains that hash them as Ethereum does, on others, and of nodes that do not serve them. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { wantedBy } from "../../../src/adapters/rpc/chain/receiptLogs.ts"
import { makeProver } from "../../../src/adapters/rpc/chain/receiptsProof.ts"
import { bloomOfReceipts, receiptsRootOf } from "../../../src/adapters/rpc/chain/receiptsRoot.ts"
import { makeReceiptsVerifier } from "../../../src/adapters/rpc/chain/receiptsVerifier.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import type { RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { followedTopics } from "../../../src/domain/ingest/decode/topics.ts"
import { type Address, ChainId, Hash, hashOfHex } from "../../../src/model/primitives.ts"
import { type ReceiptsProof, type SourceHeader, SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { replayOf, withReceipts } from "../../support/nodes/replayChain.ts"

const coin = address(0x70)
const chain = new TestChain()
for (let block = 0; block < 12; block++) {
  chain.block([transfer(coin, address(1), address(2), 5n), transfer(address(0x71), address(1), address(2), 7n)])
}
const blocks = withReceipts(replayOf("1", chain))
type Receipt = Readonly<Record<string, unknown>>
const receiptsOf = (number: number): ReadonlyArray<Receipt> => {
  const { header, receipts } = blocks.find(number)!
  return receipts.map((receipt) => ({ ...receipt, blockHash: header.hash }))
}
const zeros = `0x${"0".repeat(512)}`
/** As it is, or of a chain that hashes receipts in a way of its own. */
const headerOf = (number: number, own: { readonly root?: Hash; readonly bloom?: string } = {}): SourceHeader => {
  const receipts = receiptsOf(number)
  const mark = {
    root: hashOfHex(receiptsRootOf(receipts)!),
    count: receipts.length,
    bloom: bloomOfReceipts(receipts),
    ...own,
  }
  return { ...chain.blocks[number]!.header, receipts: mark }
}

type Answer = (number: number) => unknown
/** The prover of nodes that answer so (an Error is the node's own), what each was asked, and on a clock of its own. */
const proverOf = (answers: Answer | ReadonlyArray<Answer>, tokens?: ReadonlyArray<Address>) => {
  const asked: Array<Array<number>> = []
  const nodes = [answers].flat().map((answer, place) => {
    const own: Array<number> = []
    asked.push(own)
    const outcome = ({ params, read, readFault }: RpcCall<unknown>) => {
      own.push(Number(params[0]))
      const result = answer(Number(params[0]))
      if (!(result instanceof Error)) return read(result)
      const value = readFault!({ kind: "answer", message: result.message })
      if (value === undefined) throw result
      return value.value
    }
    const batch = (calls: ReadonlyArray<RpcCall<unknown>>) =>
      Effect.try({
        try: () => calls.map(outcome),
        catch: (error) => new SourceUnavailable({ message: `node ${place}: ${(error as Error).message}` }),
      })
    return { batch, label: `node ${place}` } as unknown as RpcClient
  })
  const isWanted = wantedBy(followedTopics(false), tokens)
  const prove = makeProver({
    chainId: ChainId.make("1"),
    nodes,
    first: () => 0,
    verifier: makeReceiptsVerifier(),
    isWanted,
  })
  return { asked, prove }
}
const unknownMethod = new Error("the method eth_getBlockReceipts does not exist")
const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(effect.pipe(Effect.provide(TestClock.layer())))

describe("receipts", () => {
  test("that give the root prove the logs that are followed, and name the transactions", async () => {
    const { prove } = proverOf(receiptsOf, [coin])
    const [proof] = await run(prove([headerOf(3)]))
    if (proof === undefined || !("logs" in proof)) throw new Error("nothing was proven")
    const bare = proof.logs.map(({ logIndex: _, ...log }) => log)
    expect(bare).toEqual(
      chain.blocks[3]!.logs.filter((log) => log.address === coin).map(({ logIndex: _, ...log }) => log),
    )
    expect<unknown>([...proof.transactions]).toEqual(
      receiptsOf(3).map(({ transactionHash }) => String(transactionHash)),
    )
  })

  test("give the logs their indexes, and where they count anew in each receipt only their order", async () => {
    const indexed = async (renumbered: (log: Receipt, place: number) => Receipt) => {
      const receipts = receiptsOf(3).map((receipt) => ({
        ...receipt,
        logs: (receipt.logs as ReadonlyArray<Receipt>).map(renumbered),
      }))
      const [proof] = await run(proverOf(() => receipts, [coin]).prove([headerOf(3)]))
      return proof !== undefined && "logs" in proof && [proof.indexed, proof.logs.map(({ logIndex }) => logIndex)]
    }
    const own = chain.blocks[3]!.logs.filter((log) => log.address === coin)
    expect(await indexed((log) => log)).toEqual([true, own.map(({ logIndex }) => logIndex)])
    expect(await indexed((log, place) => ({ ...log, logIndex: `0x${place}` }))).toEqual([false, [0]])
    expect(await indexed(({ logIndex: _, ...log }) => log)).toEqual([false, [0]])
  })

  test("that give the bloom, and are as many as the transactions, prove them too", async () => {
    const { prove } = proverOf(receiptsOf)
    const proofs = await run(prove([headerOf(3, { root: Hash.make(`0x${"1".repeat(64)}`) })]))
    expect(proofs.map((proof) => proof !== undefined && "logs" in proof && proof.logs.length)).toEqual([2])
  })

  test("that are not all are complained about, once some were right", async () => {
    const { prove } = proverOf((number) => (number > 1 ? receiptsOf(number).slice(1) : receiptsOf(number)))
    const [first, second] = await run(prove([headerOf(1), headerOf(2)]))
    expect(first !== undefined && "logs" in first).toBe(true)
    expect(second).toEqual({ complaint: "3 came for 4 transactions" })
  })

  test("with another log in them are complained about", async () => {
    const { prove } = proverOf((number) =>
      receiptsOf(number).map((receipt) => (number > 1 ? { ...receipt, logs: [] } : receipt)),
    )
    expect((await run(prove([headerOf(1), headerOf(2)])))[1]).toEqual({
      complaint: "they do not give its receiptsRoot",
    })
  })

  test("that a chain adds behind those of its transactions prove nothing, and are no fault", async () => {
    const { prove } = proverOf((number) => [...receiptsOf(number), ...receiptsOf(number).slice(0, 1)])
    const [proof] = await run(prove([headerOf(1)]))
    expect(proof !== undefined && "logs" in proof && proof.logs.length).toBe(2)
  })

  test("that give no root on a chain where none ever did are no fault", async () => {
    const { prove } = proverOf((number) => (number > 1 ? receiptsOf(number).slice(1) : receiptsOf(number)))
    const strange = { root: Hash.make(`0x${"1".repeat(64)}`) }
    const [first, second] = await run(prove([headerOf(1, strange), headerOf(2, strange)]))
    expect([first !== undefined && "logs" in first, second]).toEqual([true, undefined])
  })

  for (const [what, answer, why] of [
    ["null", null, "of block 3 came null"],
    ["of another fork", receiptsOf(2), "they are of another block"],
    ["none at all", [], "none came"],
    ["over a limit", new Error("limit exceeded"), "limit exceeded"],
    ["past a rate limit for a method that is not available now", new Error("rate limit: method not available"), ""],
    ["failing", new Error("internal error"), "internal error"],
  ] as const) {
    test(`that come ${what} are a failure, had from the next node, and said where there is none`, async () => {
      const failing = (number: number) => (number === 3 ? answer : receiptsOf(number))
      const alone = proverOf(failing)
      for (let time = 0; time < 5; time++) {
        const [proof] = await run(alone.prove([headerOf(3)]))
        expect(proof).toEqual({ unread: expect.stringContaining(`node 0: ${why}`) })
      }
      expect(alone.asked).toEqual([[3, 3, 3, 3, 3]])
      const two = proverOf([failing, receiptsOf])
      const [second] = await run(two.prove([headerOf(3)]))
      expect([second !== undefined && "logs" in second, two.asked]).toEqual([true, [[3], [3]]])
    })
  }

  test("that one node lacks and another fails to give are a failure", async () => {
    const { prove } = proverOf([() => unknownMethod, () => new Error("internal error")])
    expect(await run(prove([headerOf(3)]))).toEqual([{ unread: "node 1: internal error" }])
  })

  test("of a chain with a root of its own and empty blooms are asked for eight times", async () => {
    const { prove, asked } = proverOf(receiptsOf)
    const strange = { root: Hash.make(`0x${"1".repeat(64)}`), bloom: zeros }
    for (let number = 0; number < 12; number++) {
      expect(await run(prove([headerOf(number, strange)]))).toEqual([undefined])
    }
    expect(asked[0]!.length).toBe(8)
  })

  test("that a node does not know are asked for once, and again after five minutes, and had from another", async () => {
    const { prove, asked } = proverOf([() => unknownMethod, receiptsOf])
    const isProven = (proofs: ReadonlyArray<ReceiptsProof | undefined>) =>
      proofs.every((proof) => proof !== undefined && "logs" in proof)
    await run(
      Effect.gen(function* () {
        for (let number = 0; number < 6; number++) expect(isProven(yield* prove([headerOf(number)]))).toBe(true)
        expect(asked[0]).toEqual([0])
        yield* TestClock.adjust(300_000)
        yield* prove([headerOf(6)])
        expect(asked[0]).toEqual([0, 6])
      }),
    )
  })

  test("that no node knows prove nothing, and are no fault", async () => {
    const { prove, asked } = proverOf([() => unknownMethod, () => unknownMethod])
    await run(
      Effect.gen(function* () {
        for (let number = 0; number < 6; number++) expect(yield* prove([headerOf(number)])).toEqual([undefined])
      }),
    )
    expect(asked).toEqual([[0], [0]])
  })
})
