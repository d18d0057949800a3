/** What is counted of busy accounts: as a naive count has it, whoever counts at once, wherever it begins; void where a counted block was changed. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect } from "effect"
import postgres from "postgres"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { makeBusyAccounts } from "../../../src/domain/enrich/busyAccounts.ts"
import { markWindow } from "../../../src/domain/enrich/marks.ts"
import type { Address, ChainId } from "../../../src/model/primitives.ts"
import { AccountMarks } from "../../../src/ports/AccountMarks.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { freshChainId, openStore, type TestStore } from "../../contracts/store.ts"
import { address, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { testSettings } from "../../support/givenServer.ts"

const stride = 5
const atOnce = 4
const finality = 10
const [ann, bob, cid, token, other] = [1, 2, 3, 4, 5].map((number) => address(number)) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]

let store: TestStore
let sql: postgres.Sql
let schema: string
let heard: Array<string> = []

beforeAll(async () => {
  const settings = await testSettings()
  schema = settings.schema ?? "cowry"
  sql = postgres(settings.url, { max: 1, onnotice: () => {} })
  const observe = (statement: string) => heard.push(statement)
  store = await openStore(async () =>
    PostgresStore.layer({ ...settings, observe }, { marks: { stride, far: 8, atOnce } }),
  )
})
afterAll(async () => {
  await store.close()
  await sql.end()
})

/** Ann is in each block, bob in each third, cid from block 40 on, with itself too. */
const blockOf = (number: number) => [
  transfer(number % 2 === 0 ? token : other, ann, bob, 1n),
  ...(number % 3 === 0 ? [transfer(token, bob, cid, 1n), transfer(token, ann, ann, 2n)] : []),
  ...(number > 40 ? [transfer(other, cid, cid, 1n), nftTransfer(token, cid, ann, BigInt(number))] : []),
]

const begin = async (blocks: number): Promise<{ chain: TestChain; chainId: ChainId; writer: LedgerWriter }> => {
  const chain = new TestChain()
  const chainId = freshChainId()
  const writer = await store.open({ chainId })
  for (let number = 0; number <= blocks; number++) chain.block(blockOf(number))
  return { chain, chainId, writer }
}

const append = (writer: LedgerWriter, chain: TestChain, from: number, to: number) =>
  store.run(writer.append(chain.segment(from, to, { finalizedBlock: to - finality })))

const busyOf = (least: number) => makeBusyAccounts({ least, share: 1, most: 100 })
const markAll = async (chainId: ChainId, least: number, busy = busyOf(least), blocks = 7) => {
  while ((await store.run(markWindow(chainId, busy, { blocks, least }))) !== undefined);
}

const table = (chainId: ChainId, name: string) => sql(`${schema}_${chainId}.${name}`)

/** Rows and marks of each account that is counted, as they are and as the ledger's rows have it. */
const expectTrue = async (chainId: ChainId, accounts: number) => {
  const [{ next }] = await sql<[{ next: number }]>`select next_block as next from ${table(chainId, "marking")}`
  const all = sql`
    select 20::int2 as standard, pos, 0 as sub, from_addr, to_addr from ${table(chainId, "erc20_transfer")}
    union all select 721, pos, sub, from_addr, to_addr from ${table(chainId, "erc721_transfer")}`
  const naive = await sql`
    with numbered as (
      select a.account, a.standard, r.pos, r.sub,
        row_number() over (partition by a.account, a.standard order by r.pos, r.sub) - 1 as number
      from ${table(chainId, "marked_account")} a left join (${all}) r
        on r.standard = a.standard and a.account in (r.from_addr, r.to_addr) and r.pos < ${next}::int8 << 24)
    select encode(account, 'hex') as account, standard, count(pos)::int as rows, coalesce(array_agg(pos::text || ' ' || sub order by pos, sub)
      filter (where number % ${stride}::int4 = 0 and pos is not null), '{}') as marks
    from numbered group by account, standard order by account, standard`
  const kept = await sql`
    select encode(a.account, 'hex') as account, a.standard, a.rows::int,
      array(select m.pos::text || ' ' || m.sub from ${table(chainId, "account_mark")} m
            where m.account = a.account and m.standard = a.standard order by m.mark) as marks
    from ${table(chainId, "marked_account")} a order by a.account, a.standard`
  expect([...kept]).toEqual([...naive])
  expect(kept.length).toBeGreaterThanOrEqual(accounts)
  return next
}

