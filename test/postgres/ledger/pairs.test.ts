/** The pair cache alone: exact beyond 128 bits, and what it forgets. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { storeBigInt } from "../../../src/adapters/postgres/ledger/balances/int128.ts"
import { Pairs } from "../../../src/adapters/postgres/ledger/balances/pairs.ts"
import { burnAccount, mintAccount } from "../../../src/model/event.ts"
import { Address, zeroAddress } from "../../../src/model/primitives.ts"
import { address } from "../../support/chain/testChain.ts"

const change = (pairs: Pairs, index: number, amount: bigint, negative: boolean) => {
  const words = new Int32Array(4)
  pairs.change(index, words, 0, storeBigInt(words, 0, amount), amount, negative)
}

const amount = fc.oneof(
  fc.bigInt(0n, 2n ** 256n - 1n),
  fc.bigInt(0n, 2n ** 64n),
  fc.constantFrom(0n, 1n, 2n ** 32n - 1n, 2n ** 127n - 1n, 2n ** 127n, 2n ** 128n),
)

test("any run of additions and subtractions is exact, whichever way it crosses zero and 128 bits", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(amount, fc.boolean()), { maxLength: 30 }), (changes) => {
      const pairs = new Pairs()
      const index = pairs.indexOf(1, address(7))
      pairs.setNew(index, 2)
      let sum = 0n
      for (const [value, negative] of changes) {
        change(pairs, index, value, negative)
        sum += negative ? -value : value
        expect([pairs.balanceOf(index), pairs.isPositive(index)]).toEqual([sum, sum > 0n])
      }
    }),
    { numRuns: 300 },
  )
})

test("pairs are told apart by token and account, the reserved accounts and the zero address among them", () => {
  const pairs = new Pairs()
  const accounts = [
    mintAccount,
    burnAccount,
    zeroAddress,
    address(1),
    address(2 ** 40),
    Address.make(`0x01${"0".repeat(38)}`),
  ]
  const indexes = [1, 2].flatMap((token) => accounts.map((account) => pairs.indexOf(token, account)))
  expect(new Set(indexes).size).toBe(12)
  expect(indexes).toEqual([1, 2].flatMap((token) => accounts.map((account) => pairs.indexOf(token, account))))
  expect(indexes.slice(0, 6).map((index) => `0x${pairs.accountHex(index)}`)).toEqual(accounts)
  expect(indexes.slice(0, 3).map((index) => pairs.isReserved(index))).toEqual([true, true, false])
})

test("over three quarters full, the pairs of the newest segments stay, as they were, and the others go", () => {
  const pairs = new Pairs()
  const balanceAt = (at: number) => (at % 2 === 0 ? -(2n ** 300n) - BigInt(at) : BigInt(at))
  for (let at = 0; at < 3000; at++) {
    const index = pairs.indexOf(1 + (at % 3), address(at))
    pairs.setNew(index, at)
    pairs.setStored(index, at, 5000 + at, balanceAt(at))
    pairs.set(index, "segment", Math.floor(at / 100))
  }
  pairs.evict(1000)
  expect(pairs.count).toBe(500)
  for (let at = 2500; at < 3000; at++) {
    const index = pairs.indexOf(1 + (at % 3), address(at))
    expect([pairs.get(index, "holderNo"), pairs.get(index, "block"), pairs.balanceOf(index)]).toEqual([
      at,
      5000 + at,
      balanceAt(at),
    ])
  }
  expect(pairs.count).toBe(500)
  pairs.indexOf(1, address(0))
  expect(pairs.count).toBe(501)
})
