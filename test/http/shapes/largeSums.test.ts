/** Of contracts whose logs add up to more than an amount can be: a sum in decimals has all its digits, and is in no word of 32 bytes. */
import { expect, test } from "bun:test"
import { shapeNames } from "../../../src/adapters/http/shapes/shapes.ts"
import { TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store } from "../support.ts"
import { ann, gold, salt, zero } from "../world.ts"

const most = 2n ** 256n - 1n

test("Alchemy's row of one has no balance and says why; the others have theirs", async () => {
  const service = await startService({ compatShapes: shapeNames })
  try {
    const mint = (token: typeof gold, amount: bigint) => transfer(token, zero, ann, amount)
    const chain = new TestChain().block([mint(gold, most), mint(salt, most)]).block([mint(salt, most)])
    await store(service, "43114", chain)
    const path = "/data/v1/key/assets/tokens/by-address"
    const asked = { addresses: [{ address: ann, networks: ["avax-mainnet"] }], includeNativeTokens: false }
    const { body } = await service.get(path, { method: "POST", body: JSON.stringify(asked) })
    const rows = body.data.tokens.map(({ tokenAddress, tokenBalance, error }: Json) => [
      tokenAddress,
      tokenBalance,
      error,
    ])
    expect(rows).toEqual([
      [gold, `0x${"f".repeat(64)}`, null],
      [salt, null, "this balance is above 2^256-1: the contract's events add up to more than 32 bytes can hold"],
    ])
    const native = (await service.get(`${prefix("43114")}/address/${ann}/tokens`)).body.items
    expect(native.map(({ balance }: Json) => balance).sort()).toEqual([String(most), String(2n * most)].sort())
    const { items } = (await service.get(`/v1/43114/address/${ann}/historical_balances/`)).body.data
    expect(items.map(({ balance }: Json) => balance)).toContain(String(2n * most))
    const { balances } = (await service.get(`/v1/evm/balances/${ann}?chain_ids=43114`)).body
    expect(balances.map(({ amount }: Json) => amount)).toContain(String(2n * most))
  } finally {
    await service.close()
  }
})
