/** Who made a contract, on a real node: found where it can be proven, never guessed where it cannot. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { type Born, finderOf } from "../../../src/adapters/rpc/origins/RpcContractOrigins.ts"
import type { RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import type { Address, Hash } from "../../../src/model/primitives.ts"
import { hash } from "../../support/chain/testChain.ts"
import { startAnvil, type TestNode } from "../../support/nodes/anvil.ts"
import { run } from "../node.ts"
import { both, clientThat, forgets, makerOf, noTraces, type Pretence } from "./origins.support.ts"

let node: TestNode
let maker: Awaited<ReturnType<typeof makerOf>>
/** The first block that a worse node has the state of. */
let edge: number
/** By how they were made. */
let selfMinting: Made
let simple: Made
let simpleLater: Made
let inside: Made
let insideLater: Made
let insideSecond: Made

interface Made {
  readonly born: Born
  readonly txHash: Hash
  readonly time: number
}

beforeAll(async () => {
  node = await startAnvil()
  maker = await makerOf(node)
  await node.mineEmpty(20)

  const laterSimple = await maker.mine(maker.idle(), maker.creation("Quiet"), maker.idle())
  const laterSalt = maker.newSalt()
  const laterInside = await maker.mine(maker.idle(), maker.idle(), maker.call("make", laterSalt))
  await node.mineEmpty(700)
  edge = (await node.head()) - 5

  const own = await maker.mine(maker.creation("SelfMinting"))
  selfMinting = await madeBy(own, 0, await maker.addressOf(own.hashes[0]!), own)
  const before = await maker.mine(maker.creation("Quiet"))
  const token = await maker.addressOf(before.hashes[0]!)
  simple = { ...(await madeBy(before, 0, token, before)), born: await maker.mint(token) }
  const [first, second] = [maker.newSalt(), maker.newSalt()]
  const alone = await maker.mine(maker.call("makeAndMint", first))
  inside = await madeBy(alone, 0, await maker.place(first), alone)
  const among = await maker.mine(maker.idle(), maker.call("makeAndMint", second))
  insideSecond = await madeBy(among, 1, await maker.place(second), among)

  const old = await maker.addressOf(laterSimple.hashes[1]!)
  simpleLater = { ...(await madeBy(laterSimple, 1, old, laterSimple)), born: await maker.mint(old) }
  const oldInside = await maker.place(laterSalt)
  insideLater = { ...(await madeBy(laterInside, 2, oldInside, laterInside)), born: await maker.mint(oldInside) }
})
afterAll(() => node?.stop())

type Mined = Awaited<ReturnType<typeof maker.mine>>
const madeBy = async ({ hashes, block }: Mined, place: number, address: Address, first: Mined): Promise<Made> => ({
  born: { address, firstBlock: first.block, firstTxHash: hashes[place]! },
  txHash: hashes[place]!,
  time: await maker.timeOf(block),
})

const find = async (pretence: Pretence, ...made: ReadonlyArray<Made>) => {
  const { client, asked } = clientThat(node, pretence)
  const origins = await run(finderOf({ client, each: [] })(made.map(({ born }) => born)))
  return { origins, asked }
}
const truth: Pretence = () => undefined
const whole = ({ txHash, time }: Made) => ({ txHash, time })
const timeOf = ({ time }: Made) => ({ time })

describe("a contract is found with its transaction and time", () => {
  const cases: ReadonlyArray<[string, () => Made]> = [
    ["made by the transaction of its first transfer", () => selfMinting],
    ["made by a transaction, with its first transfer soon after", () => simple],
    ["made by a transaction, with its first transfer long after", () => simpleLater],
    ["made by a contract within the transaction of its first transfer", () => inside],
    ["made so by the second transaction of a block", () => insideSecond],
    ["made by a contract, with its first transfer long after", () => insideLater],
  ]
  for (const [name, made] of cases) {
    test(name, async () => expect((await find(truth, made())).origins).toEqual([whole(made())]))
  }

  test("all of them at once, in order", async () => {
    const all = cases.map(([, made]) => made())
    expect((await find(truth, ...all, ...all)).origins).toEqual([...all, ...all].map(whole))
  })

  test("in the ledger's own block alone: the node may have the transaction at that number of another fork", async () => {
    const of = ({ born, ...made }: Made, firstBlockHash: Hash): Made => ({ ...made, born: { ...born, firstBlockHash } })
    const own = await maker.hashOf(simple.born.firstBlock)
    const all = [of(simple, own), of(simple, hash("of another fork")), of(selfMinting, hash("of another fork"))]
    expect((await find(truth, ...all)).origins).toEqual([whole(simple), undefined, undefined])
  })

  test("by trace_transaction where debug_traceTransaction is not served", async () => {
    const without: Pretence = ({ method }) =>
      method.startsWith("debug") ? { fault: "the method debug_traceTransaction does not exist" } : undefined
    const { origins, asked } = await find(without, insideLater, insideSecond)
    expect(origins).toEqual([whole(insideLater), whole(insideSecond)])
    expect(asked.filter(({ method }) => method === "debug_traceTransaction").length).toBe(1)
  })
})