const list = async (chainId: ChainId, account: Address, direction: "asc" | "desc", skip: number, limit = 4) => {
  const filter = { address: [account] }
  const query = {
    standard: "erc20",
    chains: [chainId],
    filter,
    direction,
    page: { limit },
    skip,
    count: false,
  } as const
  return (await store.run(TransferStore.use((s) => s.list(query)))).value.keys
}

/** Pages at every third row against the list's beginning, which is read by one page. Gives how many were found by marks. */
const expectPages = async (chainId: ChainId, account: Address) => {
  let byMarks = 0
  for (const direction of ["asc", "desc"] as const) {
    const query = {
      standard: "erc20",
      chains: [chainId],
      filter: { address: [account] },
      direction,
      count: false,
    } as const
    const { value } = await store.run(TransferStore.use((s) => s.list({ ...query, page: { limit: 500 } })))
    for (let skip = 120; skip >= 0; skip -= 11) {
      heard = []
      expect([direction, skip, await list(chainId, account, direction, skip)]).toEqual([
        direction,
        skip,
        value.keys.slice(skip, skip + 4),
      ])
      if (heard.some((it) => it.includes("account_mark"))) byMarks++
    }
  }
  return byMarks
}

/** From now on: how many marks come or go, in all and in a transaction at most. */
const noteMarks = async (chainId: ChainId) => {
  const log = table(chainId, "written_marks")
  await sql`create table ${log} (by xid8, what text, marks int)`
  await sql.unsafe(`
    create function ${schema}_${chainId}.note() returns trigger language plpgsql as $$ begin
      insert into ${schema}_${chainId}.written_marks select pg_current_xact_id(), tg_op, count(*) from rows; return null; end $$`)
  for (const [what, rows] of [
    ["insert", "new"],
    ["delete", "old"],
  ])
    await sql.unsafe(`
      create trigger note_${what} after ${what} on ${schema}_${chainId}.account_mark referencing ${rows} table as rows
      for each statement execute function ${schema}_${chainId}.note()`)
  return async (what: "INSERT" | "DELETE") => {
    const [found] = await sql`
      select max(marks) as most, sum(marks)::int as all
      from (select sum(marks)::int as marks from ${log} where what = ${what} group by by) it`
    return found
  }
}

test("from the first block, as blocks become final: each account's rows and marks, and pages by them", async () => {
  const { chain, chainId, writer } = await begin(90)
  await append(writer, chain, 0, 60)
  const busy = busyOf(6)
  await markAll(chainId, 6, busy)
  expect(await expectTrue(chainId, 2)).toBe(51)
  await append(writer, chain, 61, 90)
  await markAll(chainId, 6, busy)
  expect(await expectTrue(chainId, 5)).toBe(81)
  expect(await expectPages(chainId, ann)).toBeGreaterThan(4)
  expect(await expectPages(chainId, cid)).toBeGreaterThan(2)
})

test("an account that is found late has its past counted, one with too few rows none", async () => {
  const { chain, chainId, writer } = await begin(80)
  await append(writer, chain, 0, 30)
  await markAll(chainId, 1000)
  expect(await sql`select from ${table(chainId, "marked_account")}`).toHaveLength(0)
  await append(writer, chain, 31, 80)
  const busy = busyOf(1)
  const written = await noteMarks(chainId)
  const window = (await store.run(AccountMarks.use((it) => it.next(chainId, 20))))!
  const late = { standard: "erc20", address: ann } as const
  await store.run(AccountMarks.use((it) => it.begin(chainId, window, late, 20)))
  expect(await written("INSERT")).toEqual({ most: atOnce, all: 6 })
  await markAll(chainId, 60, busy)
  await expectTrue(chainId, 2)
  expect(await expectPages(chainId, ann)).toBeGreaterThan(4)
})

