/** What can go wrong while one writer a chain writes: lost locks, lost connections, refusals by the server. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { ledgerVersion } from "../../../src/adapters/postgres/database/ledgerSettings.ts"
import { ledgerMigrations } from "../../../src/adapters/postgres/database/migrate.ts"
import { unavailable } from "../../../src/adapters/postgres/ledger/ledgerErrors.ts"
import { addressOfHex, type ChainId, zeroAddress } from "../../../src/model/primitives.ts"
import type { LedgerUnavailable } from "../../../src/ports/Ledger.ts"
import { freshChainId } from "../../contracts/store.ts"
import { address, hash, TestChain, transfer } from "../../support/chain/testChain.ts"
import {
  blockedProcess,
  contentOfTables,
  failureOf,
  findDisorder,
  type LedgerDatabase,
  openLedgers,
} from "./ledger.support.ts"
import { naiveContent } from "./naiveLedger.ts"

const token = address(0x70)
const [alice, bob] = [address(0xa), address(0xb)]

let ledgers: LedgerDatabase
beforeAll(async () => {
  ledgers = await openLedgers()
})
afterAll(() => ledgers.close())

/** Many rows: more than one slice of memory, so that a COPY is under way while it is refused. */
const wideChain = (logs: number, amountOf: (index: number) => bigint = BigInt) =>
  new TestChain().block(
    Array.from({ length: logs }, (_, index) => transfer(token, zeroAddress, address(index + 1), amountOf(index))),
  )
const small = () => wideChain(3)
const rows = async (chainId: ChainId) => JSON.parse(JSON.stringify(await contentOfTables(ledgers.sql, chainId)))
const expectContent = async (chainId: ChainId, chain: TestChain) => {
  expect(await rows(chainId)).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
  expect([...(await findDisorder(ledgers.sql, chainId))]).toEqual([])
}

test("a second writer waits for the first, then goes on where it left", async () => {
  const chainId = freshChainId()
  const chain = small().block([transfer(token, zeroAddress, alice, 1n)])
  const first = await ledgers.open({ chainId })
  const second = ledgers.open({ chainId })
  await ledgers.run(first.writer.append(chain.segment(0, 0)))
  await first.close()
  const { writer, close } = await second
  expect((await ledgers.run(writer.checkpoint)).nextBlock).toBe(1)
  await ledgers.run(writer.append(chain.segment(1)))
  await expectContent(chainId, chain)
  await close()
})

test("a writer that waits for its turn holds no session, can be interrupted, and holds nothing after", async () => {
  const chainId = freshChainId()
  const first = await ledgers.open({ chainId })
  const [{ began }] = await ledgers.sql<[{ began: string }]>`select clock_timestamp()::text as began`
  const asking = async (words: string) =>
    (
      await ledgers.sql`
      select pid from pg_stat_activity where datname = current_database() and application_name = 'cowry'
        and query_start > ${began}::text::timestamptz and query like ${`%${words}%`}`
    ).length
  const waiting = ledgers.start({ chainId })
  while ((await asking("from pg_locks")) === 0) {}
  await Bun.sleep(300)
  expect(await asking("pg_try_advisory_lock(")).toBe(0)
  await waiting.interrupt()
  await first.close()
  const again = await ledgers.open({ chainId })
  expect((await ledgers.run(again.writer.checkpoint)).nextBlock).toBe(0)
  await again.close()
})

test("a writer takes over no limit or plan setting of its role", async () => {
  const chainId = freshChainId()
  await ledgers.sql.unsafe(
    "alter role cowry set statement_timeout = '1s'; alter role cowry set default_transaction_isolation = serializable",
  )
  const chain = small()
  const { writer, close } = await ledgers.open({ chainId })
  await ledgers.sql.unsafe("alter role cowry reset all")
  const blocker = await ledgers.sql.reserve()
  await blocker`begin`
  await blocker`lock table ${ledgers.sql(`cowry_${chainId}.state`)} in access exclusive mode`
  const appended = ledgers.run(writer.append(chain.segment(0)))
  const pid = await blockedProcess(ledgers.sql, "%update state%")
  await ledgers.sql`select pg_sleep(1.1)`
  expect(await blockedProcess(ledgers.sql, "%update state%")).toBe(pid)
  await blocker`rollback`
  blocker.release()
  await appended
  await expectContent(chainId, chain)
  await close()
})

