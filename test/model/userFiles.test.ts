/** What people wrote: read whole, or refused with every fault of it, in the order in which it was written. */
import { describe, expect, test } from "bun:test"
import { Result, Schema } from "effect"
import { decodeWhole } from "../../src/model/userFiles/decode.ts"
import { address, choice, contract, label, object, source, whole } from "../../src/model/userFiles/shapes.ts"
import { table } from "../../src/model/userFiles/table.ts"

const url = Schema.String.check(Schema.isPattern(/^https:/u, { expected: "a URL", secret: true }))
const row = object({ name: label, kind: choice("a", "b"), count: Schema.optionalKey(whole(0, 9)) }, { source })
const schema = object({
  rows: table(contract, Schema.NullOr(row).annotate({ expected: "an object" }), "address"),
  owners: Schema.optionalKey(Schema.Array(address)),
  url: Schema.optionalKey(url),
})
const [mine, other] = [`0x${"Ab".repeat(20)}`, `0x${"cd".repeat(20)}`]

const linesOf = (given: unknown, showsValues = true) => {
  const read = decodeWhole(schema, { showsValues })(given)
  return Result.isFailure(read) ? read.failure.map(({ at, problem }) => `${at}: ${problem}`) : []
}

test("what is sound is read: addresses in lower case, notes on the source left out", () => {
  const rows = { [mine]: { name: "One", kind: "a", source: "a note" }, [other]: null }
  const read = decodeWhole(schema)({ rows, owners: [mine] })
  expect(Result.isSuccess(read) && (read.success as unknown)).toEqual({
    rows: { [mine.toLowerCase()]: { name: "One", kind: "a" }, [other]: null },
    owners: [mine.toLowerCase()],
  })
})

describe("every fault is told", () => {
  const faulty = {
    colour: 1,
    url: "secretkey123",
    rows: {
      [mine]: { count: 10, name: " x", source: 5 },
      "0x12": { kind: "c", name: "Two" },
      [mine.toLowerCase()]: 7,
      [`0x${"0".repeat(40)}`]: null,
    },
    owners: ["0x12", other, 5],
  }

  test("with its place, what is wanted and what is there; what an object lacks comes first", () => {
    expect(linesOf(faulty)).toEqual([
      ".colour: no such word; expected one of rows, owners, url",
      ".url: expected a URL",
      `.rows.${mine}.kind: expected a value, there is none`,
      `.rows.${mine}.count: expected a whole number from 0 to 9, got 10`,
      `.rows.${mine}.name: expected a text of 1 to 64 characters, got " x"`,
      `.rows.${mine}.source: expected a text of 1 to 64 characters, got 5`,
      '.rows: expected an address of 40 hex digits, got "0x12"',
      '.rows.0x12.kind: expected "a" or "b", got "c"',
      `.rows.${mine.toLowerCase()}: expected each address once`,
      `.rows.${mine.toLowerCase()}: expected an object, got 7`,
      `.rows: expected an address other than the zero address, got "0x${"0".repeat(40)}"`,
      '.owners[0]: expected an address of 40 hex digits, got "0x12"',
      ".owners[2]: expected an address of 40 hex digits, got 5",
    ])
  })

  test("without the values where these are not shown: then a key is told by its place", () => {
    const lines = linesOf(faulty, false)
    expect(lines.filter((line) => line.includes("got"))).toEqual([])
    expect(lines).toContain(".rows.0x12: expected an address of 40 hex digits")
    expect(lines).toHaveLength(linesOf(faulty).length)
  })

  test("of the whole, and of values and keys as long as one likes", () => {
    expect([linesOf(5), linesOf({ rows: [] })]).toEqual([
      [": expected an object, got 5"],
      [".rows: expected an object by address, got []"],
    ])
    const long = "x".repeat(1000)
    expect(linesOf({ rows: { [long]: { name: long, kind: "a" } } })).toEqual([
      `.rows: expected an address of 40 hex digits, got "${"x".repeat(59)}…`,
      `.rows.${"x".repeat(60)}….name: expected a text of 1 to 64 characters, got "${"x".repeat(59)}…`,
    ])
  })
})
