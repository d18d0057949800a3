/** Logs out of receipts: a transaction's place that a log leaves out is its receipt's, and of neither nothing. */
import { expect, test } from "bun:test"
import { readWanted } from "../../../src/adapters/rpc/chain/receiptLogs.ts"
import { address, hash } from "../../support/chain/testChain.ts"

const block = { number: 2, hash: hash("block") }
const log = (index: number, more: object = {}) => ({
  address: address(0x70),
  topics: [hash("topic")],
  data: "0x",
  blockNumber: "0x2",
  blockHash: block.hash,
  transactionHash: hash(`tx ${index}`),
  logIndex: `0x${index}`,
  ...more,
})

test("a log's own place, else its receipt's, else none", () => {
  const receipts = [
    {
      transactionIndex: "0x0",
      logs: [log(0), log(1, { transactionIndex: "0x5" }), log(2, { transactionIndex: null })],
    },
    { logs: [log(3), log(4, { transactionIndex: "0x7" })] },
  ]
  const places = readWanted(receipts, () => true, block).map(({ txIndex }) => txIndex)
  expect(places).toEqual([0, 5, 0, undefined, 7])
})
