/** `cowry add` as an operator runs it: beside a service that follows the chain, killed at any instant, reorgs between. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import postgres from "postgres"
import { address } from "../support/chain/testChain.ts"
import { startCommand } from "../support/command.ts"
import { testDatabase } from "../support/postgres.ts"
import { answersOf, chainId, hammer, startWorld, untilPhase } from "../support/resync.ts"
import { startService } from "../support/service.ts"

let world: ReturnType<typeof startWorld>
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.node.stop())

const [kept, left, weth, unheard] = [0x7001, 0x7002, 0x7003, 0x7004].map(address)
const tokens = (...list: ReadonlyArray<string | undefined>) => ({
  [`TOKENS_${chainId}`]: list.join(","),
  [`WRAPPED_NATIVE_${chainId}`]: weth!,
})
const add = ["add", chainId]
/** A start of the program costs seconds. */
const kills = Number(process.env.ADD_TOKENS_KILLS ?? 1)

test("tokens come into the ledger of a service that goes on, however often the command is killed", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const [former, wanted] = [tokens(kept), tokens(kept, left, weth, unheard)]
  const database = { DATABASE_URL: url }
  const older = await startService(world.settings({ ...database, ...former }))
  await older.indexed(chainId, world.head())
  const settings = world.settings({ ...database, ...wanted })

  world.node.faults.delay = () => 30
  const blockOf = async () =>
    Number((await sql.unsafe(`select next_block from cowry_${chainId}_next.state`).catch(() => []))[0]?.next_block ?? 0)
  for (let kill = 0; kill < kills; kill++) {
    const run = startCommand(add, settings)
    await run.printed("to be added")
    const before = await blockOf()
    while ((await blockOf()) <= before) await pause(5)
    await run.stop("SIGKILL")
  }
  world.node.faults.delay = () => 0

  // The chain grows while the tokens come: both ledgers go on, and meet.
  const growing = setInterval(() => world.show(1), 60)
  const stored = await answersOf(older)
  expect(JSON.stringify(stored)).not.toContain(left!)
  // The connection that holds the claim on the chain is lost while the tokens are read: the command takes it anew.
  world.node.faults.delay = () => 30
  const run = startCommand(add, settings)
  await run.printed("to be added")
  const claims = await sql.unsafe(`
    select pid, pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
      and ((classid::int8 << 32) | objid::int8) = hashtextextended('rebuild cowry_${chainId}', 0)`)
  expect(claims).toHaveLength(1)
  world.node.faults.delay = () => 0
  expect({ code: await run.ended, output: run.output() }).toMatchObject({
    code: 0,
    output: expect.stringContaining("done. 2 tokens were added at block"),
  })
  clearInterval(growing)
  expect(await sql`select from pg_namespace where nspname = ${`cowry_${chainId}_next`}`).toHaveLength(0)
  world.show(1)
  expect((await untilPhase(older, "stopped")).problem).toContain(`TOKENS_${chainId} was`)

  const newer = await startService(settings)
  const start = await startService(world.settings({ DATABASE_URL: await testDatabase(), ...wanted }))
  for (const blocks of [0, 5]) {
    world.show(blocks)
    for (const service of [newer, start]) await service.indexed(chainId, world.head())
    const truth = await answersOf(start)
    expect(JSON.stringify(truth)).toContain(left!)
    const reader = hammer(newer, [truth])
    await reader.end()
  }
  await Promise.all([older.stop(), newer.stop(), start.stop()])
  await sql.end()
})
