/** Whether a header's hash is that of its fields: by blocks of Ethereum, one of each shape of header. */
import { expect, test } from "bun:test"
import { isHashOfFields } from "../../../src/adapters/rpc/history/headerHash.ts"
import { hashOfHeader } from "../../support/nodes/hashedChain.ts"

/** Ethereum's first block. */
const genesis = {
  number: 0,
  hash: "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
  parentHash: `0x${"0".repeat(64)}`,
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  miner: `0x${"0".repeat(40)}`,
  stateRoot: "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
  transactionsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  receiptsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  logsBloom: `0x${"0".repeat(512)}`,
  difficulty: "0x400000000",
  gasLimit: "0x1388",
  gasUsed: "0x0",
  timestamp: 0,
  extraData: "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa",
  mixHash: `0x${"0".repeat(64)}`,
  nonce: "0x0000000000000042",
}

test("the first block of Ethereum", () => {
  expect(isHashOfFields(genesis)).toBe(true)
})

const withHash = (header: Readonly<Record<string, unknown>>) => ({ ...header, hash: hashOfHeader(header) })
const later = withHash({ ...genesis, number: 127, timestamp: "0x80", baseFeePerGas: "0x7", extraData: "0x" })

test("quantities of one byte, as numbers or hex, and an empty field", () => {
  expect(isHashOfFields(later)).toBe(true)
  expect(isHashOfFields({ ...later, number: "0x7f", timestamp: 128 })).toBe(true)
  expect(isHashOfFields(withHash({ ...later, extraData: "0x05", withdrawalsRoot: `0x${"6".repeat(64)}` }))).toBe(true)
})

for (const name of Object.keys(genesis).filter((it) => it !== "hash")) {
  test(`another or no ${name} gives another hash`, () => {
    const { [name]: _, ...rest } = later as Record<string, unknown>
    expect(isHashOfFields(rest)).toBe(false)
    const value = String((later as Record<string, unknown>)[name])
    const other =
      name === "timestamp" || name === "number" || value === "0x0" || value === "0x"
        ? "0x99"
        : value.replace(/.$/, (digit) => (digit === "1" ? "2" : "1"))
    expect(isHashOfFields({ ...later, [name]: other })).toBe(false)
  })
}

test("what is no header is none", () => {
  expect(isHashOfFields({})).toBe(false)
  expect(isHashOfFields({ ...later, extraData: `0x${"00".repeat(9000)}` })).toBe(false)
  expect(isHashOfFields({ ...later, miner: "0xzz" })).toBe(false)
  expect(isHashOfFields({ ...later, difficulty: -1 })).toBe(false)
})
