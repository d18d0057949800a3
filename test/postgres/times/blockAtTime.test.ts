/** The block of a time: as going through all rows one by one says, however unevenly blocks come. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { chainSqlOf } from "../../../src/adapters/postgres/database/chainSql.ts"
import { joined } from "../../../src/adapters/postgres/database/fragments.ts"
import { selectFirstBlockAt, selectFirstBlockIn } from "../../../src/adapters/postgres/reads/feed/blockAtTime.ts"
import { transferFeed } from "../../../src/adapters/postgres/reads/feed/feed.ts"
import { chainIdOfNumber } from "../../../src/model/primitives.ts"
import { standards } from "../../../src/model/token.ts"
import { testDatabase } from "../../support/postgres.ts"

let sql: postgres.Sql
beforeAll(async () => {
  sql = postgres(await testDatabase(), { max: 1, onnotice: () => {} })
})
afterAll(() => sql.end())

/** The same numbers each time. */
const chance = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** How many seconds a block takes. */
const shapes = {
  even: () => 12,
  several: (below: (most: number) => number) => below(3),
  uneven: (below: (most: number) => number) => (below(20) === 0 ? 5000 : below(4)),
  still: (below: (most: number) => number) => (below(8) === 0 ? 60 : 0),
} as const

/** Blocks with their times, those of them with a row of each feed, and those that the clock has. */
const make = async (name: string, secondsOf: (below: (most: number) => number) => number, blocks: number) => {
  const below = chance(blocks)
  const times: Array<number> = [1000]
  while (times.length < blocks) times.push(times.at(-1)! + secondsOf(below))
  const some = (oneIn: number) => times.flatMap((time, block) => (below(oneIn) === 0 ? [{ block, time }] : []))
  const feeds = { erc20: some(2), erc721: some(9), erc1155: below(2) === 0 ? [] : some(30) }
  await sql.unsafe(`create schema ${name}`)
  const insert = (table: string, columns: string, rows: ReadonlyArray<string>) =>
    rows.length === 0 ? undefined : sql.unsafe(`insert into ${name}.${table} (${columns}) values ${rows.join(",")}`)
  for (const standard of standards) {
    await sql.unsafe(`create table ${name}.${standard}_transfer (pos int8 primary key, time int8)`)
    const rows = feeds[standard].map(({ block, time }) => `(${BigInt(block) << 24n}, ${time})`)
    await insert(`${standard}_transfer`, "pos, time", rows)
  }
  await sql.unsafe(`create table ${name}.clock (block int4 primary key, time int8)`)
  await sql.unsafe(`create table ${name}.state (next_block int4)`)
  await insert("state", "next_block", [`(${blocks})`])
  const clock = times.map((time, block) => `(${block}, ${time})`).filter((_, block) => block % 40 === 7)
  await insert("clock", "block, time", clock)
  return { times, feeds }
}

for (const [shape, secondsOf] of Object.entries(shapes)) {
  test(`of ${shape} blocks every row below it is older, and none from it on is`, async () => {
    for (const blocks of [1, 30, 260]) {
      const schema = `times_${shape}_${blocks}`
      const { times, feeds } = await make(schema, secondsOf, blocks)
      const chain = chainSqlOf(sql, chainIdOfNumber(1), schema)
      const ofChain = standards.map((standard) => transferFeed(chain, standard))
      const asked = [...new Set(times.flatMap((time) => [time - 1, time, time + 1]))]
      const rows = await sql<Array<{ time: number; all: number; apart: number }>>`
        select m.time::int4 as time, (${selectFirstBlockIn(chain, ofChain, sql`m.time`)}) as all,
          greatest(${joined(
            ofChain.map((feed) => sql`(${selectFirstBlockAt(feed, sql`m.time`)})`),
            sql`,`,
          )}) as apart
        from unnest(${`{${asked.join(",")}}`}::text::int8[]) m (time)`
      expect(rows).toHaveLength(asked.length)
      const all = standards.flatMap((standard) => feeds[standard])
      for (const { time, all: found, apart } of rows) {
        expect([time, found]).toEqual([time, apart])
        const wrong = all.filter((row) => (row.block < found ? row.time >= time : row.time < time))
        expect([time, found, wrong]).toEqual([time, found, []])
      }
    }
  })
}
