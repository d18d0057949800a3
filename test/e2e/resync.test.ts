/** `cowry resync` and `cowry drop` as an operator runs them: beside services that answer, and killed at any instant. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import postgres from "postgres"
import { runCommand, startCommand } from "../support/command.ts"
import { takeEvents } from "../support/eventStream.ts"
import { ownFolder, testDatabase } from "../support/postgres.ts"
import { answersOf, chainId, changed, hammer, past, startWorld, unchanged, untilPhase } from "../support/resync.ts"
import { startService } from "../support/service.ts"

let world: ReturnType<typeof startWorld>
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.node.stop())

const resync = ["resync", chainId]
const done = { code: 0, output: expect.stringContaining("done. The new ledger stands at block") }

test("a chain is built anew beside services that answer: wholly as before until the swap, wholly anew after it", async () => {
  const database = { DATABASE_URL: await testDatabase() }
  const settings = world.settings({ ...database, ...changed })
  const older = await startService(world.settings({ ...database, ...unchanged }))
  await older.indexed(chainId, world.head())
  const stored = await answersOf(older)
  const built = await world.truth()
  expect(built).not.toEqual(stored)

  /** Where a consumer stands that has heard of what is there now. */
  const eventsAt = (url: string, after: string) =>
    `${url}/v2/network/mainnet/evm/${chainId}/events?delivery=finalized&kinds=transfer&after=${after}`
  const standOf = async (url: string) =>
    (await takeEvents(eventsAt(url, ""), (told) => told.some(({ type }) => type === "heartbeat"))).told.at(-1)!
  const before = await standOf(older.url)

  const newer = await startService(settings)
  expect((await untilPhase(newer, "stopped")).problem).toContain(`cowry resync ${chainId}`)
  const readers = [older, newer].map((service) => hammer(service, [stored, built]))
  expect(await runCommand(resync, settings)).toMatchObject(done)
  for (const { end, seen } of readers) {
    await end()
    expect(seen.every((times) => times > 0)).toBe(true)
  }

  // What followed the old ledger never writes to the new one; what was refused by the old one goes on by itself.
  world.show(20)
  expect((await untilPhase(older, "stopped")).problem).toContain(`START_BLOCK_${chainId} was 100, is 0`)
  await newer.indexed(chainId, world.head())
  expect(await answersOf(newer)).toEqual(await world.truth())

  // A consumer of events of the old ledger has other rows: it is refused, and told why.
  const refused = await takeEvents(eventsAt(newer.url, before.position), () => true)
  expect([refused.status, refused.problem?.code]).toEqual([410, "EVENTS_GONE"])
  expect(refused.problem?.message).toContain("replaced by one with other settings")
  const stand = await standOf(newer.url)

  // Once more, under a service that follows with the same settings: it goes on on the new ledger.
  const sql = postgres(database.DATABASE_URL, { max: 1, onnotice: () => {} })
  const schema = `cowry_${chainId}`
  await sql.unsafe(`
    insert into ${schema}.token_audit
    select token_id, standard, address, 2, 1, 1700000000, 3, null, null, '[]', '{1,1}' from ${schema}.token limit 1
    on conflict (token_id) do update set state = 2`)
  const growing = setInterval(() => world.show(1), 30)
  expect(await runCommand(resync, settings)).toMatchObject(done)
  clearInterval(growing)
  // What the audit has denied is so still.
  expect(await sql.unsafe(`select state from ${schema}.token_audit where state = 2`)).toHaveLength(1)
  await sql.end()
  world.show(1)
  await newer.indexed(chainId, world.head())
  expect(await answersOf(newer)).toEqual(await world.truth())
  // Of the same settings too: what was final may be another row now, and what the first one lacked lies behind.
  const anew = await takeEvents(eventsAt(newer.url, stand.position), () => true)
  expect([anew.status, anew.problem?.message]).toEqual([
    410,
    expect.stringMatching(/built anew .* with after=beginning$/),
  ])
  await Promise.all([older.stop(), newer.stop()])
})

test("a service whose chain makes no block goes on from the new ledger all the same", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const settings = world.settings({ DATABASE_URL: url, ...changed })
  const service = await startService(settings)
  await service.indexed(chainId, world.head())

  // The new ledger is built, and waits for a reader; the chain goes on meanwhile, and then makes no block any more.
  const reader = await sql.reserve()
  await reader`begin`
  await reader.unsafe(`select from cowry_${chainId}.state`)
  const run = startCommand(resync, settings)
  await run.printed("waiting until nobody is in the stored ledger")
  world.show(20)
  await service.indexed(chainId, world.head())
  await reader`commit`
  expect(await run.ended).toBe(0)
  expect(run.output()).toContain(`stands at block ${past - 1}`)
  await service.indexed(chainId, world.head())
  expect(await answersOf(service)).toEqual(await world.truth())
  await service.stop()
  reader.release()
  await sql.end()
})

