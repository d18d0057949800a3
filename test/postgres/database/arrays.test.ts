/** Arrays as parameters and in rows, of every type that statements use, through the server and back; none of it is asked of the server. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import type postgres from "postgres"
import { optionalArray } from "../../../src/adapters/postgres/database/arrays.ts"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import { problemOf } from "../../support/failure.ts"
import { testDatabase } from "../../support/postgres.ts"

const heard: Array<string> = []
let sql: postgres.Sql
beforeAll(async () => {
  sql = makeClient({ url: await testDatabase(), max: 1, observe: (statement) => heard.push(statement) })
})
afterAll(() => sql.end())

const int = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 })
/** What a careless reader takes for the end of a value, or for none. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('"', "\\", ",", "{", "}", " ", "'", "a", "\n", "é", "🦄") }),
  fc.constantFrom("", "NULL", "null", "Null", '\\"', "{}", "{a,b}"),
)
const kinds = {
  boolean: fc.boolean(),
  bytea: fc.uint8Array({ maxLength: 40 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`),
  int2: int(16),
  int4: int(32),
  int8: fc.maxSafeInteger(),
  text,
  float8: fc.double({ noNaN: true }).map((value) => value + 0),
  numeric: fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }).map(String),
}

test.each(Object.entries(kinds))("%s[]: what goes out comes back", async (kind, value) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(value as fc.Arbitrary<unknown>, { freq: 8 }), { maxLength: 6 }),
      async (given) => {
        const array = given as Array<string>
        // The driver takes a list of booleans for one.
        const sent =
          kind === "boolean" ? sql`${optionalArray(given as Array<boolean | undefined>)}::text` : sql`${array}`
        const [row] = await sql`select ${sent}::${sql.unsafe(kind)}[] as given, 1 as behind`
        expect(row).toEqual({ given, behind: 1 })
      },
    ),
    { numRuns: 60 },
  )
})

test("arrays that the server makes are read alike, and a null that stands for one", async () => {
  const [row] = await sql`
    select array_agg(x order by x) as some, array_agg(x) filter (where x > 9) as none, array(select 1 where false) as empty
    from (values (1), (2)) v(x)`
  expect(row).toEqual({ some: [1, 2], empty: [] })
})

test("a long element is read whole", async () => {
  const given = [`a"\\${"b".repeat(3_000_000)}`, "c"]
  const [row] = await sql<[{ given: Array<string> }]>`select ${given}::text[] as given`
  expect(row.given.map(({ length }) => length)).toEqual(given.map(({ length }) => length))
  expect(row.given).toEqual(given)
})

test("an element that is missing is refused, not sent as a word", async () => {
  const given = ["a", undefined] as ReadonlyArray<string | undefined>
  expect(await problemOf((async () => sql`select ${given as Array<string>}::text[]`)())).toContain("is undefined")
  expect(await sql`select 1 as after`).toEqual([{ after: 1 }] as never)
})

test("no connection reads the server's types, of which every table of every chain has two", () => {
  expect(heard.length).toBeGreaterThan(0)
  expect(heard.filter((statement) => statement.includes("pg_type"))).toEqual([])
})
