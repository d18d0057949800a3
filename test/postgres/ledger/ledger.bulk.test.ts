/** A load in bulk against a naive fold: every table, whatever was committed when, wherever it was left, and whatever comes after. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Logger } from "effect"
import fc from "fast-check"
import { loadingStep } from "../../../src/adapters/postgres/ledger/bulk/place.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { freshChainId } from "../../contracts/store.ts"
import { anyBlock, anyChain, anyChainSettings } from "../../support/chain/anyEvents.ts"
import { approval, idApproval, nftTransfer, operatorApproval, transfer } from "../../support/chain/events.ts"
import { address } from "../../support/chain/testChain.ts"
import { failureOf as rejectionOf } from "../../support/failure.ts"
import { VERSIONS, type Version } from "../../support/postgres.ts"
import { contentOfTables, failureOf, findDisorder, type LedgerDatabase, openLedgers } from "./ledger.support.ts"
import { naiveContent } from "./naiveLedger.ts"

/** Chains of each property; the oldest server has half of them. */
const runs = Number(process.env.BULK_RUNS ?? 5)

const opened = new Map<Version, LedgerDatabase>()
let ledgers: LedgerDatabase
beforeAll(async () => {
  for (const version of VERSIONS) opened.set(version, await openLedgers(version))
  ledgers = opened.get(18)!
})
afterAll(async () => {
  for (const each of opened.values()) await each.close()
})