test("several who count at once, and one who was stopped between, count each row once", async () => {
  const { chain, chainId, writer } = await begin(80)
  await append(writer, chain, 0, 80)
  const marks = <A>(use: (port: typeof AccountMarks.Service) => Parameters<typeof store.run<A, unknown>>[0]) =>
    store.run(AccountMarks.use(use))
  const window = (await marks((it) => it.next(chainId, 20)))!
  await marks((it) => it.begin(chainId, window, { standard: "erc20", address: ann }, 1))
  await Promise.all([1, 2, 3].map((blocks) => markAll(chainId, 6, busyOf(6), 5 * blocks)))
  // Whose window is an old one by now adds nothing.
  await marks((it) => it.count(chainId, window))
  await marks((it) => it.begin(chainId, window, { standard: "erc721", address: bob }, 1))
  expect(await expectTrue(chainId, 2)).toBe(71)
})

test("a heal of a counted block makes it void at once, and all is counted anew; a reorg above does not", async () => {
  const { chain, chainId, writer } = await begin(80)
  const lost = chain.blocks[20]!.movements[0]!
  const segment = chain.segment(0, 80, { finalizedBlock: 70 })
  await store.run(writer.append({ ...segment, movements: segment.movements.filter((row) => row !== lost) }))
  await markAll(chainId, 6)
  await expectTrue(chainId, 3)
  expect(await expectPages(chainId, ann)).toBeGreaterThan(4)
  await store.run(writer.rollback(76))
  expect(await expectPages(chainId, ann)).toBeGreaterThan(4)
  const [before] = await sql`select generation from ${table(chainId, "marking")}`
  await append(writer, chain, 76, 80)
  await markAll(chainId, 6)
  expect((await sql`select generation from ${table(chainId, "marking")}`)[0]).toEqual(before)

  const written = await noteMarks(chainId)
  const [{ marks }] = await sql<
    [{ marks: number }]
  >`select count(*)::int as marks from ${table(chainId, "account_mark")}`
  await store.run(writer.heal({ movements: [lost], nfts: [], headers: chain.blocks.map(({ header }) => header) }))
  heard = []
  await list(chainId, ann, "desc", 60)
  const walked = heard.filter((it) => it.includes("touched_block")).length
  expect(walked).toBeGreaterThan(0)
  await markAll(chainId, 6)
  await expectTrue(chainId, 3)
  expect((await sql`select generation from ${table(chainId, "marking")}`)[0]).not.toEqual(before)
  expect(await written("DELETE")).toEqual({ most: atOnce, all: marks })
  expect(await expectPages(chainId, bob)).toBeGreaterThan(4)
})

test("that a token burns nothing leaves what is counted as it is, also found while a window is counted", async () => {
  const { chain, chainId, writer } = await begin(80)
  const third = address(6)
  await append(writer, chain.block([transfer(third, cid, ann, 1n)]), 0, 81)
  const born = (of: Address) => {
    const { blockNumber, logIndex, txHash } = chain.blocks
      .flatMap(({ movements }) => movements)
      .find((movement) => movement.token === of)!
    return {
      standard: "erc20",
      address: of,
      firstBlock: blockNumber,
      firstLogIndex: logIndex,
      firstTxHash: txHash,
    } as const
  }
  const busy = busyOf(6)
  for (let window = 0; window < 5; window++) await store.run(markWindow(chainId, busy, { blocks: 7, least: 6 }))
  const [before] = await sql`select generation from ${table(chainId, "marking")}`
  await store.run(writer.letZeroAddressHold([born(token)]))
  const marks = await store.run(AccountMarks.use((it) => Effect.succeed(it)))
  const next = (await store.run(marks.next(chainId, 7)))!
  expect(next.from).toBe(35)
  await store.run(writer.letZeroAddressHold([born(other)]))
  await store.run(marks.count(chainId, next))
  await markAll(chainId, 6, busy)
  expect((await sql`select generation from ${table(chainId, "marking")}`)[0]).toEqual(before)
  await expectTrue(chainId, 3)
  expect(await expectPages(chainId, ann)).toBeGreaterThan(4)

  // What a rollback or a heal has made void stays so.
  await sql`update ${table(chainId, "marking")} set rollback_no = 0`
  await store.run(writer.letZeroAddressHold([born(third)]))
  await markAll(chainId, 6, busy)
  expect((await sql`select generation from ${table(chainId, "marking")}`)[0]).not.toEqual(before)
})
