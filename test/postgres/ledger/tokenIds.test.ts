/** Ids that a load remembers of tokens: a Map would give the same. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { TokenIds } from "../../../src/adapters/postgres/ledger/ids/tokenIds.ts"
import { addressOfHex } from "../../../src/model/primitives.ts"
import { standards } from "../../../src/model/token.ts"

const addressOf = (number: number) => addressOfHex(`0x${number.toString(16).padStart(8, "0").repeat(5)}`)
const anyToken = fc.tuple(fc.constantFrom(...standards), fc.nat(30).map(addressOf))

test("it gives the first id that it was told of a token, of each standard, and undefined of others", () => {
  fc.assert(
    fc.property(fc.array(anyToken), fc.array(anyToken), fc.nat(40), (told, asked, most) => {
      const ids = new TokenIds(most)
      const expected = new Map<string, number>()
      told.forEach(([standard, address], id) => {
        ids.remember(standard, address, id)
        const key = standard + address
        if (expected.size < most && !expected.has(key)) expected.set(key, id)
      })
      for (const [standard, address] of [...told, ...asked])
        expect(ids.get(standard, address)).toBe(expected.get(standard + address))
    }),
  )
})

test("it grows: a hundred thousand of them are found again, those beyond the most are not", () => {
  const ids = new TokenIds(100_000)
  for (let number = 0; number < 100_010; number++) ids.remember("erc20", addressOf(number * 7919), number)
  for (let number = 0; number < 100_000; number++)
    if (ids.get("erc20", addressOf(number * 7919)) !== number) throw new Error(`number ${number}`)
  expect(ids.get("erc20", addressOf(100_000 * 7919))).toBeUndefined()
  expect(ids.get("erc721", addressOf(0))).toBeUndefined()
})