const blocks = (maxLength: number) => fc.array(anyBlock, { minLength: 1, maxLength })
const loaded = fc.array(
  fc.record({ append: blocks(8), parts: fc.integer({ min: 1, max: 3 }), discard: fc.boolean(), reopen: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 5,
  },
)
const after = fc.oneof(
  { weight: 3, arbitrary: fc.record({ append: blocks(4) }) },
  { weight: 1, arbitrary: fc.record({ back: fc.nat(6) }) },
)
const limits = fc.constantFrom(
  {},
  {
    chunkSize: 3,
    maxTokens: 1,
    maxTransfers: 1,
    maxIds: 1,
    maxPools: 1,
    loadSlices: 0,
    runSides: 4,
    derivedRows: 1,
    idRows: 1,
    mostRuns: 6,
  },
  { chunkSize: 2, maxTokens: 2, rememberedTokens: 1, runSides: 64, derivedRows: 7, idRows: 5, mostRuns: 2 },
)
/** Derives with a new writer after each so many steps; 0 = with the same. */
const patience = fc.constantFrom(0, 1, 3)

test.each(VERSIONS)(
  "PostgreSQL %i: a ledger that was loaded in bulk is what a naive fold of the chain gives, and goes on from there",
  async (version) => {
    const ledgers = opened.get(version)!
    await fc.assert(
      fc.asyncProperty(
        loaded,
        fc.array(after, { maxLength: 4 }),
        limits,
        patience,
        async (parts, steps, limits, most) => {
          const chain = anyChain(250)
          const settings = { chainId: freshChainId(), firstBlock: 250, ...anyChainSettings }
          let open = await ledgers.open(settings, limits)
          const reopen = async () => {
            await open.close()
            open = await ledgers.open(settings, limits)
          }
          let salt = 0
          const grow = (blocks: (typeof parts)[number]["append"]) => {
            for (const { events, pause } of blocks) {
              const time = (chain.blocks.at(-1)?.header.time ?? chain.genesisTime) + pause
              chain.block(events, { salt: String(salt), logIndex: salt, time })
            }
          }
          await ledgers.run(open.writer.bulk!.begin)
          const birth = await ledgers.run(open.writer.birth)
          for (const part of parts) {
            const from = chain.nextBlock
            grow(part.append)
            const length = Math.ceil((chain.nextBlock - from) / part.parts)
            if (part.discard) {
              await ledgers.run(
                open.writer.extend(chain.segment(from, undefined, { finalizedBlock: chain.nextBlock - 1 })),
              )
              await ledgers.run(open.writer.discard)
            }
            for (let begin = from; begin < chain.nextBlock; begin += length) {
              const to = Math.min(begin + length, chain.nextBlock) - 1
              await ledgers.run(open.writer.extend(chain.segment(begin, to, { finalizedBlock: to })))
            }
            await ledgers.run(open.writer.commit)
            if (part.reopen) await reopen()
          }
          expect(open.writer.bulk!.isLoading()).toBe(true)
          const finalized = chain.nextBlock - 1
          const progress: Array<number> = []
          for (let step = 1; await ledgers.run(open.writer.bulk!.derive); step++) {
            const { done } = await ledgers.run(open.writer.bulk!.progress)
            expect(done).toBeGreaterThanOrEqual(0)
            progress.push(done)
            expect(done).toBeLessThanOrEqual(1)
            if (most > 0 && step % most === 0) await reopen()
          }
          expect(open.writer.bulk!.isLoading()).toBe(false)
          // Counters are the last twentieth.
          const isUnderWay = progress.some((done) => done > 0 && done < 0.95)
          expect([progress[0]! < 0.95, isUnderWay, progress.at(-1)]).toEqual([true, true, 1])
          for (const next of [...steps, { append: [{ events: [], pause: 12 }] }]) {
            const from = chain.nextBlock
            if ("append" in next) {
              grow(next.append)
              await ledgers.run(open.writer.append(chain.segment(from, undefined, { finalizedBlock: finalized })))
            } else {
              const to = Math.max(finalized + 1, from - next.back)
              await ledgers.run(open.writer.rollback(to))
              chain.truncate(to)
              salt++
            }
          }
          expect(await ledgers.run(open.writer.birth)).toBe(birth)
          const content = await contentOfTables(ledgers.sql, settings.chainId)
          expect(JSON.parse(JSON.stringify(content))).toEqual(naiveContent(chain, finalized, chain.nextBlock - 1))
          expect([...(await findDisorder(ledgers.sql, settings.chainId))]).toEqual([])
          await open.close()
        },
      ),
      { numRuns: version === 18 ? runs : Math.ceil(runs / 2) },
    )
  },
  240_000,
)

const indexesOf = (schema: string) => ledgers.sql`
  select tablename, indexname, replace(indexdef, ${schema}, 'cowry') as definition from pg_indexes
  where schemaname = ${schema} order by tablename, indexname`

const constraintsOf = (schema: string) => ledgers.sql`
  select c.conrelid::regclass::text as "table", c.conname, pg_get_constraintdef(c.oid) as definition
  from pg_constraint c join pg_namespace n on n.oid = c.connamespace
  where n.nspname = ${schema} and c.contype in ('p', 'u', 'f') order by 2, 3`

test("after a load every table has the keys and indexes that the migrations give it, and nothing of the load is left", async () => {
  const [plain, loadedId] = [freshChainId(), freshChainId()]
  const other = await ledgers.open({ chainId: plain, firstBlock: 0, ...anyChainSettings })
  const open = await ledgers.open({ chainId: loadedId, firstBlock: 0, ...anyChainSettings })
  const chain = anyChain(0)
  chain.block([], {})
  await ledgers.run(open.writer.bulk!.begin)
  await ledgers.run(open.writer.append(chain.segment(0)))
  while (await ledgers.run(open.writer.bulk!.derive));
  const [schema, own] = [`cowry_${plain}`, `cowry_${loadedId}`]
  expect([...(await indexesOf(own))]).toEqual([...(await indexesOf(schema))])
  const names = async (of: string) =>
    (await constraintsOf(of)).map(({ conname, definition }) => `${conname} ${String(definition).replaceAll(of, "")}`)
  expect(await names(own)).toEqual(await names(schema))
  const tables = (of: string) => ledgers.sql`select tablename from pg_tables where schemaname = ${of} order by 1`
  expect([...(await tables(own))]).toEqual([...(await tables(schema))])
  const kept = (of: string) => ledgers.sql`
    select relname, reloptions from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${of} and c.relkind in ('r', 'i') order by 1`
  expect([...(await kept(own))]).toEqual([...(await kept(schema))])
  expect([...(await ledgers.sql`select from pg_namespace where nspname = ${`${own}_bulk`}`)]).toEqual([])
  await open.close()
  await other.close()
})

test("a load is refused where something is stored; while it lasts nothing is taken back, and readers see the empty ledger", async () => {
  const chainId = freshChainId()
  const chain = anyChain(0)
  chain.block([], {})
  chain.block([], {})
  const settings = { chainId, firstBlock: 0, ...anyChainSettings }
  const open = await ledgers.open(settings)
  const { bulk } = open.writer as Required<LedgerWriter>
  const told = () => loadingStep(ledgers, `cowry_${chainId}`)
  expect(await told()).toBeUndefined()
  await ledgers.run(bulk.begin)
  await ledgers.run(open.writer.append(chain.segment(0)))
  expect(await failureOf(open.writer.rollback(0))).toMatchObject({ tag: "SegmentRefused" })
  const [state] = await ledgers.sql`select head_hash, next_block from ${ledgers.sql(`cowry_${chainId}.state`)}`
  expect(state).toEqual({ head_hash: null, next_block: 0 })
  expect(await told()).toBe("copying")
  while (await ledgers.run(bulk.derive));
  expect(await failureOf(bulk.begin)).toMatchObject({ tag: "SegmentRefused" })
  await open.close()
  // What is left over beside a ledger with blocks keeps nobody from it.
  const place = `cowry_${chainId}_bulk`
  await ledgers.sql`create schema ${ledgers.sql(place)}`
  await ledgers.sql`create table ${ledgers.sql(`${place}.bulk_load`)} as select 'indexing' as stage`
  expect(await told()).toBeUndefined()
})

test("once something is derived nothing is appended before the ledger is whole, also by a writer that opens it anew", async () => {
  const chainId = freshChainId()
  const chain = anyChain(0)
  for (let block = 0; block < 4; block++) {
    const row = transfer(address(0x51), address(1), address(2), 1n)
    chain.block([row, nftTransfer(address(0x52), address(1), address(2), BigInt(block))], {})
  }
  const settings = { chainId, firstBlock: 0, ...anyChainSettings }
  let open = await ledgers.open(settings)
  await ledgers.run(open.writer.bulk!.begin)
  await ledgers.run(open.writer.append(chain.segment(0, 1)))
  expect(open.writer.bulk!.takesRows()).toBe(true)
  for (let step = 0; ; step++) {
    if (!(await ledgers.run(open.writer.bulk!.derive))) break
    if (step % 2 === 1) {
      await open.close()
      open = await ledgers.open(settings)
    }
    expect(open.writer.bulk!.takesRows()).toBe(false)
    for (const way of ["append", "extend"] as const)
      expect(await failureOf(open.writer[way](chain.segment(2, 3)))).toMatchObject({ tag: "SegmentRefused" })
  }
  await ledgers.run(open.writer.append(chain.segment(2, 3)))
  const balances = await ledgers.sql`
    select b.balance from ${ledgers.sql(`cowry_${chainId}.balance`)} b join ${ledgers.sql(`cowry_${chainId}.token`)} t
      using (token_id) where t.standard = 20 and b.balance > 0`
  expect([...balances]).toEqual([{ balance: "4" }])
  await open.close()
})

test("how far a load is goes on with each collection, and is told while a key is built", async () => {
  const chainId = freshChainId()
  const chain = anyChain(0)
  const owners = [address(1), address(2)] as const
  for (const collection of [0x51, 0x52, 0x53, 0x54])
    chain.block([nftTransfer(address(collection), ...owners, 1n), nftTransfer(address(collection), ...owners, 2n)], {})
  const { writer, close } = await ledgers.open({ chainId, firstBlock: 0, ...anyChainSettings }, { idRows: 1 })
  const bulk = writer.bulk!
  await ledgers.run(bulk.begin)
  await ledgers.run(writer.append(chain.segment(0)))
  const told: Array<number> = []
  for (let step = "deriving"; step === "deriving"; ) {
    await ledgers.run(bulk.derive)
    const progress = await ledgers.run(bulk.progress)
    step = progress.step
    told.push(progress.done)
  }
  const isAscending = () => expect(told).toEqual([...told].sort((one, other) => one - other))
  // Some of them are made beside what balances there are, and what was copied gets its keys meanwhile.
  isAscending()
  expect(told[0]).toBe(0)
  expect(told.at(-1)).toBeGreaterThan(0.5)
  // As a session has it that adds a key.
  const builder = await ledgers.sql.reserve()
  await builder`begin`
  await builder`lock table ${ledgers.sql(`cowry_${chainId}_bulk.balance_history`)} in access exclusive mode`
  expect((await ledgers.run(bulk.progress)).step).toBe("indexing")
  await builder`rollback`
  builder.release()
  while (await ledgers.run(bulk.derive)) told.push((await ledgers.run(bulk.progress)).done)
  isAscending()
  expect(told.slice(-2)).toEqual([0.95, 1])
  await close()
})

test("very many runs are joined before they are merged, a few at a time, whoever goes on with it", async () => {
  const chainId = freshChainId()
  const chain = anyChain(0)
  const expected = new Map<number, bigint>()
  for (let block = 0; block < 30; block++) {
    const amount = block % 3 === 0 ? 2n ** 255n - 1n - BigInt(block) : BigInt(block)
    const [from, to] = [1 + (block % 4), 5 + (block % 3)]
    // Two runs share the block, with one pair in both.
    chain.block(Array(3).fill(transfer(address(0x51), address(from), address(to), amount)), {})
    expected.set(from, (expected.get(from) ?? 0n) - 3n * amount)
    expected.set(to, (expected.get(to) ?? 0n) + 3n * amount)
  }
  const settings = { chainId, firstBlock: 0, ...anyChainSettings }
  const limits = { runSides: 4, mostRuns: 8 }
  let open = await ledgers.open(settings, limits)
  const { sql } = ledgers
  const of = (table: string) => sql(`cowry_${chainId}_bulk.${table}`)
  const stored = async () => {
    const [row] = await sql<[{ stage: string; runs: number; joined: number }]>`
      select stage, runs, joined_to as joined from ${of("bulk_load")}`
    return row
  }
  await ledgers.run(open.writer.bulk!.begin)
  for (let block = 0; block < 30; block++) await ledgers.run(open.writer.append(chain.segment(block, block)))
  const { runs } = await stored()
  expect(runs).toBeGreaterThan(40)
  await ledgers.run(open.writer.bulk!.derive)
  const told: Array<number> = []
  const joined: Array<number> = []
  while ((await stored()).stage === "joining") {
    expect(await failureOf(open.writer.append(chain.segment(29)))).toMatchObject({ tag: "SegmentRefused" })
    joined.push((await stored()).joined)
    const { step, done } = await ledgers.run(open.writer.bulk!.progress)
    expect(step).toBe("deriving")
    told.push(done)
    await open.close()
    open = await ledgers.open(settings, limits)
    await ledgers.run(open.writer.bulk!.derive)
  }
  expect(joined.length).toBeGreaterThan(3)
  expect(joined).toEqual([...new Set(joined)].sort((one, other) => one - other))
  // A key that was being built is begun anew by each writer: what is told may fall by that, and by no more.
  expect((await ledgers.run(open.writer.bulk!.progress)).done).toBeGreaterThan(told[0]!)
  const [left] = await sql`select count(distinct run_no)::int as runs from ${of("bulk_run")}`
  expect(left).toEqual({ runs: (await stored()).runs })
  expect(left!.runs).toBeLessThanOrEqual(4)
  while (await ledgers.run(open.writer.bulk!.derive));
  const balances = await sql<Array<{ holder: string; balance: string }>>`
    select '0x' || encode(holder, 'hex') as holder, balance::text from ${sql(`cowry_${chainId}.balance`)} order by 1`
  expect(balances.map(({ holder, balance }) => [holder, BigInt(balance)])).toEqual(
    [...expected].map(([holder, amount]) => [address(holder) as string, amount] as [string, bigint]).sort(),
  )
  expect([...(await sql`select from pg_namespace where nspname = ${`cowry_${chainId}_bulk`}`)]).toEqual([])
  await open.close()
})

test("of a load that was left in its midst transfers are counted once, at its end, and in no append", async () => {
  const chainId = freshChainId()
  const chain = anyChain(0)
  const tokens = [0x51, 0x52, 0x53, 0x54].map(address)
  for (let block = 0; block < 6; block++)
    chain.block(
      tokens.map((token) => transfer(token, address(1), address(2), 1n)),
      {},
    )
  const settings = { chainId, firstBlock: 0, ...anyChainSettings }
  let open = await ledgers.open(settings)
  await ledgers.run(open.writer.bulk!.begin)
  await ledgers.run(open.writer.append(chain.segment(0, 2)))
  await open.close()
  open = await ledgers.open(settings, { maxTokens: 1, maxLoadedTokens: 2 })
  const { sql } = ledgers
  for (const block of [3, 4, 5]) {
    await ledgers.run(open.writer.append(chain.segment(block, block)))
    expect([...(await sql`select from ${sql(`cowry_${chainId}_bulk.bulk_count`)}`)]).toEqual([])
  }
  while (await ledgers.run(open.writer.bulk!.derive));
  const found = await sql`select transfers::int from ${sql(`cowry_${chainId}.token_stat`)}`
  expect(found.map(({ transfers }) => transfers)).toEqual([6, 6, 6, 6])
  await open.close()
})

test("of a token with very many transfers they are stored in between: they are counted in 32 bits", async () => {
  const chainId = freshChainId()
  const chain = anyChain(0)
  const token = address(0x51)
  for (const transfers of [2, 1, 1, 3])
    chain.block(Array(transfers).fill(transfer(token, address(1), address(2), 1n)), {})
  const { writer, close } = await ledgers.open({ chainId, firstBlock: 0, ...anyChainSettings }, { maxTransfers: 3 })
  await ledgers.run(writer.bulk!.begin)
  const { sql } = ledgers
  const stored: Array<ReadonlyArray<number>> = []
  for (const block of [0, 1, 2, 3]) {
    await ledgers.run(writer.append(chain.segment(block, block)))
    const rows = await sql`select transfers::int from ${sql(`cowry_${chainId}_bulk.bulk_count`)} order by ctid`
    stored.push(rows.map(({ transfers }) => transfers))
  }
  expect(stored).toEqual([[], [3], [3], [3, 4]])
  while (await ledgers.run(writer.bulk!.derive));
  const found = await sql`select transfers::int from ${sql(`cowry_${chainId}.token_stat`)}`
  expect(found.map(({ transfers }) => transfers)).toEqual([7])
  await close()
})

test("a load goes on that a version left which counts transfers with every append", async () => {
  const chainId = freshChainId()
  const chain = anyChain(0)
  const settings = { chainId, firstBlock: 0, ...anyChainSettings }
  const [first, second] = [address(0x51), address(0x52)]
  chain.block([transfer(first, address(1), address(2), 1n), nftTransfer(second, address(1), address(2), 1n)], {})
  let open = await ledgers.open(settings)
  await ledgers.run(open.writer.bulk!.begin)
  await ledgers.run(open.writer.append(chain.segment(0)))
  await open.close()
  const { sql } = ledgers
  const of = (table: string) => sql(`cowry_${chainId}_bulk.${table}`)
  await sql`insert into ${of("bulk_count")} select token_id, 1, 0, 0, 1, 0 from ${of("token")}`
  await sql`alter table ${of("bulk_load")} drop column counted_block`
  open = await ledgers.open(settings)
  chain.block([transfer(first, address(1), address(2), 1n)], {})
  await ledgers.run(open.writer.append(chain.segment(1)))
  await open.close()
  open = await ledgers.open(settings)
  while (await ledgers.run(open.writer.bulk!.derive));
  const found = await sql`select token_id, transfers::int from ${sql(`cowry_${chainId}.token_stat`)} order by 1`
  expect(found.map(({ transfers }) => transfers)).toEqual([2, 1])
  await open.close()
})

/** A load of one block that was left. */
const leaveLoad = async () => {
  const chain = anyChain(0)
  chain.block([transfer(address(0x51), address(1), address(2), 1n)], {})
  const settings = { chainId: freshChainId(), firstBlock: 0, ...anyChainSettings }
  const { writer, close } = await ledgers.open(settings)
  await ledgers.run(writer.bulk!.begin)
  await ledgers.run(writer.append(chain.segment(0)))
  await close()
  return settings
}

test.each(["pg_cancel_backend", "pg_terminate_backend"])(
  "a load goes on whose tables could not be looked at, by %s",
  async (hit) => {
    const settings = await leaveLoad()
    const { sql } = ledgers
    const held = await sql.reserve()
    await held`select pg_advisory_lock(hashtextextended(${`migrate cowry_${settings.chainId}_bulk`}, 0))`
    try {
      const opening = rejectionOf(ledgers.open(settings))
      const waiting = async () => {
        const [row] = await sql<Array<{ pid: number }>>`
          select pid from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`
        return row?.pid
      }
      let pid = await waiting()
      while (pid === undefined) {
        await pause(20)
        pid = await waiting()
      }
      await sql.unsafe(`select ${hit}(${pid})`)
      expect(await opening).toMatchObject({ _tag: "LedgerUnavailable" })
    } finally {
      await held`select pg_advisory_unlock_all()`
      held.release()
    }
    const { writer, close } = await ledgers.open(settings)
    expect(writer.bulk!.isLoading()).toBe(true)
    expect((await ledgers.run(writer.checkpoint)).nextBlock).toBe(1)
    await close()
  },
)

test("a load whose tables are another version's, or of other settings, is removed, and begins anew", async () => {
  const { sql } = ledgers
  const spoil = {
    "its tables are another version's (schema": (journal: string) =>
      sql`insert into ${sql(journal)} (file, sha256) values ('999_later.sql', '')`,
    // As one does that finds no index where it wants one.
    'its tables are another version\'s (column "appended"': (journal: string) =>
      sql`delete from ${sql(journal)} where file = '041_appended_moves.sql'`,
    "it was begun with other settings": (journal: string) =>
      sql`update ${sql(journal.replace("migration", "state"))} set settings_digest = 'other'`,
    "it had not begun": (journal: string) => sql`drop table ${sql(journal.replace("migration", "bulk_load"))}`,
  }
  for (const [why, change] of Object.entries(spoil)) {
    const settings = await leaveLoad()
    await change(`cowry_${settings.chainId}_bulk.migration`)
    const logs: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))])
    const { writer, close } = await ledgers.open(settings, {}, logger)
    expect(logs.filter((line) => line.includes(why))).toHaveLength(1)
    expect(writer.bulk!.isLoading()).toBe(false)
    expect((await ledgers.run(writer.checkpoint)).nextBlock).toBe(0)
    expect(await sql`select from pg_namespace where nspname = ${`cowry_${settings.chainId}_bulk`}`).toHaveLength(0)
    await close()
  }
})

