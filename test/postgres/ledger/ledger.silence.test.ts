/** A connection that goes silent without an end: the writer finds out, and the next one has the lock. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect } from "effect"
import postgres from "postgres"
import { Database } from "../../../src/adapters/postgres/database/Database.ts"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import { openWatched } from "../../../src/adapters/postgres/ledger/wire/silence.ts"
import { type ChainId, zeroAddress } from "../../../src/model/primitives.ts"
import { freshChainId } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Cuttable, startCuttable } from "../../support/nodes/cuttable.ts"
import { contentOfTables, failureOf, type LedgerDatabase, openLedgers } from "./ledger.support.ts"
import { naiveContent } from "./naiveLedger.ts"

const [token, alice] = [address(0x70), address(0xa)]
/** Longer than a busy machine keeps a server from its processor. */
const silenceMs = 2000

let line: Cuttable
let ledgers: LedgerDatabase
beforeEach(async () => {
  ledgers = await openLedgers(undefined, async (direct) => {
    const url = new URL(direct)
    line = await startCuttable(url.hostname, Number(url.port))
    url.port = String(line.port)
    return url.href
  })
})
afterEach(async () => {
  await ledgers.close()
  await line.stop()
})

const grow = (chain: TestChain, blocks: number) => {
  for (let made = 0; made < blocks; made++) chain.block([transfer(token, zeroAddress, alice, 1n)])
  return chain
}
const rows = async (chainId: ChainId) => JSON.parse(JSON.stringify(await contentOfTables(ledgers.sql, chainId)))

for (const [what, call] of [
  ["an append", (chain: TestChain) => (it: Writer) => it.append(chain.segment(4))],
  ["a rollback", () => (it: Writer) => it.rollback(3)],
  ["a look at the headers", () => (it: Writer) => it.recentHeaders],
] as const) {
  test(`${what} on a connection that went silent is given up, and the next writer goes on`, async () => {
    const chainId = freshChainId()
    const chain = grow(new TestChain(), 6)
    const first = await ledgers.open({ chainId }, { silenceMs })
    await ledgers.run(first.writer.append(chain.segment(0, 3)))
    line.hush()
    const { tag, text } = await failureOf(call(chain)(first.writer))
    expect([tag, text]).toEqual([
      "LedgerUnavailable",
      "no word from the database for 2 s on the writer's connection, which is taken for dead: the ledger is opened again over a new one",
    ])
    // The server knows nothing of it, and would keep the lock.
    const again = await ledgers.open({ chainId })
    await ledgers.run(again.writer.append(chain.segment(4)))
    expect(await rows(chainId)).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
    await again.close()
  })
}

test("a connection that went silent is given up, too, where the server's clock was set back since", async () => {
  const chainId = freshChainId()
  const chain = grow(new TestChain(), 6)
  const first = await ledgers.open({ chainId }, { silenceMs })
  await ledgers.run(first.writer.append(chain.segment(0, 3)))
  // What its times are held against, on connections from now on.
  await ledgers.sql.unsafe(`
    create schema earlier;
    create function earlier.clock_timestamp() returns timestamptz language sql
      as $$ select pg_catalog.clock_timestamp() - interval '1 hour' $$;
    do $$ begin execute format('alter database %I set search_path = earlier, pg_catalog, public', current_database()); end $$`)
  line.hush()
  const { text } = await failureOf(first.writer.append(chain.segment(4)))
  expect(text).toStartWith("no word from the database for 2 s")
})

for (const [what, table] of [
  ["a statement that takes the server long", "state"],
  ["a look-up that takes another session of the writer's long", "balance"],
] as const) {
  test(`${what} is waited for`, async () => {
    const chainId = freshChainId()
    const chain = grow(new TestChain(), 4)
    const first = await ledgers.open({ chainId })
    await ledgers.run(first.writer.append(chain.segment(0, 1)))
    await first.close()
    // As many as are looked up beside their rows.
    chain.block(Array.from({ length: 70 }, (_, place) => transfer(token, zeroAddress, address(place + 500), 1n)))
    const { writer, close } = await ledgers.open({ chainId }, { silenceMs })
    const blocker = await ledgers.sql.reserve()
    await blocker`begin`
    await blocker`lock table ${ledgers.sql(`cowry_${chainId}.${table}`)} in access exclusive mode`
    const appended = ledgers.run(writer.append(chain.segment(2)))
    await ledgers.sql`select pg_sleep(${(2.5 * silenceMs) / 1000})`
    await blocker`rollback`
    blocker.release()
    await appended
    expect(await rows(chainId)).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
    await close()
  })
}

test("a connection is not taken for dead because this process was held up", async () => {
  const session = await Effect.runPromise(
    Database.use((database) => Effect.promise(() => openWatched(database, "public", silenceMs))).pipe(
      Effect.provide(PostgresDatabase.layer({ url: ledgers.url })),
    ),
  )
  // What the server waits for comes from here, a moment after all else goes on.
  let go = () => {}
  const sent = session.guard(
    new Promise<void>((resolve) => {
      go = resolve
    }),
  )
  await Bun.sleep(100)
  Bun.sleepSync(1.5 * silenceMs)
  await Bun.sleep(silenceMs / 4)
  go()
  await sent
  expect(session.failure()).toBeUndefined()
  await session.close()
})

test("where new connections lead to another server nothing is looked up there for the old one's ledger, which is opened again at the new one", async () => {
  const chainId = freshChainId()
  const chain = grow(new TestChain(), 4)
  const atNew = await openLedgers(15)
  const { pathname } = new URL(atNew.url)
  const name = pathname.slice(1)
  let old!: Cuttable
  const login = `create role "${name}" superuser login password 'known'`
  await atNew.sql.unsafe(login)
  const atOld = await openLedgers(18, async (direct) => {
    const url = new URL(direct)
    const sql = postgres(direct, { max: 1, onnotice: () => {} })
    await sql.unsafe(`create database ${name}`)
    await sql.unsafe(login)
    await sql.end()
    old = await startCuttable(url.hostname, Number(url.port))
    Object.assign(url, { port: String(old.port), pathname, username: name, password: "known" })
    return url.href
  })
  const standby = await atNew.open({ chainId })
  await atNew.run(standby.writer.append(chain.segment(0, 1)))
  await standby.close()
  const { writer, close } = await atOld.open({ chainId })
  await atOld.run(writer.append(chain.segment(0, 3)))
  const there = new URL(atNew.url)
  old.lead(there.hostname, Number(there.port))
  // As many as are looked up beside their rows.
  chain.block(Array.from({ length: 70 }, (_, place) => transfer(token, zeroAddress, address(place + 500), 1n)))
  const { tag, text } = await failureOf(writer.append(chain.segment(4)))
  expect([tag, text.slice(0, 48)]).toEqual(["LedgerUnavailable", "DATABASE_URL leads to another server now than th"])
  await close()
  const again = await atOld.open({ chainId })
  await atOld.run(again.writer.append(chain.segment(2)))
  const stored = JSON.parse(JSON.stringify(await contentOfTables(atNew.sql, chainId)))
  expect(stored).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
  await atOld.close()
  await old.stop()
  await atNew.close()
})

type Writer = Awaited<ReturnType<LedgerDatabase["open"]>>["writer"]
