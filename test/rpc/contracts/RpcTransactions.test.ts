/** Transactions and their receipts: what is read of them, and what is refused. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { readTransactions } from "../../../src/adapters/rpc/contracts/RpcTransactions.ts"
import { hash } from "../../support/chain/testChain.ts"
import { answer, clientOf, failureOf, play, refuse, requestsOf, server } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const ask = (hashes = [hash("a"), hash("b")]) => readTransactions(clientOf({ attempts: 2 }), hashes)

const common = { blockHash: hash("block"), blockNumber: "0x10", transactionIndex: "0x2" }
const sent = { ...common, nonce: "0x5", gas: "0x5208", gasPrice: "0x7", input: "0xa9059cbb00", type: "0x2" }
const receipt = { ...common, gasUsed: "0x5000", cumulativeGasUsed: "0xf000", effectiveGasPrice: "0x9" }
const told =
  (sentPatch: object = {}, receiptPatch: object = {}) =>
  ({ method, params: [wanted] }: { method: string; params: ReadonlyArray<unknown> }) =>
    method === "eth_getTransactionByHash"
      ? { hash: wanted, ...sent, ...sentPatch }
      : { transactionHash: wanted, ...receipt, ...receiptPatch }

const facts = {
  blockNumber: 16,
  blockHash: hash("block"),
  index: 2,
  nonce: "5",
  gas: "21000",
  gasPrice: "9",
  gasUsed: "20480",
  cumulativeGasUsed: "61440",
  methodId: "0xa9059cbb",
}

test("one batch asks for all of them, and the price is what was paid", async () => {
  const bodies = play([answer(told())])
  expect(await Effect.runPromise(ask())).toEqual([
    { hash: hash("a"), ...facts },
    { hash: hash("b"), ...facts },
  ])
  expect(bodies.map((body) => requestsOf(body).length)).toEqual([4])
})

describe("what nodes differ in", () => {
  test.each([
    [
      "a legacy transaction of a node without effectiveGasPrice",
      { type: "0x0" },
      { effectiveGasPrice: undefined },
      { gasPrice: "7" },
    ],
    ["one without a type", { type: undefined }, { effectiveGasPrice: null }, { gasPrice: "7" }],
    ["an input in the field data", { input: undefined, data: "0x1249c58b" }, {}, { methodId: "0x1249c58b" }],
    ["an input of less than four bytes", { input: "0x0102" }, {}, { methodId: "0x" }],
    ["no input", { input: "0x" }, {}, { methodId: "0x" }],
    [
      "large numbers",
      { nonce: "0xffffffffffffffff", gas: `0x${"f".repeat(64)}` },
      {},
      { nonce: "18446744073709551615", gas: String(2n ** 256n - 1n) },
    ],
  ] as const)("%s", async (_, sentPatch, receiptPatch, wanted) => {
    play([answer(told(sentPatch, receiptPatch))])
    expect(await Effect.runPromise(ask([hash("a")]))).toEqual([{ hash: hash("a"), ...facts, ...wanted }])
  })
})

describe("nothing is made up", () => {
  test.each([
    ["another transaction", { hash: hash("c") }, {}],
    ["another receipt", {}, { transactionHash: hash("c") }],
    ["a transaction that waits", { blockHash: null }, {}],
    ["no gas used", {}, { gasUsed: undefined }],
    ["an empty nonce", { nonce: "0x" }, {}],
    ["no input", { input: undefined }, {}],
    ["no price of a transaction with a price by block", {}, { effectiveGasPrice: undefined }],
    ["two blocks", { blockHash: hash("other") }, {}],
    ["two places", { transactionIndex: "0x3" }, {}],
  ] as const)("%s is a failure", async (_, sentPatch, receiptPatch) => {
    play([answer(told(sentPatch, receiptPatch))])
    expect((await failureOf(ask([hash("a")])))._tag).toBe("SourceUnavailable")
  })

  test("a node without it, or without the method, is a failure", async () => {
    play([answer(() => null)])
    expect((await failureOf(ask())).message).toContain("expected an object, got null")
    server.resetHandlers()
    play([refuse(-32601, "the method does not exist")])
    expect((await failureOf(ask()))._tag).toBe("SourceUnavailable")
  })
})
