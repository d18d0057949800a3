/** PlaceCache: whatever texts share a place, each has its own value, and one that comes again is not made again. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { addressOfTopic, shared } from "../../../src/domain/ingest/decode/internAddress.ts"
import { Address } from "../../../src/model/primitives.ts"
import { PlaceCache } from "../../../src/model/time/placeCache.ts"

/** Texts that meet: few places, and some that are no hex at all. */
const text = fc
  .tuple(fc.constantFrom("0a1", "0a2", "zz\u{1f4a9}", "€€€"), fc.integer({ min: 0, max: 3 }))
  .map(([digits, rest]) => `0x${digits}${String(rest).repeat(8)}`)

test("a text has the value that is made of it, whichever came before", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60 }), fc.constantFrom(3 as const, 4 as const), (texts, digits) => {
      const cache = new PlaceCache(2, digits, (it) => `of ${it}`)
      for (const it of texts) expect(cache.of(it)).toBe(`of ${it}`)
    }),
  )
})

test("one that comes again is not made again, until another takes its place", () => {
  const made: Array<string> = []
  const cache = new PlaceCache(2, 3, (it) => made.push(it))
  for (const it of ["0xabc1", "0xabd1", "0xabc1", "0xabc2", "0xabc2", "0xabc1"]) cache.of(it)
  expect(made).toEqual(["0xabc1", "0xabd1", "0xabc2", "0xabc1"])
})

test("an address of a topic and of a log is one string", () => {
  const [mine, other] = [
    Address.make(`0x${"1234567890".repeat(4)}`),
    Address.make(`0x${"1234567890".repeat(3)}ffffffffff`),
  ]
  for (const address of [mine, other, mine]) {
    expect(addressOfTopic(`0x${"0".repeat(24)}${address.slice(2)}`)).toBe(address)
    expect(shared(address)).toBe(address)
  }
})

test("what is no address in a topic is none the second time either, nor is the like of one", () => {
  const address = "1234567890".repeat(4)
  const [whole, dirty] = [`0x${"0".repeat(24)}${address}`, `0x${"0".repeat(23)}1${address}`]
  for (const topic of [dirty, dirty, whole, dirty, whole, whole.slice(0, -1), undefined, whole]) {
    expect(addressOfTopic(topic)).toBe(topic === whole ? Address.make(`0x${address}`) : undefined)
  }
})
