/** What receipts prove, on chains that hash them as Ethereum does, on others, and of nodes that do not serve them. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { headerCallsOf } from "../../../src/adapters/rpc/chain/headerCalls.ts"
import { wantedBy } from "../../../src/adapters/rpc/chain/receiptLogs.ts"
import { makeProver } from "../../../src/adapters/rpc/chain/receiptsProof.ts"
import { bloomOfReceipts, receiptsRootOf } from "../../../src/adapters/rpc/chain/receiptsRoot.ts"
import { makeReceiptsVerifier } from "../../../src/adapters/rpc/chain/receiptsVerifier.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import type { RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { followedTopics } from "../../../src/domain/ingest/decode/topics.ts"
import { type Address, ChainId, Hash, hashOfHex } from "../../../src/model/primitives.ts"
import {
  type ReceiptsMark,
  type ReceiptsProof,
  type SourceHeader,
  SourceUnavailable,
} from "../../../src/ports/ChainSource.ts"
import { address, hash, TestChain, transfer } from "../../support/chain/testChain.ts"
import { replayOf, withReceipts } from "../../support/nodes/replayChain.ts"

const coin = address(0x70)
const chain = new TestChain()
for (let block = 0; block < 12; block++) {
  chain.block([transfer(coin, address(1), address(2), 5n), transfer(address(0x71), address(1), address(2), 7n)])
}
const blocks = withReceipts(replayOf("1", chain))
type Receipt = Readonly<Record<string, unknown>>
/** Their logs have the indexes 0, 1 and 2. */
const receiptsOf = (number: number): ReadonlyArray<Receipt> => {
  const { header, receipts } = blocks.find(number)!
  const indexed = (logs: (typeof receipts)[number]["logs"], place: number) =>
    logs.map((log) => ({ ...log, logIndex: `0x${place}` }))
  return receipts.map(({ logs, ...receipt }, place) => ({
    ...receipt,
    logs: indexed(logs, place),
    blockHash: header.hash,
  }))
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

const strange = { root: Hash.make(`0x${"1".repeat(64)}`) }
const quantity = (number: number) => `0x${number.toString(16)}`
/** As a node gives it, of a chain that hashes receipts in a way of its own. */
const rawHeader = (number: number) => {
  const { header, receipts } = blocks.find(number)!
  const transactions = receipts.map(({ transactionHash }) => transactionHash)
  return { ...header, number: quantity(number), transactions, receiptsRoot: strange.root }
}

type Answer = (number: number) => unknown
/** The prover of nodes that answer so (an Error is the node's own), what each was asked, and on a clock of its own. */
const proverOf = (answers: Answer | ReadonlyArray<Answer>, tokens?: ReadonlyArray<Address>) => {
  const asked: Array<Array<number>> = []
  const nodes = [answers].flat().map((answer, place) => {
    const own: Array<number> = []
    asked.push(own)
    const outcome = ({ method, params, read, readFault }: RpcCall<unknown>) => {
      if (method === "eth_getBlockByNumber") return read(rawHeader(Number(params[0])))
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
    headers: headerCallsOf({ readBloom: undefined, readsReceipts: true }),
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
    expect<unknown>([...proof.transactions.keys()]).toEqual(
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
    const proofs = await run(prove([headerOf(3, strange)]))
    expect(proofs.map((proof) => proof !== undefined && "logs" in proof && proof.logs.length)).toEqual([2])
  })

  test("that are not all are complained about, once some were right", async () => {
    const { prove } = proverOf((number) => (number > 1 ? receiptsOf(number).slice(1) : receiptsOf(number)))
    const [first, second] = await run(prove([headerOf(1), headerOf(2)]))
    expect(first !== undefined && "logs" in first).toBe(true)
    expect(second).toEqual({ complaint: "3 came for 4 transactions (node 0)" })
  })

  test("with another log in them are complained about", async () => {
    const { prove } = proverOf((number) =>
      receiptsOf(number).map((receipt) => (number > 1 ? { ...receipt, logs: [] } : receipt)),
    )
    expect((await run(prove([headerOf(1), headerOf(2)])))[1]).toEqual({
      complaint: "they do not give its receiptsRoot (node 0)",
    })
  })

  test("that a chain adds behind those of its transactions prove nothing, and are no fault", async () => {
    const { prove } = proverOf((number) => [...receiptsOf(number), ...receiptsOf(number).slice(0, 1)])
    const [proof] = await run(prove([headerOf(1)]))
    expect(proof !== undefined && "logs" in proof && proof.logs.length).toBe(2)
  })

  describe("that a root leaves out", () => {
    /** A system's own: of no gas, and with logs that no bloom shows. */
    const system = (number: number, place: number): Receipt => {
      const [first] = receiptsOf(number)
      const transactionHash = hash(`system ${number} ${place}`)
      const logs = (first!.logs as ReadonlyArray<Receipt>).map((log) => ({
        ...log,
        address: address(0x99),
        transactionHash,
      }))
      return { ...first, transactionHash, cumulativeGasUsed: "0x0", logs }
    }
    /** Of ordinary transactions, which use gas. */
    const used = (number: number) =>
      receiptsOf(number).map((receipt, place) => ({ ...receipt, cumulativeGasUsed: quantity(place + 1) }))
    const rootOf = (receipts: ReadonlyArray<Receipt>) => hashOfHex(receiptsRootOf(receipts)!)
    const headerOver = (number: number, own: Partial<ReceiptsMark>): SourceHeader => {
      const header = headerOf(number)
      return { ...header, receipts: { ...header.receipts!, root: rootOf(used(number)), ...own } }
    }
    const emptyRoot = rootOf([])
    const complaint = { complaint: "they do not give its receiptsRoot (node 0)" }

    test("stand in front of the others (HyperEVM), which are proven with their places in the block", async () => {
      const ahead = (number: number) => [system(number, 0), system(number, 1), system(number, 2)]
      const { prove } = proverOf((number) => (number > 1 ? [...ahead(number), ...used(number)] : used(number)))
      const [, second] = await run(prove([headerOver(1, {}), headerOver(2, { count: 7 })]))
      expect(second).toMatchObject({ logs: { length: 2 }, indexed: true, isOrdered: true })
      const places = receiptsOf(2).map(({ transactionHash }, place) => [String(transactionHash), place + 3])
      expect<unknown>(second !== undefined && "logs" in second && [...second.transactions]).toEqual(places)
    })

    test("are none that used gas", async () => {
      const before = (number: number) => ({ ...system(number, 0), cumulativeGasUsed: "0x1" })
      const { prove } = proverOf((number) => (number > 1 ? [before(number), ...used(number)] : used(number)))
      const [, second] = await run(prove([headerOver(1, {}), headerOver(2, { count: 5 })]))
      expect(second).toEqual(complaint)
    })

    test("are all of a block (of nothing but Polygon's state sync), which proves no log and denies none", async () => {
      const { prove } = proverOf((number) => (number > 1 ? [system(number, 0)] : used(number)))
      const only = { root: emptyRoot, count: 1, bloom: zeros }
      const [, second] = await run(prove([headerOver(1, {}), headerOver(2, only)]))
      expect(second).toEqual({ logs: [], indexed: true, transactions: new Map(), isOrdered: false })
    })

    test("are not all of a block where they used gas, where the bloom shows logs, or where some did not come", async () => {
      const gas = { ...system(2, 0), cumulativeGasUsed: "0x1" }
      for (const [receipts, own] of [
        [[gas], { count: 1, bloom: zeros }],
        [[system(2, 0)], { count: 1 }],
        [[system(2, 0)], { count: 2, bloom: zeros }],
      ] as const) {
        const { prove } = proverOf((number) => (number > 1 ? receipts : used(number)))
        const [, second] = await run(prove([headerOver(1, {}), headerOver(2, { root: emptyRoot, ...own })]))
        expect(second).toEqual({ complaint: expect.any(String) })
      }
    })

    test("teach nothing where they are all: some chains have the empty root in every block (Ethermint's)", async () => {
      const { prove } = proverOf((number) => (number > 1 ? used(number) : [system(number, 0)]))
      const always = { root: emptyRoot, count: 1, bloom: zeros }
      const next = { root: emptyRoot, bloom: zeros }
      expect(await run(prove([headerOver(1, always), headerOver(2, next)]))).toEqual([undefined, undefined])
    })
  })

  describe("on a chain that hashes them in a way of its own", () => {
    const isProven = (proof: ReceiptsProof | undefined) => proof !== undefined && "logs" in proof
    const without = (number: number) => receiptsOf(number).map((it, place) => (place === 0 ? { ...it, logs: [] } : it))
    const lying = (from: number) => (number: number) => (number >= from ? without(number) : receiptsOf(number))
    const lacking = expect.stringMatching(
      /^they lack logs that its header's logsBloom shows \(\d+ of its bits\) \(node 0\)$/,
    )

    test("and do not give the bloom either are complained about, once one matched", async () => {
      const { prove } = proverOf(lying(2))
      const [first, second] = await run(prove([headerOf(1, strange), headerOf(2, strange)]))
      expect([isProven(first), second]).toEqual([true, { complaint: lacking }])
    })

    test("and deny the bloom of the first block that is asked for are complained about: blocks below it matched", async () => {
      const { prove, asked } = proverOf(lying(9))
      expect(await run(prove([headerOf(9, strange)]))).toEqual([{ complaint: lacking }])
      expect(asked).toEqual([[9, 8, 5, 9]])
      expect((await run(prove([headerOf(10, strange)])))[0]).toEqual({ complaint: lacking })
      expect(asked[0]!.slice(4)).toEqual([10])
    })

    test("and deny it are had from the next node, which shows what they lack, and asked there first for a minute", async () => {
      const { prove, asked } = proverOf([lying(2), receiptsOf])
      const [first, second] = await run(prove([headerOf(1, strange), headerOf(2, strange)]))
      expect(isProven(first)).toBe(true)
      expect(second).toMatchObject({ denied: expect.stringContaining("node 0: they lack logs"), logs: { length: 2 } })
      await run(prove([headerOf(3, strange)]))
      expect(asked).toEqual([
        [1, 2],
        [2, 3],
      ])
    })

    test("and deny the bloom of the very first block are had from the next node too", async () => {
      const { prove, asked } = proverOf([lying(0), receiptsOf])
      const [proof] = await run(prove([headerOf(3, strange)]))
      expect(proof).toMatchObject({ denied: expect.stringContaining("node 0: they lack logs"), logs: { length: 2 } })
      expect(asked).toEqual([[3], [3]])
    })

    test("and deny the bloom as all nodes tell alike are the chain's way: nothing is known", async () => {
      const { prove } = proverOf([lying(2), lying(2)])
      const [first, second] = await run(prove([headerOf(1, strange), headerOf(2, strange)]))
      expect([isProven(first), second]).toEqual([true, undefined])
    })

    test("and lack what each node lacks otherwise are complained about", async () => {
      const last = (number: number) => receiptsOf(number).map((it, place) => (place === 1 ? { ...it, logs: [] } : it))
      const { prove } = proverOf([lying(2), (number) => (number > 1 ? last(number) : receiptsOf(number))])
      const [, second] = await run(prove([headerOf(1, strange), headerOf(2, strange)]))
      expect(second).toEqual({ complaint: expect.stringMatching(/\(node 0\); they lack .+ \(node 1\)$/) })
    })

    test("and lack logs of a failed transaction alone, by the indexes, are the chain's way: nothing is known", async () => {
      const failing = (number: number) =>
        receiptsOf(number).map((it, place) => (place === 0 ? { ...it, logs: [], status: "0x0" } : it))
      const told = (number: number) => (number > 1 ? failing(number) : receiptsOf(number))
      const after = (number: number) =>
        told(number).map((it, place) => ({
          ...it,
          logs: (it.logs as ReadonlyArray<Receipt>).map((log) => ({
            ...log,
            logIndex: quantity(place === 2 ? 9 : place),
          })),
        }))
      const [, second] = await run(proverOf(after).prove([headerOf(1, strange), headerOf(2, strange)]))
      expect(second).toEqual({ complaint: lacking })
      const [, excused] = await run(proverOf(told).prove([headerOf(1, strange), headerOf(2, strange)]))
      expect(excused).toBeUndefined()
    })

    test("and are fewer than the transactions, but give the bloom, prove the logs", async () => {
      const { prove } = proverOf((number) => receiptsOf(number).slice(0, -1))
      expect(await run(prove([headerOf(1, strange)]))).toMatchObject([{ logs: { length: 2 } }])
    })

    test("and give the bloom, but pass an index over, or are fewer, are had from the next node too, which may have more", async () => {
      const gap = (number: number) =>
        receiptsOf(number).map((it, place) => ({
          ...it,
          logs: (it.logs as ReadonlyArray<Receipt>).map((log) => ({ ...log, logIndex: quantity(2 * place) })),
        }))
      const fewer = (number: number) => receiptsOf(number).slice(0, 3)
      for (const weak of [fewer, gap]) {
        const { prove, asked } = proverOf([weak, receiptsOf])
        expect(await run(prove([headerOf(1, strange)]))).toMatchObject([{ logs: { length: 2 } }])
        expect(asked).toEqual([[1], [1]])
      }
      // A log that comes again sets no more bits.
      const more = (number: number) =>
        gap(number).map((it, place) =>
          place === 0 ? { ...it, logs: [...it.logs, { ...it.logs[0], logIndex: "0x1" }] } : it,
        )
      expect(await run(proverOf([gap, more]).prove([headerOf(1, strange)]))).toMatchObject([{ logs: { length: 3 } }])
      const { prove, asked } = proverOf([receiptsOf, receiptsOf])
      await run(prove([headerOf(1, strange)]))
      expect(asked).toEqual([[1], []])
    })

    test("and hold more than the bloom shows are no fault, also where it matched before", async () => {
      const more = (number: number) => [
        ...receiptsOf(number),
        {
          ...receiptsOf(number)[0],
          logs: [{ ...(receiptsOf(number + 1)[0]!.logs as ReadonlyArray<Receipt>)[0], address: address(0x99) }],
        },
      ]
      const header = { ...headerOf(2, strange), receipts: { ...headerOf(2, strange).receipts!, count: 5 } }
      const { prove } = proverOf((number) => (number > 1 ? more(number) : receiptsOf(number)))
      const [first, second] = await run(prove([headerOf(1, strange), header]))
      expect([isProven(first), second]).toEqual([true, undefined])
    })

    test("and never match its blooms are no fault, and not asked for any more after eight blocks", async () => {
      const { prove, asked } = proverOf(lying(0))
      for (let number = 0; number < 12; number++) {
        expect(await run(prove([headerOf(number, strange)]))).toEqual([undefined])
      }
      expect(asked[0]!.filter((number, place) => asked[0]!.indexOf(number) === place)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    })

    test("and did not come for a block whose bloom is empty are no fault", async () => {
      const { prove } = proverOf(() => [])
      expect(await run(prove([headerOf(1, { ...strange, bloom: zeros })]))).toEqual([undefined])
    })
  })

  test("that give the bloom and not the root, where roots matched before, are had from the next node too", async () => {
    const [kept] = receiptsOf(2)
    const twice = (receipts: ReadonlyArray<Receipt>) =>
      receipts.map((it, place) =>
        place === 0
          ? { ...it, logs: [...(it.logs as ReadonlyArray<Receipt>), ...(kept!.logs as ReadonlyArray<Receipt>)] }
          : it,
      )
    const { prove, asked } = proverOf([
      (number) => (number > 1 ? twice(receiptsOf(number)) : receiptsOf(number)),
      receiptsOf,
    ])
    const proofs = await run(prove([headerOf(1), headerOf(2)]))
    expect(proofs.map((proof) => proof !== undefined && "logs" in proof && proof.logs.length)).toEqual([2, 2])
    expect(asked).toEqual([[1, 2], [2]])
  })

  for (const [what, answer, why] of [
    ["null", null, "expected a list, got null"],
    ["of another fork", receiptsOf(2), "expected those of block 0x"],
    ["none at all", [], "expected those of 4 transactions, got none"],
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
    const strangest = { ...strange, bloom: zeros }
    for (let number = 0; number < 12; number++) {
      expect(await run(prove([headerOf(number, strangest)]))).toEqual([undefined])
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
