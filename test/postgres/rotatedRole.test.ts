/** A login whose sessions begin as the owner, as where logins are rotated: its writer is seen by whoever asks beside it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect } from "effect"
import postgres from "postgres"
import { Database } from "../../src/adapters/postgres/database/Database.ts"
import * as PostgresDatabase from "../../src/adapters/postgres/database/PostgresDatabase.ts"
import { openWatched } from "../../src/adapters/postgres/ledger/wire/silence.ts"
import { type ChainId, zeroAddress } from "../../src/model/primitives.ts"
import { freshChainId } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { type Cuttable, startCuttable } from "../support/nodes/cuttable.ts"
import { testDatabase } from "../support/postgres.ts"
import { contentOfTables, failureOf, type LedgerDatabase, openLedgers } from "./ledger/ledger.support.ts"
import { naiveContent } from "./ledger/naiveLedger.ts"

/** Longer than a busy machine keeps a server from its processor. */
const silenceMs = 2000
const password = "rotated-secret"

let line: Cuttable
let ledgers: LedgerDatabase
let name = ""
beforeAll(async () => {
  ledgers = await openLedgers(undefined, async (direct) => {
    name = new URL(direct).pathname.slice(1)
    const sql = postgres(direct, { max: 1, onnotice: () => {} })
    await sql.unsafe(`create role owner_${name}; grant create, temporary on database ${name} to owner_${name};
      create role login_${name} login noinherit password '${password}' in role owner_${name};
      alter role login_${name} set role = owner_${name}`)
    await sql.end()
    const url = new URL(direct)
    line = await startCuttable(url.hostname, Number(url.port))
    url.port = String(line.port)
    url.username = `login_${name}`
    url.password = password
    return url.href
  })
})
afterAll(async () => {
  const { url } = ledgers
  await ledgers.close()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(`drop owned by owner_${name}; drop role login_${name}, owner_${name}`)
  await sql.end()
  await line.stop()
})

const grown = (blocks: number) => {
  const chain = new TestChain()
  for (let made = 0; made < blocks; made++) chain.block([transfer(address(0x70), zeroAddress, address(0xa), 1n)])
  return chain
}
const rows = async (chainId: ChainId) => JSON.parse(JSON.stringify(await contentOfTables(ledgers.sql, chainId)))

test("a statement that takes the server long is waited for", async () => {
  const chainId = freshChainId()
  const chain = grown(5)
  const { writer, close } = await ledgers.open({ chainId }, { silenceMs })
  await ledgers.run(writer.append(chain.segment(0, 2)))
  const blocker = await ledgers.sql.reserve()
  await blocker`begin`
  await blocker`lock table ${ledgers.sql(`cowry_${chainId}.state`)} in access exclusive mode`
  const appended = ledgers.run(writer.append(chain.segment(3)))
  await ledgers.sql`select pg_sleep(${(2.5 * silenceMs) / 1000})`
  await blocker`rollback`
  blocker.release()
  await appended
  expect(await rows(chainId)).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
  await close()
})

test("a connection that went silent is given up, and its server process ends", async () => {
  const chainId = freshChainId()
  const chain = grown(6)
  const { writer } = await ledgers.open({ chainId }, { silenceMs })
  await ledgers.run(writer.append(chain.segment(0, 3)))
  line.hush()
  expect((await failureOf(writer.append(chain.segment(4)))).text).toContain("taken for dead")
  const again = await ledgers.open({ chainId })
  await ledgers.run(again.writer.append(chain.segment(4)))
  expect(await rows(chainId)).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
  await again.close()
})

test("where the server shows nothing of the writer's session its statement is waited for", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(`create schema shown;
    create view shown.pg_stat_activity as select pid, null::timestamptz as backend_start, null::text as state,
      null::text as wait_event_type, null::timestamptz as state_change from pg_stat_activity;
    create function shown.pg_stat_get_activity(int) returns table (pid int, backend_start timestamptz)
      language sql as 'select $1, null::timestamptz';
    alter database ${new URL(url).pathname.slice(1)} set search_path = shown, pg_catalog`)
  await sql.end()
  const session = await Effect.runPromise(
    Database.use((database) => Effect.promise(() => openWatched(database, "public", silenceMs))).pipe(
      Effect.provide(PostgresDatabase.layer({ url })),
    ),
  )
  const [row] = await session.run((it) => it`select pg_sleep(${(2.5 * silenceMs) / 1000}) is not null as slept`)
  expect(row?.slept).toBe(true)
  await session.close()
})