test("a chain is built anew in bulk, killed in the middle, while the stored one answers as before", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const database = { DATABASE_URL: url, [`BULK_${chainId}`]: "on" }
  const older = await startService(world.settings({ ...database, ...unchanged, [`BULK_${chainId}`]: "off" }))
  await older.indexed(chainId, world.head())
  const stored = await answersOf(older)
  const settings = world.settings({ ...database, ...changed })
  /** With rows: what had only begun is begun anew. */
  const loading = async () =>
    (await sql.unsafe(`select from cowry_${chainId}_next_bulk.state where head_hash is not null`).catch(() => []))
      .length > 0
  const command = startCommand(resync, settings)
  for (const deadline = Date.now() + 60_000; !(await loading()) && Date.now() < deadline; ) await pause(5)
  // It was at work until then, and its load is left.
  expect(await command.stop("SIGKILL")).toBe(null)
  expect(await loading()).toBe(true)
  expect(await answersOf(older)).toEqual(stored)
  expect(await runCommand(resync, settings)).toMatchObject(done)
  expect(await loading()).toBe(false)
  const newer = await startService(settings)
  await newer.indexed(chainId, world.head())
  expect(await answersOf(newer)).toEqual(await world.truth())
  await Promise.all([older.stop(), newer.stop()])
  await sql.end()
})

test("a service in the middle of its first sync in bulk leaves the ledger alone that a resync puts there", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const database = { DATABASE_URL: url, [`BULK_${chainId}`]: "on" }
  world.node.faults.delay = () => 100
  const loading = await startService(world.settings({ ...database, ...unchanged }))
  const begun = () => sql`
    select from pg_tables where schemaname = ${`cowry_${chainId}_bulk`} and tablename = 'bulk_load'`
  while ((await begun()).length === 0) await pause(5)
  // Its next append waits for this row until the other ledger is there.
  const holder = await sql.reserve()
  await holder`begin`
  await holder.unsafe(`select from cowry_${chainId}_bulk.bulk_load for update`)
  world.node.faults.delay = () => 0
  const settings = world.settings({ ...database, ...changed })
  expect(await runCommand(resync, settings)).toMatchObject(done)
  await holder`commit`
  holder.release()
  expect((await untilPhase(loading, "stopped")).problem).toContain(`START_BLOCK_${chainId} was 100, is 0`)
  expect(await sql.unsafe(`select first_block, next_block from cowry_${chainId}.state`)).toMatchObject([
    { first_block: 100, next_block: past },
  ])
  const newer = await startService(settings)
  world.show(1)
  await newer.indexed(chainId, world.head())
  expect(await answersOf(newer)).toEqual(await world.truth())
  expect(await sql`select from pg_namespace where nspname = ${`cowry_${chainId}_bulk`}`).toHaveLength(0)
  await Promise.all([loading.stop(), newer.stop()])
  await sql.end()
})

