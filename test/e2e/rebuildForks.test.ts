/** What `cowry resync` and `cowry add` have built stays, whatever fork their node is on, until it is asked to go. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import postgres from "postgres"
import { address } from "../support/chain/testChain.ts"
import { runCommand, startCommand } from "../support/command.ts"
import { testDatabase } from "../support/postgres.ts"
import { chainId, past, startWorld } from "../support/resync.ts"
import { startService } from "../support/service.ts"

const [forkAt, window] = [10, 20]
const [kept, left] = [address(0x7001), address(0x7002)]

let worlds: ReadonlyArray<ReturnType<typeof startWorld>>
beforeEach(() => {
  worlds = [startWorld(), startWorld(forkAt)]
})
afterEach(() => Promise.all(worlds.map(({ node }) => node.stop())))

test("what was built stays where the node is on another fork, and is begun anew where that is asked for", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const [right, other] = worlds as [ReturnType<typeof startWorld>, ReturnType<typeof startWorld>]
  const settingsOf = (world: ReturnType<typeof startWorld>, tokens: ReadonlyArray<string>) =>
    world.settings({
      DATABASE_URL: url,
      [`TOKENS_${chainId}`]: tokens.join(","),
      [`WRAPPED_NATIVE_${chainId}`]: "none",
    })
  const builtTo = async (): Promise<number> =>
    (await sql.unsafe(`select next_block from cowry_${chainId}_next.state`).catch(() => []))[0]?.next_block ?? 0

  for (const [name, world, stranger, tokens] of [
    ["resync", right, other, [kept]],
    ["add", right, other, [kept, left]],
  ] as const) {
    const words = [name, chainId]
    world.node.faults.delay = () => 60
    const stopped = startCommand(words, settingsOf(world, tokens))
    let isOver = false
    void stopped.ended.then(() => {
      isOver = true
    })
    while ((await builtTo()) < forkAt + 2 * window) {
      // It would be waited for without an end.
      expect([isOver, stopped.output()]).toEqual([false, expect.any(String)])
      await pause(5)
    }
    await stopped.stop("SIGKILL")
    const built = await builtTo()
    expect(built).toBeLessThan(past)

    const { code, output } = await runCommand(words, settingsOf(stranger, tokens))
    expect({ code, output, built: await builtTo() }).toEqual({
      code: 1,
      output: expect.stringMatching(/^cowry \w+: .*What was built stays/mu),
      built,
    })
    expect(output).toContain(`cowry ${name} ${chainId} --anew`)
    expect(output).not.toContain("nothing was changed")

    world.node.faults.delay = () => 0
    const anew = await runCommand([...words, "--anew"], settingsOf(world, tokens))
    expect(anew).toMatchObject({ code: 0, output: expect.stringContaining("what an earlier run had built is removed") })
    expect(await builtTo()).toBe(0)
    expect(await sql.unsafe(`select next_block from cowry_${chainId}.state`)).toMatchObject([{ next_block: past }])
  }
  await sql.end()
})

test("what nobody goes on with is told of where the ledger is opened, and removed beside a service that answers", async () => {
  const url = await testDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const own = `cowry_${chainId}`
  for (const schema of [`${own}_next`, `${own}_next_bulk`]) await sql.unsafe(`create schema ${schema}`)
  const [{ settings, head }] = worlds as [ReturnType<typeof startWorld>]
  const service = await startService(settings({ DATABASE_URL: url }))
  await service.indexed(chainId, head())
  expect(service.output()).toContain(`cowry drop ${chainId} --next`)

  const dropNext = () => runCommand(["drop", chainId, "--next", "--yes"], { DATABASE_URL: url })
  expect(await dropNext()).toEqual({ code: 0, output: `chain ${chainId}: what was built beside it is removed\n` })
  expect(await dropNext()).toMatchObject({ code: 1, output: expect.stringContaining("nothing is built beside it") })
  const left = await sql`select nspname from pg_namespace where nspname like ${`${own}%`}`
  expect(left.map(({ nspname }) => nspname)).toEqual([own])
  await service.indexed(chainId, head())
  await service.stop()
  await sql.end()
})