test("a writer whose session is killed while it waits between appends says so, and its successor goes on", async () => {
  const chainId = freshChainId()
  const chain = small().block([transfer(token, zeroAddress, alice, 1n)])
  const first = await ledgers.open({ chainId })
  await ledgers.run(first.writer.append(chain.segment(0, 0)))
  await ledgers.sql`
    select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and d.datname = current_database() and l.granted
      and (l.classid::int8 << 32 | l.objid::int8) = hashtextextended(${`cowry_${chainId}`}, 0)`
  const { writer, close } = await ledgers.open({ chainId })
  expect((await failureOf(first.writer.append(chain.segment(1)))).tag).toBe("LedgerUnavailable")
  expect((await failureOf(first.writer.checkpoint)).tag).toBe("LedgerUnavailable")
  await ledgers.run(writer.append(chain.segment(1)))
  await expectContent(chainId, chain)
  await close()
})

for (const [what, table, statement] of [
  ["appends", "state", "%update state%"],
  ["looks pairs up beside an append", "balance", '%from unnest%from "balance" k%'],
] as const) {
  test(`a connection that dies while it ${what} leaves nothing behind`, async () => {
    const chainId = freshChainId()
    const chain = small()
    const { writer } = await ledgers.open({ chainId }, { chunkSize: 2 })
    await ledgers.run(writer.append(chain.segment(0)))
    const before = await rows(chainId)
    chain.block(Array.from({ length: 6 }, (_, index) => transfer(token, zeroAddress, address(index + 50), 1n)))
    const blocker = await ledgers.sql.reserve()
    await blocker`begin`
    await blocker`lock table ${ledgers.sql(`cowry_${chainId}.${table}`)} in access exclusive mode`
    const failure = failureOf(writer.append(chain.segment(1)))
    await ledgers.sql`select pg_terminate_backend(${await blockedProcess(ledgers.sql, statement)}::int4)`
    expect((await failure).tag).toBe("LedgerUnavailable")
    await blocker`rollback`
    blocker.release()
    expect(await rows(chainId)).toEqual(before)
    const again = await ledgers.open({ chainId })
    await ledgers.run(again.writer.append(chain.segment(1)))
    await expectContent(chainId, chain)
    await again.close()
  })
}

for (const [where, refused, logs] of [
  ["its first row, with megabytes to come", 0, 40_000],
  ["its last row", 4, 5],
] as const) {
  test(`a COPY that the server refuses at ${where} fails the append with the server's own words`, async () => {
    const chainId = freshChainId()
    const chain = wideChain(logs, (index) => (index === refused ? 10n ** 30n : 1n))
    const { writer } = await ledgers.open({ chainId })
    const table = ledgers.sql(`cowry_${chainId}.erc20_transfer`)
    await ledgers.sql`alter table ${table} add constraint planted check (amount < 1e30)`
    const before = await rows(chainId)
    const { tag, text } = await failureOf(writer.append(chain.segment(0)))
    expect(tag).toBe("LedgerUnavailable")
    expect(text).toContain("planted")
    expect(await rows(chainId)).toEqual(before)
    await ledgers.sql`alter table ${table} drop constraint planted`
    const again = await ledgers.open({ chainId })
    await ledgers.run(again.writer.append(chain.segment(0)))
    expect((await ledgers.run(again.writer.checkpoint)).nextBlock).toBe(1)
    await again.close()
  })
}

