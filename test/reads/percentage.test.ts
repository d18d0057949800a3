/** A holder's share of the supply. */
import { expect, test } from "bun:test"
import { withPercentage } from "../../src/domain/reads/holders.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { address } from "../support/chain/testChain.ts"

const share = (balance: bigint, supply: bigint) =>
  withPercentage({ chainId: ChainId.make("1"), address: address(1), balance: String(balance) }, supply).percentage

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
