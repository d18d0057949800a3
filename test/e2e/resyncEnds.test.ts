/** `cowry resync` that ends between its swap and the removal of what it replaced: the new ledger answers, so it is done. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import postgres from "postgres"
import { runCommand, startCommand } from "../support/command.ts"
import { testDatabase } from "../support/postgres.ts"
import { chainId, changed, startWorld } from "../support/resync.ts"

let world: ReturnType<typeof startWorld>
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.node.stop())

test("ended after its swap it is done, and with other settings it builds anew, whatever it has left", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const settings = world.settings({ DATABASE_URL: url, ...changed })
  const own = `cowry_${chainId}`
  const schemas = async () => {
    const rows = await sql`select nspname from pg_namespace where nspname like ${`${own}%`} order by 1`
    return rows.map(({ nspname }) => nspname as string)
  }
  expect(await runCommand(["resync", chainId], settings)).toMatchObject({ code: 0 })

  // Nobody reads a sequence, so only the removal of what was replaced waits for it.
  await sql.unsafe(`create sequence ${own}.held`)
  const reader = await sql.reserve()
  await reader`begin`
  await reader.unsafe(`select from ${own}.held`)
  const removing = startCommand(["resync", chainId], settings)
  await removing.printed("the new ledger answers now; what was replaced is being removed")
  expect(await removing.stop("SIGTERM")).toBe(0)
  // The server would end its statement without it.
  await sql`
    select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and query like 'drop schema%' and pid <> pg_backend_pid()`
  await reader`commit`
  reader.release()
  expect(await schemas()).toEqual([own, `${own}_old`])

  // With other settings it is another run, whatever an earlier one has left.
  const other = world.settings({ DATABASE_URL: url })
  const { code, output } = await runCommand(["resync", chainId], other)
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("built anew from block 0") })
  expect(await schemas()).toEqual([own])
  await sql.end()
})