test("a key that is there already fails the append, whose session is over", async () => {
  const chainId = freshChainId()
  const chain = small()
  const { writer } = await ledgers.open({ chainId })
  await ledgers.sql`
    insert into ${ledgers.sql(`cowry_${chainId}.balance`)} (token_id, holder_no, block_number, holder, balance)
    values (1, 7, 0, ${Buffer.from(address(1).slice(2), "hex")}, 5)`
  const { tag, text, problem } = await failureOf(writer.append(chain.segment(0)))
  expect(tag).toBe("LedgerUnavailable")
  expect(text).toContain("balance_pkey")
  expect(problem).toContain("moved by another writer, or a resync took its place")
  expect((await failureOf(writer.append(chain.segment(0)))).tag).toBe("LedgerUnavailable")
})

test("an append that takes longer than its deadline is given up, and nothing of it stays", async () => {
  const chainId = freshChainId()
  const chain = small()
  const { writer } = await ledgers.open({ chainId }, { deadlineMs: 200 })
  const blocker = await ledgers.sql.reserve()
  await blocker`begin`
  await blocker`lock table ${ledgers.sql(`cowry_${chainId}.erc20_transfer`)} in access exclusive mode`
  const { tag, text } = await failureOf(writer.append(chain.segment(0)))
  expect([tag, text]).toEqual(["LedgerUnavailable", "given up after 200 ms"])
  await blocker`rollback`
  blocker.release()
  const again = await ledgers.open({ chainId })
  await ledgers.run(again.writer.append(chain.segment(0)))
  await expectContent(chainId, chain)
  await again.close()
})

test("a ledger that somebody else moved is not written: the fence holds where the lock did not", async () => {
  const chainId = freshChainId()
  const chain = small().block([transfer(token, zeroAddress, alice, 1n)])
  for (const write of ["append", "rollback"] as const) {
    const { writer, close } = await ledgers.open({ chainId })
    const { nextBlock } = await ledgers.run(writer.checkpoint)
    if (nextBlock === 0) await ledgers.run(writer.append(chain.segment(0, 0)))
    await ledgers.sql`update ${ledgers.sql(`cowry_${chainId}.state`)} set epoch = epoch + 1`
    const before = await rows(chainId)
    const failure = await failureOf(write === "append" ? writer.append(chain.segment(1)) : writer.rollback(0))
    const { tag, text, problem } = failure
    expect(tag).toBe("LedgerUnavailable")
    expect(problem).toContain("moved by another writer, or a resync took its place")
    expect(text).toContain("another writer")
    expect(await rows(chainId)).toEqual(before)
    await close()
  }
})

test("a cache too small for a single segment gives the same ledger as a large one", async () => {
  const people = Array.from({ length: 60 }, (_, index) => address(index + 1))
  const chain = new TestChain()
  for (let block = 0; block < 40; block++) {
    const pick = (salt: number) => people[(block * 7 + salt * 13) % people.length]!
    chain.block(
      Array.from({ length: 12 }, (_, at) => transfer(address(0x70 + (at % 3)), pick(at), pick(at + 5), 2n ** 140n)),
    )
  }
  for (const [limits, blocks] of [
    [{}, 4],
    [{ cacheBytes: 1, maxTokens: 2, chunkSize: 5 }, 4],
    [{ cacheBytes: 8000, maxTokens: 2 }, 1],
  ] as const) {
    const chainId = freshChainId()
    const { writer, close } = await ledgers.open({ chainId }, limits)
    for (let from = 0; from < 40; from += blocks) {
      await ledgers.run(writer.append(chain.segment(from, from + blocks - 1)))
    }
    await expectContent(chainId, chain)
    await close()
  }
})

test("sums beyond 128 bits are exact on both sides of zero, and come back when they shrink", async () => {
  const huge = 2n ** 256n - 1n
  const chain = new TestChain()
  for (let block = 0; block < 8; block++) chain.block(Array(9).fill(transfer(token, alice, bob, huge)))
  for (let block = 0; block < 8; block++) chain.block(Array(9).fill(transfer(token, bob, alice, huge)))
  chain.block([transfer(token, alice, bob, 2n ** 127n), transfer(token, alice, bob, 2n ** 127n - 1n)])
  chain.block([transfer(token, bob, alice, 2n ** 128n - 1n)])
  const chainId = freshChainId()
  const { writer, close } = await ledgers.open({ chainId }, { cacheBytes: 1 })
  for (let block = 0; block < chain.nextBlock; block++) await ledgers.run(writer.append(chain.segment(block, block)))
  await expectContent(chainId, chain)
  await close()
})