test("a load that others keep from the empty ledger's place says so after each try, and takes it when they are gone", async () => {
  const chainId = freshChainId()
  const chain = anyChain(0)
  chain.block([transfer(address(0x51), address(1), address(2), 1n)], {})
  const { writer, close } = await ledgers.open({ chainId, firstBlock: 0, ...anyChainSettings })
  const bulk = writer.bulk!
  await ledgers.run(bulk.begin)
  await ledgers.run(writer.append(chain.segment(0)))
  const { sql } = ledgers
  const stage = async () => (await sql`select stage from ${sql(`cowry_${chainId}_bulk.bulk_load`)}`)[0]!.stage
  while ((await stage()) !== "whole") {
    await ledgers.run(bulk.derive)
    expect(bulk.isHeldUp()).toBe(false)
  }
  const backup = await sql.reserve()
  await backup`begin`
  await backup`select from ${sql(`cowry_${chainId}.state`)}`
  for (let tries = 0; tries < 2; tries++) {
    expect(await ledgers.run(bulk.derive)).toBe(true)
    expect(bulk.isHeldUp()).toBe(true)
  }
  await backup`commit`
  backup.release()
  expect(await ledgers.run(bulk.derive)).toBe(false)
  expect(bulk.isHeldUp()).toBe(false)
  await close()
})

