/** What is remembered of walks by offset: true for one ledger and what follows it, bounded, the last used. */
import { expect, test } from "bun:test"
import { makeWalkedKeys, type WalkedLedger } from "../../../src/adapters/postgres/reads/transfers/walkedKeys.ts"
import { hash } from "../../support/chain/testChain.ts"

const ledger = (head: number, patch: Partial<WalkedLedger> = {}): WalkedLedger => ({
  ...{ table: 1, rollbacks: 0, head, hash: hash(`block ${head}`), ...patch },
})
const walked = (of: WalkedLedger, rows = 3) => ({
  ledger: of,
  keys: Array.from({ length: rows }, (_, row) => BigInt(row)),
  complete: false,
})

test("it holds for the ledger and for a later one, and for no other", () => {
  const remembered = makeWalkedKeys()
  const kept = walked(ledger(10))
  remembered.keep("a", kept)
  expect(remembered.headOf("a")).toBe(10)
  expect(remembered.find("a", ledger(10), hash("block 10"))).toBe(kept)
  expect(remembered.find("a", ledger(90), undefined)).toBe(kept)
  expect(remembered.find("b", ledger(10), undefined)).toBeUndefined()
  expect(remembered.find("a", ledger(9), hash("block 10"))).toBeUndefined()
  expect(remembered.find("a", ledger(11, { rollbacks: 1 }), hash("block 10"))).toBeUndefined()
  expect(remembered.find("a", ledger(11, { table: 2 }), hash("block 10"))).toBeUndefined()
  // Restored, and gone on with another fork.
  expect(remembered.find("a", ledger(12), hash("another"))).toBeUndefined()
})

test("an older snapshot does not replace what a newer one found; another ledger's does", () => {
  const remembered = makeWalkedKeys()
  const newer = walked(ledger(10))
  remembered.keep("a", newer)
  remembered.keep("a", walked(ledger(9)))
  expect(remembered.find("a", ledger(10), undefined)).toBe(newer)
  const other = walked(ledger(5, { table: 2 }))
  remembered.keep("a", other)
  expect(remembered.find("a", ledger(5, { table: 2 }), undefined)).toBe(other)
})

test("the walks last used stay, within so many rows", () => {
  const remembered = makeWalkedKeys(1000)
  for (let walk = 0; walk < 10; walk++) {
    remembered.keep(`${walk}`, walked(ledger(1), 180))
    remembered.find("0", ledger(1), undefined)
  }
  const left = Array.from({ length: 10 }, (_, walk) => walk).filter(
    (walk) => remembered.headOf(`${walk}`) !== undefined,
  )
  expect(left.length).toBeLessThanOrEqual(5)
  expect(left).toEqual(expect.arrayContaining([0, 8, 9]))
  remembered.keep("large", walked(ledger(1), 5000))
  expect(remembered.headOf("large")).toBeUndefined()
})