test("token ids and holder numbers are never given twice, rollbacks and restarts included", async () => {
  const chainId = freshChainId()
  const ids = () => ledgers.sql`
    select t.token_id, b.holder_no from ${ledgers.sql(`cowry_${chainId}.token`)} t
    join ${ledgers.sql(`cowry_${chainId}.balance`)} b using (token_id) where b.holder_no > 1 order by 1, 2`
  const chain = new TestChain().block([transfer(token, zeroAddress, alice, 1n)])
  const first = await ledgers.open({ chainId })
  await ledgers.run(first.writer.append(chain.segment(0)))
  chain.block([transfer(token, zeroAddress, bob, 1n), transfer(address(0x99), zeroAddress, bob, 1n)])
  await ledgers.run(first.writer.append(chain.segment(1)))
  expect([...(await ids())].map((it) => ({ ...it }))).toEqual([
    { token_id: 1, holder_no: 2 },
    { token_id: 1, holder_no: 3 },
    { token_id: 2, holder_no: 2 },
  ])
  await ledgers.run(first.writer.rollback(1))
  await first.close()
  chain.truncate(1).block([transfer(address(0x98), zeroAddress, bob, 1n), transfer(token, zeroAddress, bob, 1n)])
  const second = await ledgers.open({ chainId })
  await ledgers.run(second.writer.append(chain.segment(1)))
  expect([...(await ids())].map((it) => ({ ...it }))).toEqual([
    { token_id: 1, holder_no: 2 },
    { token_id: 1, holder_no: 4 },
    { token_id: 3, holder_no: 2 },
  ])
  await second.close()
})

test("skipped logs are counted", async () => {
  const chainId = freshChainId()
  const chain = small().block()
  const { writer, close } = await ledgers.open({ chainId })
  await ledgers.run(writer.append(chain.segment(0, 0, { counts: { malformed: 3, unknownPool: 0 } })))
  await ledgers.run(writer.append(chain.segment(1, 1, { counts: { malformed: 30, unknownPool: 0 } })))
  const [row] = await ledgers.sql`select skipped_odd::int4 from ${ledgers.sql(`cowry_${chainId}.state`)}`
  expect({ ...row! }).toEqual({ skipped_odd: 33 })
  await close()
})

test("blocks up to 2³¹−2, and past 2²⁹, where a position no longer fits a double, are stored as they are", async () => {
  const chainId = freshChainId()
  const chain = new TestChain(new Set(), 2 ** 31 - 3).block([transfer(token, zeroAddress, alice, 1n)], {
    logIndex: 2 ** 24 - 2,
  })
  chain.block([transfer(token, zeroAddress, alice, 1n)], { logIndex: 2 ** 24 - 1 })
  const { writer, close } = await ledgers.open({ chainId, firstBlock: chain.firstBlock })
  await ledgers.run(writer.append(chain.segment(2 ** 31 - 3, 2 ** 31 - 3)))
  expect(await rows(chainId)).toEqual(
    naiveContent(
      new TestChain(new Set(), 2 ** 31 - 3).block([transfer(token, zeroAddress, alice, 1n)], { logIndex: 2 ** 24 - 2 }),
      -1,
      2 ** 31 - 3,
    ),
  )
  expect(await ledgers.run(writer.listUndescribedTokens(5))).toEqual([
    {
      standard: "erc20",
      address: token,
      firstBlock: 2 ** 31 - 3,
      firstLogIndex: 2 ** 24 - 2,
      firstTxHash: chain.blocks[0]!.movements[0]!.txHash,
      firstBlockHash: chain.blocks[0]!.header.hash,
    },
  ])
  await ledgers.run(writer.append(chain.segment(2 ** 31 - 2)))
  chain.block()
  expect((await failureOf(writer.append(chain.segment(2 ** 31 - 1)))).tag).toBe("SegmentRefused")
  await close()
})

