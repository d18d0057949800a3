/** What receipts prove, on chains that hash them as Ethereum does, on others, and of nodes that do not serve them. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { RpcCall } from "../../src/adapters/rpc/answers.ts"
import type { RpcClient } from "../../src/adapters/rpc/client.ts"
import { makeProver, makeSoundness, wantedBy } from "../../src/adapters/rpc/receiptsProof.ts"
import { bloomOfReceipts, receiptsRootOf } from "../../src/adapters/rpc/receiptsRoot.ts"
import { followedTopics } from "../../src/domain/ingest/topics.ts"
import type { SourceHeader } from "../../src/ports/ChainSource.ts"
import { replayOf, withReceipts } from "../support/replayChain.ts"
import { address, TestChain, transfer } from "../support/testChain.ts"

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
const headerOf = (number: number, own: { readonly root?: string; readonly bloom?: string } = {}): SourceHeader => {
  const receipts = receiptsOf(number)
  const mark = { root: receiptsRootOf(receipts)!, count: receipts.length, bloom: bloomOfReceipts(receipts), ...own }
  return { ...chain.blocks[number]!.header, receipts: mark }
}

type Answer = (number: number) => unknown
/** The prover of a node that answers so, what it was asked, and on a clock of its own. */
const proverOf = (answer: Answer, tokens?: ReadonlyArray<string>) => {
  const asked: Array<number> = []
  const client = {
    batch: (calls: ReadonlyArray<RpcCall<unknown>>) =>
      Effect.succeed(
        calls.map(({ params, read, readFault }) => {
          asked.push(Number(params[0]))
          const result = answer(Number(params[0]))
          return result instanceof Error ? readFault!({ kind: "answer", message: result.message })!.value : read(result)
        }),
      ),
  } as unknown as RpcClient
  const prove = makeProver({ client, soundness: makeSoundness(), isWanted: wantedBy(followedTopics(false), tokens) })
  return { asked, prove }
}
const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(effect.pipe(Effect.provide(TestClock.layer())))

describe("receipts", () => {
  test("that give the root prove the logs that are followed, and name the transactions", async () => {
    const { prove } = proverOf(receiptsOf, [coin])
    const [proof] = await run(prove([headerOf(3)]))
    if (proof === undefined || "complaint" in proof) throw new Error("nothing was proven")
    const bare = proof.logs.map(({ logIndex: _, ...log }) => log)
    expect(bare).toEqual(
      chain.blocks[3]!.logs.filter((log) => log.address === coin).map(({ logIndex: _, ...log }) => log),
    )
    expect([...proof.transactions]).toEqual(receiptsOf(3).map(({ transactionHash }) => String(transactionHash)))
  })

  test("that give the bloom, and are as many as the transactions, prove them too", async () => {
    const { prove } = proverOf(receiptsOf)
    const proofs = await run(prove([headerOf(3, { root: `0x${"1".repeat(64)}` })]))
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
    const strange = { root: `0x${"1".repeat(64)}` }
    const [first, second] = await run(prove([headerOf(1, strange), headerOf(2, strange)]))
    expect([first !== undefined && "logs" in first, second]).toEqual([true, undefined])
  })

  test("of another fork, or none, say nothing", async () => {
    const { prove } = proverOf((number) => (number === 1 ? receiptsOf(2) : null))
    expect(await run(prove([headerOf(1), headerOf(2)]))).toEqual([undefined, undefined])
  })

  test("of a chain with a root of its own and empty blooms are asked for eight times", async () => {
    const { prove, asked } = proverOf(receiptsOf)
    const strange = { root: `0x${"1".repeat(64)}`, bloom: zeros }
    for (let number = 0; number < 12; number++) {
      expect(await run(prove([headerOf(number, strange)]))).toEqual([undefined])
    }
    expect(asked.length).toBe(8)
  })

  test("that a node does not serve are asked for three times, and again after five minutes", async () => {
    const { prove, asked } = proverOf(() => new Error("the method eth_getBlockReceipts does not exist"))
    await run(
      Effect.gen(function* () {
        for (let number = 0; number < 6; number++) yield* prove([headerOf(number)])
        expect(asked).toEqual([0, 1, 2])
        yield* TestClock.adjust(300_000)
        yield* prove([headerOf(6)])
        expect(asked).toEqual([0, 1, 2, 6])
      }),
    )
  })
})