test("killed while it builds, while it waits to swap and before the old ledger is gone, it goes on where it stopped", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const settings = world.settings({ DATABASE_URL: url, ...changed })
  const schemas = async () => {
    const rows = await sql`select nspname from pg_namespace where nspname like ${`cowry_${chainId}%`} order by 1`
    return rows.map(({ nspname }) => nspname as string)
  }
  const own = `cowry_${chainId}`
  // Where nothing is stored it is the first sync.
  expect(await runCommand(resync, world.settings({ DATABASE_URL: url, ...unchanged }))).toMatchObject(done)

  // A reader that takes its time: no run is done before it is seen to have built something.
  const reader = await sql.reserve()
  await reader`begin`
  await reader.unsafe(`select from ${own}.state`)
  world.node.faults.delay = () => 30
  for (const words of ["built anew from block 100", "an earlier run has come to block"]) {
    const run = startCommand(resync, settings)
    await run.printed(words)
    while (!(await schemas()).includes(`${own}_next`)) await pause(5)
    const [{ epoch } = { epoch: "0" }] = await sql.unsafe(`select epoch from ${own}_next.state`).catch(() => [])
    for (let now = epoch; now === epoch; await pause(5)) {
      now = (await sql.unsafe(`select epoch from ${own}_next.state`).catch(() => []))[0]?.epoch ?? epoch
    }
    await run.stop("SIGKILL")
  }
  world.node.faults.delay = () => 0

  // Killed while it waits for that reader, nothing has changed.
  const waiting = startCommand(resync, settings)
  await waiting.printed("waiting until nobody is in the stored ledger")
  await waiting.stop("SIGKILL")
  await reader`commit`
  expect(await schemas()).toEqual([own, `${own}_next`])
  expect(await sql.unsafe(`select first_block from ${own}.state`)).toMatchObject([{ first_block: 0 }])

  // Nobody reads a sequence, so only the removal of what was replaced waits for it.
  await sql.unsafe(`create sequence ${own}.held`)
  await reader`begin`
  await reader.unsafe(`select from ${own}.held`)
  const removing = startCommand(resync, settings)
  while ((await schemas()).join() !== [own, `${own}_old`].join()) await pause(20)
  await removing.stop("SIGKILL")
  // The server would end its statement without it.
  await sql`
    select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and query like 'drop schema%' and pid <> pg_backend_pid()`
  await reader`commit`
  reader.release()
  // The new ledger answers, so that run was done: run again it builds nothing where nothing else is wanted.
  const epoch = async () => (await sql.unsafe(`select epoch::text as epoch from ${own}.state`))[0]!.epoch as string
  const built = await epoch()
  expect(await runCommand(resync, settings)).toEqual({
    code: 0,
    output: expect.stringContaining(
      "that run was done, and its ledger answers. To build the chain anew once more run it again",
    ),
  })
  expect([await schemas(), await epoch()]).toEqual([[own], built])

  const service = await startService(settings)
  world.show(1)
  await service.indexed(chainId, world.head())
  expect(await schemas()).toEqual([own])
  expect(await answersOf(service)).toEqual(await world.truth())

  // No chain is dropped that is written, unasked, or not there.
  const drop = (words: ReadonlyArray<string>) => runCommand(["drop", ...words], { DATABASE_URL: url })
  expect(await drop([chainId, "--yes"])).toMatchObject({
    code: 1,
    output: expect.stringContaining(`chain ${chainId} is being written: stop the service`),
  })
  await service.stop()
  expect(await Promise.all([drop([chainId]), drop(["5", "--yes"])])).toMatchObject([
    { code: 2, output: expect.stringContaining("add --yes") },
    { code: 1, output: expect.stringContaining(`there are: ${chainId}`) },
  ])
  expect(await schemas()).toEqual([own])
  // One that waits for a reader says so.
  const slow = await sql.reserve()
  await slow`begin`
  await slow.unsafe(`select from ${own}.state`)
  const dropping = startCommand(["drop", chainId, "--yes"], { DATABASE_URL: url })
  await dropping.printed(`chain ${chainId}: waiting until nobody is in the stored ledger`)
  expect(await schemas()).toEqual([own])
  await slow`commit`
  slow.release()
  expect(await dropping.ended).toBe(0)
  expect(await schemas()).toEqual([])
  await sql.end()
})

test("where what was replaced cannot be removed the command is done, and says who removes it", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const settings = world.settings({ DATABASE_URL: url, ...changed })
  const isLeft = async () => (await sql`select from pg_namespace where nspname = ${`cowry_${chainId}_old`}`).length > 0
  expect(await runCommand(resync, world.settings({ DATABASE_URL: url, ...unchanged }))).toMatchObject(done)
  await sql.unsafe(`
    create function refuse_drop() returns event_trigger language plpgsql as $$ begin raise 'the disk is on fire'; end $$;
    create event trigger refuse_drop on ddl_command_start when tag in ('DROP SCHEMA') execute function refuse_drop()`)
  const { code, output } = await runCommand(resync, settings)
  expect([code, await isLeft()]).toEqual([0, true])
  expect(output).toMatch(/could not be removed \(.*the disk is on fire\)\. The service that has the chain does it/)
  expect(output).toContain("done. The new ledger stands at block")
  // Another that would be built for nothing is not begun.
  expect(await runCommand(resync, settings)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/removing what was replaced before failed: the disk is on fire/),
  })
  await sql.unsafe("drop event trigger refuse_drop")
  const service = await startService(settings)
  world.show(1)
  await service.indexed(chainId, world.head())
  expect(await isLeft()).toBe(false)
  expect(await answersOf(service)).toEqual(await world.truth())
  await service.stop()
  await sql.end()
})

test("the embedded database of a service is joined and outlives the command; without a service it is the command's own", async () => {
  using folder = ownFolder("cowry-resync-")
  const data = { DATA_DIR: join(folder.path, "data") }
  const settings = world.settings({ ...data, ...changed })
  const older = await startService(world.settings({ ...data, ...unchanged }))
  await older.indexed(chainId, world.head())
  const stored = await answersOf(older)

  world.node.faults.delay = () => 100
  const ended = startCommand(resync, settings)
  await ended.printed("goes on answering")
  expect(await ended.stop("SIGTERM")).toBe(143)
  expect(await answersOf(older)).toEqual(stored)

  const left = startCommand(resync, settings)
  await left.printed("goes on answering")
  expect(await older.stop()).toBe(0)
  expect(await left.ended).toBe(1)
  await left.stop()
  expect(left.output()).toContain("has ended. What was done until then stays; run the command again")
  world.node.faults.delay = () => 0

  expect(await runCommand(resync, settings)).toMatchObject(done)
  expect(existsSync(join(folder.path, "data/pgdata/postmaster.pid"))).toBe(false)
  const newer = await startService(settings)
  await newer.indexed(chainId, world.head())
  expect(await answersOf(newer)).toEqual(await world.truth())
  await newer.stop()
})