test("descriptions lose NUL, and a token that says nothing is not asked again; each moves the revision", async () => {
  const chainId = freshChainId()
  const other = address(0x71)
  const chain = new TestChain().block([
    transfer(token, zeroAddress, alice, 1n),
    transfer(other, zeroAddress, alice, 1n),
  ])
  const { writer, close } = await ledgers.open({ chainId })
  await ledgers.run(writer.append(chain.segment(0)))
  const revision = async () =>
    (await ledgers.sql`select revision::int4 from ${ledgers.sql(`cowry_${chainId}.state`)}`)[0]!.revision
  const before = await revision()
  const [first, second] = await ledgers.run(writer.listUndescribedTokens(5))
  await ledgers.run(
    writer.describeTokens([
      { token: first!, description: { name: 'a\0"b\\{},', symbol: "\0" } },
      { token: second!, description: {} },
    ]),
  )
  expect(await ledgers.run(writer.listUndescribedTokens(5))).toEqual([])
  expect(await revision()).toBe(before + 1)
  await ledgers.run(writer.describeTokens([{ token: { ...first!, firstLogIndex: 9 }, description: { name: "no" } }]))
  await ledgers.run(writer.describeTokens([]))
  expect(await revision()).toBe(before + 1)
  const stored = await ledgers.sql`
    select name, symbol, decimals, described from ${ledgers.sql(`cowry_${chainId}.token`)} order by token_id`
  expect(stored.map((it) => ({ ...it }))).toEqual([
    { name: 'a"b\\{},', symbol: null, decimals: null, described: true },
    { name: null, symbol: null, decimals: null, described: true },
  ])
  await close()
})

test("other settings are refused with what differs and the way out; order and letter case do not matter", async () => {
  const chainId = freshChainId()
  const [x, y] = [address(0xabc), address(0xdef)]
  const settings = { chainId, firstBlock: 5, wrappedNative: [x, y], poolManagers: [x], tokens: [y] }
  await (await ledgers.open(settings)).close()
  await (
    await ledgers.open({ ...settings, wrappedNative: [addressOfHex(y.replace("def", "DEF")), x], poolManagers: [x, x] })
  ).close()
  const refusal = (changed: object) =>
    ledgers.open({ ...settings, ...changed }).then(
      () => undefined,
      (error) => ({ tag: error._tag, message: error.message }),
    )
  const wayOut = `cowry resync ${chainId}`
  for (const [changed, said] of [
    [{ firstBlock: 6 }, `START_BLOCK_${chainId} was 5, is 6.`],
    [{ wrappedNative: [] }, `WRAPPED_NATIVE_${chainId} was ${x},${y}, is none. Set them back, or have`],
    [{ poolManagers: [] }, `POOL_MANAGERS_${chainId} was ${x}, is none.`],
    [{ swaps: false }, `SWAPS_${chainId} was on, is off; POOL_MANAGERS_${chainId} was ${x}, is none.`],
    [{ wrappedNative: [x] }, `WRAPPED_NATIVE_${chainId} was ${x},${y}, is ${x}.`],
    [{ tokens: undefined }, `TOKENS_${chainId} was ${y}, is absent (every token).`],
    [{ approvals: true }, `APPROVALS_${chainId} was off, is on. Set them back, or have`],
    [{ genesisHash: hash("another") }, `genesis block ${hash("genesis")}, the node's is ${hash("another")}.`],
  ] as const) {
    const refused = await refusal(changed)
    expect(refused?.tag).toBe("LedgerRefused")
    expect(refused?.message).toContain(said)
    expect(refused?.message).toContain(wayOut)
  }
})

