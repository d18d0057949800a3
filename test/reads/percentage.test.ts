/** A holder's share of the supply. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { withPercentageOf } from "../../src/domain/reads/holders.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { address } from "../support/chain/testChain.ts"

const share = (balance: bigint, supply: bigint) =>
  withPercentageOf(supply)({ chainId: ChainId.make("1"), address: address(1), balance: String(balance) }).percentage

test("is a fraction of the supply, rounded half up to six decimals", () => {
  expect(share(1n, 3n)).toBe(0.333333)
  expect(share(2n, 3n)).toBe(0.666667)
  expect(share(1n, 2_000_000n)).toBe(0.000001)
  expect(share(1n, 2_000_001n)).toBe(0)
  expect(share(7n, 7n)).toBe(1)
  expect(share(2n ** 255n, 2n ** 256n - 1n)).toBe(0.5)
})

test("is absent without a supply, and where it would be above the whole", () => {
  expect(share(1n, 0n)).toBeUndefined()
  expect(share(1n, -5n)).toBeUndefined()
  expect(share(8n, 7n)).toBeUndefined()
})

/** In whole numbers alone. */
const exactShare = (balance: bigint, supply: bigint) =>
  supply <= 0n || balance > supply
    ? undefined
    : Number((2n * balance * 1_000_000n + supply) / (2n * supply)) / 1_000_000

test("is that of whole numbers, however large they are and however close to the next one", () => {
  const supplies = fc.bigInt(1n, 2n ** 256n)
  const close = fc.record({ supply: supplies, half: fc.integer({ min: 0, max: 2_000_001 }), off: fc.bigInt(-2n, 2n) })
  const balances = fc.oneof(
    fc.record({ supply: supplies, balance: fc.bigInt(0n, 2n ** 256n) }),
    // Within two subunits of a half, or of the whole.
    close.map(({ supply, half, off }) => ({ supply, balance: (supply * BigInt(half)) / 2_000_000n + off })),
  )
  fc.assert(
    fc.property(balances, ({ supply, balance }) => {
      if (balance >= 0n) expect(share(balance, supply)).toBe(exactShare(balance, supply)!)
    }),
    { numRuns: 2000 },
  )
})
