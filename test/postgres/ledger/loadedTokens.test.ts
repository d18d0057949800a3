/** Tokens that a load remembers: a Map would give the same. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { LoadedTokens } from "../../../src/adapters/postgres/ledger/ids/loadedTokens.ts"
import { addressOfHex } from "../../../src/model/primitives.ts"
import { standards } from "../../../src/model/token.ts"

const addressOf = (number: number) => addressOfHex(`0x${number.toString(16).padStart(8, "0").repeat(5)}`)
const anyToken = fc.tuple(fc.constantFrom(...standards), fc.nat(30).map(addressOf))
const row = { blockNumber: 1, logIndex: 2, time: 3, txHash: `0x${"ab".repeat(32)}` as const }

test("it gives the id of each token that it was told, of each standard, and none of others", () => {
  fc.assert(
    fc.property(fc.array(anyToken), fc.array(anyToken), (told, asked) => {
      const tokens = new LoadedTokens(100, true)
      const expected = new Map<string, number>()
      told.forEach(([standard, address], id) => {
        if (tokens.placeOf(standard, address) !== -1) return
        tokens.add(standard, address, id)
        expected.set(standard + address, id)
      })
      for (const [standard, address] of [...told, ...asked]) {
        const place = tokens.placeOf(standard, address)
        expect(place === -1 ? undefined : tokens.idAt(place)).toBe(expected.get(standard + address))
      }
    }),
  )
})

test("it counts transfers by token until they are stored, and of an append by standard", () => {
  const anyAppend = fc.record({ rows: fc.array(anyToken), isCounted: fc.boolean() })
  fc.assert(
    fc.property(fc.array(anyAppend, { maxLength: 4 }), (appends) => {
      const tokens = new LoadedTokens(100, true)
      let sequence = 0
      let expected = new Map<number, number>()
      for (const { rows, isCounted } of appends) {
        const byStandard = { erc20: 0, erc721: 0, erc1155: 0 }
        const born = { erc20: 0, erc721: 0, erc1155: 0 }
        for (const [standard, address] of rows) {
          let place = tokens.placeOf(standard, address)
          if (place === -1) {
            place = tokens.add(standard, address, ++sequence)
            tokens.born.push({ id: sequence, standard, address, born: row as never })
            born[standard]++
          }
          tokens.countTransfer(place)
          byStandard[standard]++
          expected.set(tokens.idAt(place), (expected.get(tokens.idAt(place)) ?? 0) + 1)
        }
        expect(tokens.movedCount).toBe(expected.size)
        expect(new Map(tokens.transfers().map(({ token, transfers }) => [token, transfers]))).toEqual(expected)
        expect(tokens.countsByStandard()).toEqual({ tokens: born, transfers: byStandard })
        tokens.settle(isCounted)
        if (isCounted) expected = new Map()
        expect(tokens.movedCount).toBe(expected.size)
        expect(tokens.born).toEqual([])
        expect(tokens.isComplete).toBe(true)
      }
    }),
  )
})

test("it grows: a hundred thousand are found again; where there are more, all are forgotten when they are counted", () => {
  const tokens = new LoadedTokens(100_000, true)
  for (let number = 0; number < 100_000; number++) tokens.add("erc20", addressOf(number * 7919), number)
  tokens.settle(true)
  expect(tokens.isCrowded).toBe(false)
  for (let number = 0; number < 100_000; number++)
    if (tokens.idAt(tokens.placeOf("erc20", addressOf(number * 7919))) !== number) throw new Error(`number ${number}`)
  expect(tokens.placeOf("erc20", addressOf(100_000 * 7919))).toBe(-1)
  tokens.add("erc20", addressOf(100_000 * 7919), 100_000)
  expect(tokens.isCrowded).toBe(true)
  tokens.settle(false)
  expect(tokens.idAt(tokens.placeOf("erc20", addressOf(0)))).toBe(0)
  tokens.settle(true)
  expect(tokens.placeOf("erc20", addressOf(0))).toBe(-1)
})

test("where not all are counted here too many are forgotten behind each append", () => {
  const tokens = new LoadedTokens(2, false)
  for (const number of [1, 2]) tokens.countTransfer(tokens.add("erc20", addressOf(number), number))
  tokens.settle(false)
  expect(tokens.idAt(tokens.placeOf("erc20", addressOf(1)))).toBe(1)
  tokens.countTransfer(tokens.add("erc20", addressOf(3), 3))
  tokens.settle(false)
  expect(tokens.placeOf("erc20", addressOf(1))).toBe(-1)
  expect([tokens.isComplete, tokens.movedCount]).toEqual([false, 0])
})

test("transfers are due to be stored as soon as a token has many, far below what 32 bits hold", () => {
  const tokens = new LoadedTokens(100, true, 3)
  const [few, many] = [1, 2].map((number) => tokens.add("erc20", addressOf(number), number)) as [number, number]
  for (let transfers = 1; transfers <= 2; transfers++) for (const place of [few, many]) tokens.countTransfer(place)
  tokens.settle(false)
  expect(tokens.isHigh).toBe(false)
  tokens.countTransfer(many)
  tokens.countTransfer(many)
  expect(tokens.isHigh).toBe(true)
  tokens.settle(true)
  expect([tokens.isHigh, tokens.movedCount]).toEqual([false, 0])
  for (let transfers = 1; transfers <= 3; transfers++) tokens.countTransfer(many)
  expect(tokens.isHigh).toBe(true)
  tokens.clear()
  expect(tokens.isHigh).toBe(false)
})

test("what was counted and is not stored is lost with the tokens", () => {
  const tokens = new LoadedTokens(100, true)
  tokens.countTransfer(tokens.add("erc20", addressOf(1), 1))
  tokens.clear()
  expect(tokens.isComplete).toBe(false)
  expect(tokens.countsByStandard()).toEqual({
    tokens: { erc20: 0, erc721: 0, erc1155: 0 },
    transfers: { erc20: 0, erc721: 0, erc1155: 0 },
  })
  expect(tokens.movedCount).toBe(0)
  tokens.settle(true)
  expect(tokens.isComplete).toBe(true)
})