test("what a ledger was made without is set back by name; where swaps are not stored, pool managers make no difference", async () => {
  const chainId = freshChainId()
  const [x, y] = [address(0xabc), address(0xdef)]
  await (await ledgers.open({ chainId, swaps: false, poolManagers: [x] })).close()
  await (await ledgers.open({ chainId, swaps: false, poolManagers: [y] })).close()
  const error = await ledgers.open({ chainId, wrappedNative: [x], poolManagers: [y] }).catch((it) => it)
  expect(error.message).toContain(
    `WRAPPED_NATIVE_${chainId} was none, is ${x}; SWAPS_${chainId} was off, is on; POOL_MANAGERS_${chainId} was none, is ${y}. ` +
      `Set them back (WRAPPED_NATIVE_${chainId}=none, POOL_MANAGERS_${chainId}=none), or have the chain built anew`,
  )
})

test("a ledger made by a newer version of the rules is refused with the ways that are open, and nothing of it is touched", async () => {
  const { sql } = ledgers
  const chainId = freshChainId()
  const schema = `cowry_${chainId}`
  await (await ledgers.open({ chainId })).close()
  const lastFile = ledgerMigrations.at(-1)!
  await sql`update ${sql(`${schema}.state`)} set ledger_version = 99`
  // As by a version that has other files: this one would apply its own to the tables.
  await sql`delete from ${sql(`${schema}.migration`)} where file = ${lastFile}`
  await sql`delete from cowry.chain where chain_id = ${chainId}`
  await sql`create schema ${sql(`${schema}_old`)}`
  const error = await ledgers.open({ chainId }).catch((it) => it)
  expect([error._tag, error.message]).toEqual([
    "LedgerRefused",
    `the stored ledger of chain ${chainId} was made by version 99 of the ledger, this is version ${ledgerVersion}, an ` +
      "older one. Run the newer version again, or have the chain built anew, while what is stored goes on answering, " +
      `by: cowry resync ${chainId}`,
  ])
  expect(await sql`select from ${sql(`${schema}.migration`)} where file = ${lastFile}`).toHaveLength(0)
  expect(await sql`select from cowry.chain where chain_id = ${chainId}`).toHaveLength(0)
  expect(await sql`select from pg_namespace where nspname = ${`${schema}_old`}`).toHaveLength(1)
})

test("a database that takes no writes is said, and a ledger is opened once it does, over sessions of any time", async () => {
  const { sql, url } = ledgers
  const chainId = freshChainId()
  await (await ledgers.open({ chainId })).close()
  const name = sql.unsafe(new URL(url).pathname.slice(1))
  const admin = await sql.reserve()
  await admin`alter database ${name} set default_transaction_read_only = on`
  await admin`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'cowry'`
  const opening = () => ledgers.open({ chainId }).catch((error) => error)
  let error: LedgerUnavailable | undefined
  // The readers' pool, of ten connections, learns of lost ones by statements.
  for (let tries = 0; tries < 20 && error?.problem === undefined; tries++) error = await opening()
  expect([error?._tag, error?.problem]).toEqual([
    "LedgerUnavailable",
    "the database takes no writes (25006); it goes on by itself once it does",
  ])
  await admin`alter database ${name} reset default_transaction_read_only`
  await (await ledgers.open({ chainId })).close()
  admin.release()
})

test("what the server's operator must know of a failure is said", () => {
  const problemOf = (code: string, message: string) => unavailable(Object.assign(new Error(message), { code })).problem
  expect(problemOf("53300", "sorry, too many clients already")).toBe(
    "the database takes no more connections (53300); it goes on by itself once it does",
  )
  expect(problemOf("57P03", "the database system is starting up")).toBe(
    "the database is not ready (57P03); it goes on by itself once it is",
  )
  expect(problemOf("53100", "could not extend file")).toBe(
    "the database has no room left (53100); it goes on by itself once there is some",
  )
  expect(problemOf("ECONNREFUSED", "connect ECONNREFUSED 10.0.0.1:5432")).toBeUndefined()
  const ofServer = (code: string, message: string) =>
    unavailable(Object.assign(new Error(message), { code, severity: "ERROR" })).problem
  expect(ofServer("22P02", "invalid input syntax for type bigint")).toBe(
    "the database fails (invalid input syntax for type bigint); it is asked again every few seconds",
  )
  // Of a login the server names addresses, roles and databases.
  for (const code of ["28000", "28P01"])
    expect(ofServer(code, 'no pg_hba.conf entry for host "10.0.0.1"')).toBe(
      `the database refuses the login that its URL names (${code}); it goes on by itself once it takes it. Another password is read at a start alone`,
    )
  for (const code of ["3D000", "08006", "57P01", "40001"])
    expect(ofServer(code, 'no pg_hba.conf entry for host "10.0.0.1"')).toBeUndefined()
})