describe("on a node without traces", () => {
  test("contracts made by transactions are found as ever", async () => {
    const all = [selfMinting, simple, simpleLater]
    expect((await find(noTraces, ...all)).origins).toEqual(all.map(whole))
  })

  test("the first transfer's transaction is said where no other can have made it", async () => {
    expect((await find(noTraces, inside)).origins).toEqual([whole(inside)])
  })

  test("a contract made by one of several transactions has its time alone", async () => {
    expect((await find(noTraces, insideSecond, insideLater)).origins).toEqual([
      timeOf(insideSecond),
      timeOf(insideLater),
    ])
  })

  test("which it is not asked for again and again", async () => {
    const { asked } = await find(noTraces, insideSecond, insideLater, inside)
    expect(asked.filter(({ method }) => method.includes("trace")).map(({ method }) => method)).toEqual([
      "debug_traceTransaction",
      "trace_transaction",
    ])
  })
})

describe("on a pruned node", () => {
  const words = [
    "missing trie node 5c0b (path ) state 0x5c0b is not available",
    "historical state 0x12 is not available",
    "state at block #7 is pruned",
    "No state available for block 7",
    "project ID does not have access to archive state",
    "Archive, Debug and Trace requests are not available on your current plan",
    "required historical state unavailable (reexec=128)",
  ]
  for (const message of words) {
    test(`that says "${message}", new contracts are found and old ones are not`, async () => {
      const pruned = both(
        noTraces,
        forgets(edge, () => ({ fault: message })),
      )
      const { origins } = await find(pruned, selfMinting, simple, inside, simpleLater, insideLater)
      expect(origins).toEqual([whole(selfMinting), whole(simple), whole(inside), undefined, undefined])
    })
  }

  test("that answers with the newest state, old ones are not found", async () => {
    const newest = forgets(edge, ({ method }) => ({ result: method === "eth_getCode" ? "0x6001" : "0x99" }))
    const { origins } = await find(both(noTraces, newest), simple, simpleLater, insideLater)
    expect(origins).toEqual([whole(simple), undefined, undefined])
  })

  test("that answers with nothing, the edge of its memory is no creation", async () => {
    const nothing = forgets(edge, ({ method }) => ({ result: method === "eth_getCode" ? "0x" : "0x0" }))
    const { origins } = await find(both(noTraces, nothing), simple, simpleLater, insideLater)
    expect(origins).toEqual([whole(simple), undefined, undefined])
  })

  test("that knows no old state at all, a transaction's own receipt is proof enough", async () => {
    const never = forgets(Number.POSITIVE_INFINITY, () => ({ fault: "missing trie node" }))
    const { origins } = await find(both(noTraces, never), selfMinting, inside, insideSecond)
    expect(origins).toEqual([whole(selfMinting), undefined, undefined])
  })

  test("with an archive node beside it, that one is asked for the rest", async () => {
    const pruned = clientThat(
      node,
      forgets(edge, () => ({ fault: "missing trie node" })),
    )
    const archive = clientThat(node)
    const find = finderOf({ client: pruned.client, each: [pruned.client, archive.client] })
    expect(await run(find([simple.born, simpleLater.born, insideLater.born]))).toEqual([
      whole(simple),
      whole(simpleLater),
      whole(insideLater),
    ])
    const receipts = archive.asked.filter(({ method }) => method === "eth_getTransactionReceipt")
    expect(receipts[0]!.params).toEqual([simpleLater.born.firstTxHash])
  })
})

describe("nothing is said", () => {
  test("of a contract that is there from the first block on", async () => {
    const always: Pretence = ({ method, params }) =>
      method === "eth_getCode" && params[0] === insideLater.born.address ? { result: "0x6001" } : undefined
    expect((await find(always, insideLater)).origins).toEqual([undefined])
  })

  test("of an address that has no code", async () => {
    const codeless: Pretence = ({ method }) => (method === "eth_getCode" ? { result: "0x" } : undefined)
    expect((await find(both(noTraces, codeless), inside)).origins).toEqual([undefined])
  })

  test("of a token whose first transaction is gone or in another block", async () => {
    const { client } = clientThat(node)
    const gone = { ...selfMinting.born, firstTxHash: hash("gone") }
    const moved = { ...selfMinting.born, firstBlock: selfMinting.born.firstBlock + 1 }
    expect(await run(finderOf({ client, each: [] })([gone, moved]))).toEqual([undefined, undefined])
  })

  test("of a time for which only answers of different nodes speak", async () => {
    const { client } = clientThat(node, noTraces)
    const mixed: RpcClient = {
      ...client,
      together: (calls) => Effect.map(client.together(calls), (answer) => ({ ...answer, whole: false })),
    }
    const asked = [insideSecond.born, selfMinting.born]
    expect(await run(finderOf({ client: mixed, each: [] })(asked))).toEqual([undefined, whole(selfMinting)])
  })

  test("of a contract whose creation was undone, by the node's other kind of trace", async () => {
    const { address } = insideSecond.born
    const create = (traceAddress: ReadonlyArray<number>) => ({ type: "create", traceAddress, result: { address } })
    const traced = (...steps: ReadonlyArray<object>) => {
      const pretence: Pretence = ({ method }) =>
        method.startsWith("debug")
          ? { fault: "the method debug_traceTransaction does not exist" }
          : method.startsWith("trace")
            ? { result: steps }
            : undefined
      return find(pretence, insideSecond)
    }
    const fine = { type: "call", traceAddress: [], result: {} }
    const undone = { type: "call", traceAddress: [1], error: "Reverted" }
    expect((await traced(fine, undone, create([1, 0]))).origins).toEqual([timeOf(insideSecond)])
    expect((await traced(fine, undone, create([10, 0]))).origins[0]).toEqual(whole(insideSecond))
  })

  test("of a contract whose creation failed in the trace", async () => {
    const failing: Pretence = ({ method }) =>
      method === "debug_traceTransaction"
        ? {
            result: {
              type: "CALL",
              error: "execution reverted",
              calls: [{ type: "CREATE2", to: insideSecond.born.address }],
            },
          }
        : undefined
    expect((await find(failing, insideSecond)).origins).toEqual([timeOf(insideSecond)])
  })
})

