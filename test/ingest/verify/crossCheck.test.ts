/** A block's logs held against what another node and its receipts tell of them. */
import { expect, test } from "bun:test"
import { compareLogs } from "../../../src/domain/ingest/verify/crossCheck.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"

const coin = address(0x70)
const alike = transfer(coin, address(1), address(2), 5n)
const { logs } = new TestChain().block([alike, alike, transfer(coin, address(2), address(1), 5n)], { logIndex: 3 })
  .blocks[0]!
const [first, , third] = logs
const all = () => true
/** Two transfers alike in one transaction. */
const doubled = [first!, { ...first!, logIndex: 4 }, third!]

test("nodes that count logs otherwise tell the same", () => {
  const anew = logs.map((log) => ({ ...log, logIndex: 0 }))
  expect(compareLogs(logs, { second: anew }, all)).toBe("the same")
  expect(compareLogs(logs, { receipts: anew }, all)).toBe("the same")
  expect(compareLogs(logs, { second: logs.toReversed() }, all)).toBe("asked again it holds 3")
})

test("of two logs alike in one transaction one that is left out is missed", () => {
  expect(compareLogs(doubled, { second: doubled }, all)).toBe("the same")
  expect(compareLogs([first!, third!], { second: doubled }, all)).toBe("asked again it holds 3")
  expect(compareLogs([first!, third!], { receipts: doubled }, all)).toBe("its receipts hold 3")
})