test("a ledger whose tables a newer version has changed is refused likewise", async () => {
  const { sql } = ledgers
  const chainId = freshChainId()
  await (await ledgers.open({ chainId })).close()
  await sql`insert into ${sql(`cowry_${chainId}.migration`)} (file, sha256) values ('999_future.sql', '')`
  const error = await ledgers.open({ chainId }).catch((it) => it)
  expect([error._tag, error.message]).toEqual([
    "LedgerRefused",
    `schema cowry_${chainId} was made by a newer version: it holds migration 999_future.sql, which this version does not ` +
      "know. Run the newer version again, or have the chain built anew, while what is stored goes on answering, by: " +
      `cowry resync ${chainId}`,
  ])
})

const firstMissing = ledgerMigrations.indexOf("041_appended_moves.sql")

/** A ledger as an older version left it: without what the last files make. */
const makeOlder = async (chainId: ChainId) => {
  const schema = `cowry_${chainId}`
  await (await ledgers.open({ chainId })).close()
  await ledgers.sql`alter table ${ledgers.sql(`${schema}.state`)} drop column appended`
  await ledgers.sql`alter table ${ledgers.sql(`${schema}.token`)} drop column burns_own`
  await ledgers.sql`delete from ${ledgers.sql(`${schema}.migration`)} where file = any(${ledgerMigrations.slice(firstMissing)})`
  const files = async () =>
    (await ledgers.sql<Array<{ file: string }>>`select file from ${ledgers.sql(`${schema}.migration`)}`).length
  return { schema, files }
}

test("tables of an older version are left while somebody has the ledger open, and that is said", async () => {
  const chainId = freshChainId()
  const { schema, files } = await makeOlder(chainId)
  const older = await ledgers.sql.reserve()
  await older`select pg_advisory_lock(hashtextextended(${schema}, 0))`
  const outcome = await Promise.race([
    ledgers.open({ chainId }).catch((error: LedgerUnavailable) => error),
    Bun.sleep(20_000),
  ])
  expect(Object(outcome)).toMatchObject({
    _tag: "LedgerUnavailable",
    problem: expect.stringContaining("its tables are of an older version, and another process has it open"),
  })
  expect(await files()).toBe(firstMissing)
  await older`select pg_advisory_unlock_all()`
  older.release()
  await (await ledgers.open({ chainId })).close()
  expect(await files()).toBe(ledgerMigrations.length)
})

test("who stood by while a newer version brought the tables up to date is refused, and changes nothing", async () => {
  const chainId = freshChainId()
  const schema = `cowry_${chainId}`
  const first = await ledgers.open({ chainId })
  const second = ledgers.open({ chainId }).catch((error) => error)
  // It looks whether the lock is free.
  await Bun.sleep(300)
  await ledgers.sql`insert into ${ledgers.sql(`${schema}.migration`)} (file, sha256) values ('999_future.sql', '')`
  await ledgers.sql`update ${ledgers.sql(`${schema}.state`)} set folds = 0`
  await first.close()
  const error = await second
  expect([error._tag, error.message]).toEqual([
    "LedgerRefused",
    `schema ${schema} was made by a newer version: it holds migration 999_future.sql, which this version does not know. Run ` +
      `the newer version again, or have the chain built anew, while what is stored goes on answering, by: cowry resync ${chainId}`,
  ])
  expect([...(await ledgers.sql`select folds from ${ledgers.sql(`${schema}.state`)}`)]).toEqual([{ folds: 0 }])
})