test("ids that the session of a killed writer made meanwhile are not made again", async () => {
  const chainId = freshChainId()
  const chain = anyChain(0)
  chain.block([nftTransfer(address(0x51), address(1), address(2), 1n)], {})
  const { writer, close } = await ledgers.open({ chainId, firstBlock: 0, ...anyChainSettings })
  const bulk = writer.bulk!
  await ledgers.run(bulk.begin)
  await ledgers.run(writer.append(chain.segment(0)))
  const { sql } = ledgers
  const of = (table: string) => sql(`cowry_${chainId}_bulk.${table}`)
  await ledgers.run(bulk.derive)
  // It has made them, and its commit comes while the next writer makes the same.
  const killed = await sql.reserve()
  await killed`begin`
  await killed`insert into ${of("nft")} (token_id, nft_id, owner, pos, mint_pos, mint_time) values (1, 1, ${Buffer.alloc(20, 9)}, 0, null, null)`
  await killed`update ${of("bulk_load")} set ids_of = 1`
  const derived = (async () => {
    while (await ledgers.run(bulk.derive));
  })()
  const waits = async () =>
    (await sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%set ids_of = %'`).length > 0
  for (const deadline = Date.now() + 30_000; !(await waits()) && Date.now() < deadline; ) await pause(20)
  expect(await waits()).toBe(true)
  await killed`commit`
  killed.release()
  await derived
  const found = await sql`select owner from ${sql(`cowry_${chainId}.nft`)}`
  expect(found.map(({ owner }) => owner)).toEqual([Buffer.alloc(20, 9)])
  await close()
})

test("where the session that builds indexes beside balances is lost, the load ends behind that step, and both go on", async () => {
  const chainId = freshChainId()
  const chain = anyChain(0)
  const token = address(0x51)
  chain.block(
    Array.from({ length: 60 }, (_, at) => transfer(token, address(1), address(100 + at), 1n)),
    {},
  )
  const settings = { chainId, firstBlock: 0, ...anyChainSettings }
  const limits = { derivedRows: 1 }
  let open = await ledgers.open(settings, limits)
  await ledgers.run(open.writer.bulk!.begin)
  await ledgers.run(open.writer.append(chain.segment(0)))
  await ledgers.run(open.writer.bulk!.derive)
  const { sql } = ledgers
  const of = (table: string) => sql(`cowry_${chainId}_bulk.${table}`)
  // A key waits for it.
  const held = await sql.reserve()
  await held`begin`
  await held`lock table ${of("erc20_transfer")} in row exclusive mode`
  await ledgers.run(open.writer.bulk!.derive)
  const waiting = async () => {
    const [row] = await sql<Array<{ pid: number }>>`
      select pid from pg_locks where not granted
        and relation = ${`cowry_${chainId}_bulk.erc20_transfer`}::regclass`
    return row?.pid
  }
  let pid = await waiting()
  for (const deadline = Date.now() + 30_000; pid === undefined && Date.now() < deadline; pid = await waiting())
    await pause(20)
  await sql`select pg_terminate_backend(${pid!}, 30000)`
  await held`rollback`
  held.release()
  let failure: unknown
  while (failure === undefined) {
    const derived = await Effect.runPromise(Effect.result(open.writer.bulk!.derive))
    if (derived._tag === "Failure") failure = derived.failure
    else if (!derived.success) break
  }
  expect(failure).toMatchObject({ _tag: "LedgerUnavailable" })
  const [left] = await sql`select stage from ${of("bulk_load")}`
  expect(left).toEqual({ stage: "balances" })
  await open.close()
  open = await ledgers.open(settings, limits)
  while (await ledgers.run(open.writer.bulk!.derive));
  const [found] = await sql`select transfers::int, holders::int from ${sql(`cowry_${chainId}.token_stat`)}`
  expect(found).toEqual({ transfers: 60, holders: 60 })
  await open.close()
})

test.each([
  { set: "300MB", built: "300MB" },
  { set: "100MB", built: "256MB" },
])(
  "indexes are built with the server's memory for that, and with 256 MB where it has less: $set",
  async ({ set, built }) => {
    const own = await openLedgers(18)
    const { sql, run } = own
    const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`
    await sql.unsafe(`alter database ${name} set maintenance_work_mem = '${set}'`)
    const chainId = freshChainId()
    const chain = anyChain(0)
    chain.block([transfer(address(0x51), address(1), address(2), 1n)], {})
    const { writer } = await own.open({ chainId, firstBlock: 0, ...anyChainSettings })
    await run(writer.bulk!.begin)
    await run(writer.append(chain.segment(0)))
    await sql.unsafe(`
    create table public.built (memory text);
    create function public.note_built() returns event_trigger language plpgsql as $$
      begin insert into public.built values (current_setting('maintenance_work_mem')); end $$;
    create event trigger note_built on ddl_command_end when tag in ('CREATE INDEX')
      execute function public.note_built()`)
    while (await run(writer.bulk!.derive));
    const found = await sql`select distinct memory from public.built`
    expect([...found]).toEqual([{ memory: built }])
    await own.close()
  },
)

/** Several times what is read of a run at once, in each. */
const manyTransfers = 160_000

test("runs of many megabytes are read to their ends, and those of two chains that are loaded at once are each its own", async () => {
  const load = async (seed: number) => {
    const chainId = freshChainId()
    const open = await ledgers.open({ chainId, firstBlock: 0, ...anyChainSettings }, { runSides: 120_000 })
    const chain = anyChain(0)
    const expected = new Map<string, number>()
    const move = (token: string, holder: string, amount: number) =>
      expected.set(`${token} ${holder}`, (expected.get(`${token} ${holder}`) ?? 0) + amount)
    const transfers = Array.from({ length: manyTransfers }, (_, at) => {
      const token = address(0x70 + (at % 5))
      const [from, to] = [address(1_000 + ((at * seed) % 9_973)), address(20_000 + ((at * seed) % 7_919))]
      move(token, from, -1)
      move(token, to, 1)
      return transfer(token, from, to, 1n)
    })
    chain.block(transfers, {})
    await ledgers.run(open.writer.bulk!.begin)
    return async () => {
      await ledgers.run(open.writer.append(chain.segment(0)))
      while (await ledgers.run(open.writer.bulk!.derive));
      const rows = await ledgers.sql<Array<{ pair: string; balance: string }>>`
        select '0x' || encode(t.address, 'hex') || ' 0x' || encode(b.holder, 'hex') as pair, b.balance::text as balance
        from ${ledgers.sql(`cowry_${chainId}.balance`)} b join ${ledgers.sql(`cowry_${chainId}.token`)} t using (token_id)`
      await open.close()
      expect(rows.length).toBe(expected.size)
      expect(rows.filter(({ pair, balance }) => `${expected.get(pair)}` !== balance).slice(0, 5)).toEqual([])
    }
  }
  const loads = [await load(1), await load(3)]
  await Promise.all(loads.map((it) => it()))
})

/** Rows of every table of a chain's schema as text, sorted; holder_no and unit_no, which nobody sees, as what they stand for. */
const digestOf = async (schema: string) => {
  const { sql } = ledgers
  const tables = await sql<Array<{ name: string }>>`
    select tablename as name from pg_tables where schemaname = ${schema} and tablename <> 'migration' order by 1`
  const from = (name: string) => sql`${sql(`${schema}.${name}`)}`
  const rows: Record<string, ReadonlyArray<string>> = {}
  for (const { name } of tables) {
    const source =
      name === "balance_history"
        ? sql`(select h.*, b.holder from ${from(name)} h join ${from("balance")} b using (token_id, holder_no))`
        : name === "unit_balance_history"
          ? sql`(select h.*, u.holder, u.nft_id from ${from(name)} h join ${from("unit_balance")} u using (token_id, unit_no))`
          : from(name)
    const found = await sql<Array<{ row: string }>>`
      select (to_jsonb(x) - array['holder_no', 'unit_no', 'epoch', 'revision', 'appended', 'birth', 'at'])::text as row from ${source} x order by 1`
    rows[name] = found.map(({ row }) => row)
  }
  return rows
}
/** Nobody reads an ERC-1155's mint account: its history may have a version more, which a reorg makes the newest one. */
const isRead = (multis: ReadonlySet<number>) => (row: string) => {
  const { token_id, holder } = JSON.parse(row) as { readonly token_id: number; readonly holder: string }
  return !(multis.has(token_id) && holder === "\\x")
}

/** What is allowed, taken back and allowed anew, of each kind. */
const allowed = [5n, 0n, 2n ** 256n - 1n].flatMap((amount) => [
  approval(address(0x70), address(1), address(2), amount),
  idApproval(address(0x75), address(1), address(amount === 0n ? 0 : 2), 3n),
  operatorApproval(address(0x77), address(1), address(2), amount > 0n),
])

test("every row of every table is that of a ledger that was appended to, also after a reorg of all that came behind the load", async () => {
  await fc.assert(
    fc.asyncProperty(blocks(24), blocks(4), blocks(4), limits, async (made, lost, fork, limits) => {
      const chain = anyChain(0)
      const grow = (blocks: typeof made, salt = "") => {
        for (const { events, pause } of blocks) {
          chain.block(events, { salt, time: (chain.blocks.at(-1)?.header.time ?? chain.genesisTime) + pause })
        }
      }
      grow(made)
      const half = Math.floor(chain.nextBlock / 2)
      const time = chain.blocks.at(-1)!.header.time + 12
      chain.block(allowed, { time })
      const turn = chain.nextBlock
      const digests: Array<Awaited<ReturnType<typeof digestOf>>> = []
      for (const bulk of [false, true]) {
        const chainId = freshChainId()
        const { writer, close } = await ledgers.open({ chainId, firstBlock: 0, ...anyChainSettings }, limits)
        if (bulk) await ledgers.run(writer.bulk!.begin)
        if (half > 0) await ledgers.run(writer.append(chain.segment(0, half - 1, { finalizedBlock: half - 1 })))
        chain.truncate(turn)
        const finalizedBlock = turn - 1
        await ledgers.run(writer.append(chain.segment(half, undefined, { finalizedBlock })))
        while (bulk && (await ledgers.run(writer.bulk!.derive)));
        grow([...lost, { events: allowed, pause: 12 }], "lost")
        await ledgers.run(writer.append(chain.segment(turn, undefined, { finalizedBlock })))
        await ledgers.run(writer.rollback(turn))
        chain.truncate(turn)
        grow(fork, "fork")
        await ledgers.run(writer.append(chain.segment(turn, undefined, { finalizedBlock })))
        await close()
        digests.push(await digestOf(`cowry_${chainId}`))
      }
      const [appended, loaded] = digests as [Record<string, Array<string>>, Record<string, Array<string>>]
      const multis = new Set(
        appended
          .token!.map((row) => JSON.parse(row))
          .flatMap(({ standard, token_id }) => (standard === 1155 ? [token_id] : [])),
      )
      for (const digest of [appended, loaded]) {
        for (const table of ["balance", "balance_history"]) digest[table] = digest[table]!.filter(isRead(multis))
      }
      expect(appended.approval).toHaveLength(allowed.length)
      expect(Object.keys(loaded)).toEqual(Object.keys(appended))
      expect(loaded).toEqual(appended)
    }),
    { numRuns: runs },
  )
})
