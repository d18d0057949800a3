/** Tokens by a count, which is indexed by its step: in the counts' own order, whatever they are. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { firstWideStep, stepOf } from "../../../src/adapters/postgres/reads/tokens/steps.ts"
import type { PageRequest } from "../../../src/model/page.ts"
import { Address, ChainId } from "../../../src/model/primitives.ts"
import type { TokenKey } from "../../../src/model/token.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { openReads, type Reads, randomChain, randomOf, writeChain } from "./reads.support.ts"

const chainId = ChainId.make("7")
/** Around the first wide step, around powers of two, and far beyond. */
const counts = [0, 1, 126, 127, 128, 129, 130, 131, 132, 255, 256, 257, 258, 1023, 1024, 1025, 1031, 1032, 2 ** 31 - 1]
const random = randomOf(5)
/** Tokens of another standard than the chain's own, many of them with the same counts. */
const tokens = Array.from({ length: 150 }, (_, at) => ({
  token_id: 1000 + at,
  address: Address.make(`0x${(0x1000 + ((at * 77) % 4001)).toString(16).padStart(40, "0")}`),
  holders: random.pick(counts),
  last_24h: random.pick(counts),
}))

let reads: Reads
beforeAll(async () => {
  reads = await openReads(18)
  await writeChain(reads.sql, "steps", randomChain(chainId, 3, { rows: 50, tokens: 2, logs: 4, shape: "even" }))
  const { sql } = reads
  for (const { token_id, address, holders, last_24h } of tokens) {
    await sql`insert into ${sql(`steps_${chainId}.token`)} (token_id, standard, address, first_pos, sort_time)
              values (${token_id}, 721, ${address}::bytea, ${token_id}, 0)`
    await sql`insert into ${sql(`steps_${chainId}.token_stat`)} (token_id, standard, address, holder_seq, holders, last_24h)
              values (${token_id}, 721, ${address}::bytea, 1, ${holders}, ${last_24h})`
  }
})
afterAll(() => reads.close())

test("the database and a cursor have the same steps, which rise with the counts, one by one", async () => {
  const rows = await reads.sql<Array<Record<"holders" | "holders_step" | "last_24h" | "last_24h_step", number>>>`
    select holders, holders_step, last_24h, last_24h_step from ${reads.sql(`steps_${chainId}.token_stat`)}`
  expect(new Set(rows.map(({ holders }) => holders))).toEqual(new Set([...counts, ...rows.map((row) => row.holders)]))
  for (const row of rows)
    expect([row.holders_step, row.last_24h_step]).toEqual([stepOf(row.holders), stepOf(row.last_24h)])
  const risen = Array.from({ length: 100_000 }, (_, count) => stepOf(count + 1) - stepOf(count))
  expect(new Set(risen)).toEqual(new Set([0, 1]))
  for (let count = 0; count < firstWideStep; count++) expect(stepOf(count)).toBe(count)
})

for (const [field, column] of [
  ["holdersCount", "holders"],
  ["transfers", "last_24h"],
] as const) {
  for (const direction of ["desc", "asc"] as const) {
    test(`by ${field}, ${direction}: every token once and in order, forth and back, in pages of any size`, async () => {
      const down = tokens.toSorted((a, b) => b[column] - a[column] || (a.address < b.address ? -1 : 1))
      const expected = (direction === "desc" ? down : down.toReversed()).map(({ address }) => address)
      const read = (page: PageRequest<TokenKey>) =>
        reads
          .reads("steps")
          .run(
            TokenStore.use((store) =>
              store.list({ standard: "erc721", chains: [chainId], sort: { field, direction }, page, count: false }),
            ),
          )
      for (const limit of [7, 200]) {
        const forth: Array<string> = []
        let last: TokenKey | undefined
        for (let more = true; more; ) {
          const { value } = await read({ limit, ...(last === undefined ? {} : { after: last }) })
          forth.push(...value.items.map(({ address }) => address))
          last = value.keys.at(-1)
          more = value.hasMore
        }
        expect(forth).toEqual(expected)
        const back: Array<string> = []
        for (let before = last, more = true; more && before !== undefined; ) {
          const { value } = await read({ limit, before })
          back.unshift(...value.items.map(({ address }) => address))
          before = value.keys[0]
          more = value.hasMore
        }
        expect(back).toEqual(expected.slice(0, -1))
      }
    })
  }
}
