/** The root of receipts that some chains hash with more fields than Ethereum, against viem's RLP. */
import { expect, test } from "bun:test"
import { type Hex, keccak256, numberToHex, toRlp } from "viem"
import { receiptsRootOf } from "../../../src/adapters/rpc/chain/receiptsRoot.ts"

const logsBloom: Hex = `0x${"0".repeat(512)}`
const receipt = { status: "0x1", cumulativeGasUsed: "0x5208", logsBloom, logs: [] }

/** The root over this one receipt: a leaf whose path is the receipt's place. */
const rootOf = (type: number, own: ReadonlyArray<Hex>): string => {
  const encoded = toRlp(["0x01", "0x5208", logsBloom, [], ...own])
  return keccak256(toRlp(["0x2080", `${numberToHex(type)}${encoded.slice(2)}`]))
}

test.each([
  ["Celo's, paid in another currency, with the base fee in it", 0x7b, { baseFee: "0x5d21dba00" }, ["0x05d21dba00"]],
  ["whose base fee is beyond what a number holds", 0x7b, { baseFee: "0xf00000000000000001" }, ["0xf00000000000000001"]],
  ["whose base fee is nothing", 0x7b, { baseFee: "0x0" }, ["0x"]],
  ["before Celo hashed it", 0x7b, {}, []],
  ["that say null for what they do not have", 0x7b, { baseFee: null }, []],
  ["of another kind, whatever they say of a base fee", 2, { baseFee: "0x5" }, []],
  ["deposits of the OP stack", 0x7e, { depositNonce: "0x7", depositReceiptVersion: "0x1" }, ["0x07", "0x01"]],
  ["deposits before Canyon", 0x7e, { depositNonce: "0x7" }, []],
  ["deposits before Canyon that say null", 0x7e, { depositNonce: "0x7", depositReceiptVersion: null }, []],
] satisfies ReadonlyArray<[string, number, object, ReadonlyArray<Hex>]>)("receipts %s", (_, type, fields, own) => {
  expect(receiptsRootOf([{ ...receipt, ...fields, type: numberToHex(type) }])).toBe(rootOf(type, own))
})
