/** Addresses in topics: whatever else is there, only one with its twelve zero bytes is one. */
import { expect, test } from "bun:test"
import { addressAt } from "../../../src/domain/ingest/decode/abi.ts"
import { Address } from "../../../src/model/primitives.ts"

test("an address of a topic is the address", () => {
  for (const digits of ["1234567890".repeat(4), `${"1234567890".repeat(3)}ffffffffff`]) {
    expect(addressAt(`0x${"0".repeat(24)}${digits}`)).toBe(Address.make(`0x${digits}`))
  }
})

test("what is no address in a topic is none, nor is the like of one", () => {
  const address = "1234567890".repeat(4)
  const [whole, dirty] = [`0x${"0".repeat(24)}${address}`, `0x${"0".repeat(23)}1${address}`]
  for (const topic of [dirty, dirty, whole, dirty, whole, whole.slice(0, -1), undefined, whole]) {
    expect(addressAt(topic)).toBe(topic === whole ? Address.make(`0x${address}`) : undefined)
  }
})