test("odd fields of blocks and receipts are passed over", async () => {
  const { address, firstTxHash } = insideSecond.born
  const block = await node.rpc<Record<string, unknown>>("eth_getBlockByNumber", [
    `0x${insideSecond.born.firstBlock.toString(16)}`,
    true,
  ])
  const odd = { hash: hash("system"), from: "0x", to: null, nonce: "0xffffffffffffffff" }
  const transactions = [odd, ...(block.transactions as ReadonlyArray<object>)]
  const receipt = await node.rpc<object>("eth_getTransactionReceipt", [firstTxHash])
  const oddly: Pretence = ({ method, params }) => {
    if (method === "eth_getBlockByNumber") return { result: { ...block, transactions } }
    if (method !== "eth_getTransactionReceipt") return undefined
    return params[0] === firstTxHash ? { result: { ...receipt, contractAddress: "0x" } } : { result: null }
  }
  expect((await find(both(noTraces, oddly), insideSecond)).origins).toEqual([timeOf(insideSecond)])
  const failed: Pretence = ({ method }) =>
    method === "eth_getTransactionReceipt"
      ? { result: { ...receipt, contractAddress: address, status: "0x0" } }
      : undefined
  expect((await find(both(noTraces, failed), insideSecond)).origins).toEqual([timeOf(insideSecond)])
})

test("a node that fails is an error, never an unknown", async () => {
  const { client } = clientThat(node)
  const down = { ...client, batch: () => Effect.fail("down" as never) }
  expect(await run(Effect.flip(finderOf({ client: down, each: [] })([simple.born])))).toBe("down" as never)
})

test("a young contract costs two to five calls, an old one a few dozen at most", async () => {
  const costs: Array<number> = []
  for (const made of [selfMinting, inside, insideSecond, simple, simpleLater, insideLater]) {
    costs.push((await find(truth, made)).asked.length)
  }
  expect(costs.slice(0, 4)).toEqual([2, 4, 4, 5])
  expect(costs.slice(4).filter((cost) => cost > 24)).toEqual([])
})

test("contracts of one block share its calls, and an old one costs a few dozen", async () => {
  const { asked } = await find(truth, ...Array.from({ length: 20 }, () => simpleLater))
  expect(asked.filter(({ method }) => method === "eth_getBlockByNumber").length).toBe(1)
  const codes = asked.filter(({ method }) => method === "eth_getCode").length
  expect(codes / 20).toBeLessThan(20)
})

test("a transaction that made many is traced once for all of them, whichever way", async () => {
  const tracesOf = (asked: Awaited<ReturnType<typeof find>>["asked"]) =>
    asked.filter(({ method }) => method.includes("trace")).map(({ method }) => method)
  const salts = Array.from({ length: 6 }, () => maker.newSalt())
  const { hashes, block } = await maker.mine(maker.idle(), maker.callForMany(salts))
  const time = await maker.timeOf(block)
  const many = await Promise.all(
    salts.map(async (salt): Promise<Made> => {
      const born = { address: (await maker.place(salt))!, firstBlock: block, firstTxHash: hashes[1]! }
      return { born, txHash: hashes[1]!, time }
    }),
  )
  const { origins, asked } = await find(truth, ...many, insideSecond)
  expect(origins).toEqual([...many, insideSecond].map(whole))
  expect(tracesOf(asked)).toEqual(["debug_traceTransaction", "debug_traceTransaction"])
  const flat: Pretence = ({ method }) => (method.startsWith("debug") ? { result: null } : undefined)
  const other = await find(flat, ...many)
  expect(other.origins).toEqual(many.map(whole))
  expect(tracesOf(other.asked)).toEqual(["debug_traceTransaction", "trace_transaction"])
  const failing: Pretence = ({ method }) => (method.includes("trace") ? { fault: "execution timeout" } : undefined)
  expect(tracesOf((await find(failing, ...many)).asked)).toEqual(["debug_traceTransaction", "trace_transaction"])
})
