/** Tokens that are added to a stored ledger: every table against a ledger that had them from the start, and against a naive fold. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Exit, Fiber, ManagedRuntime, Scope } from "effect"
import fc from "fast-check"
import postgres from "postgres"
import { Database } from "../../src/adapters/postgres/database/Database.ts"
import { canonical, digestOf, ledgerVersion } from "../../src/adapters/postgres/database/ledgerSettings.ts"
import { ledgerMigrations, migrate } from "../../src/adapters/postgres/database/migrate.ts"
import * as PostgresDatabase from "../../src/adapters/postgres/database/PostgresDatabase.ts"
import { checkLedger } from "../../src/adapters/postgres/database/registry.ts"
import { copiedTables, joinedTables, keptTables } from "../../src/adapters/postgres/rebuild/mergeTables.ts"
import {
  claimChain,
  findAddition,
  holdStored,
  letStoredGo,
  mergeAdded,
  NextLedger,
} from "../../src/adapters/postgres/rebuild/rebuild.ts"
import { movementsOf, sortLogs } from "../../src/domain/ingest/decode/sorting.ts"
import type { Address, ChainId } from "../../src/model/primitives.ts"
import { Ledger, type LedgerWriter } from "../../src/ports/Ledger.ts"
import { freshChainId, settingsOf } from "../contracts/store.ts"
import { anyBlock, anyChain, weth } from "../support/chain/anyEvents.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { problemOf } from "../support/failure.ts"
import { contentOfTables, findDisorder, type LedgerDatabase, openLedgers } from "./ledger/ledger.support.ts"
import { naiveContent } from "./ledger/naiveLedger.ts"

let ledgers: LedgerDatabase
let commands: ManagedRuntime.ManagedRuntime<Database, unknown>
beforeAll(async () => {
  ledgers = await openLedgers()
  commands = ManagedRuntime.make(PostgresDatabase.layer({ url: ledgers.url }))
})
afterAll(async () => {
  await commands.dispose()
  await ledgers.close()
})

/** All that any event is of, and one that never has a log. */
const everyToken = [0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x7f].map(address)

/** The chain as a node gives it that is asked for these tokens' logs alone. */
const narrowed = (chain: TestChain, tokens: ReadonlyArray<Address>): TestChain => {
  const narrow = new TestChain(chain.wrappedNative, chain.firstBlock)
  const contracts = {
    wrappedNative: chain.wrappedNative,
    swaps: false,
    poolManagers: new Set<Address>(),
    tokens: new Set(tokens),
  }
  for (const block of chain.blocks) {
    const logs = block.logs.filter((log) => tokens.includes(log.address))
    const sorted = sortLogs(logs, contracts)
    narrow.blocks.push({ ...block, logs, ...movementsOf(sorted, contracts, () => block.header.time), initialized: [] })
  }
  return narrow
}

const settings = (chainId: ChainId, tokens: ReadonlyArray<Address>) =>
  settingsOf({ chainId, firstBlock: 250, wrappedNative: [weth], swaps: false, tokens })

/** A writer of the ledger beside the stored one. */
const openBeside = async (chainId: ChainId, tokens: ReadonlyArray<Address>) => {
  const scope = Effect.runSync(Scope.make())
  const writer = await commands.runPromise(
    Ledger.use((ledger) => ledger.open(settings(chainId, tokens))).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provide(NextLedger.layer({})),
    ),
  )
  return { writer, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** As the command does it once both stand at the same block. `cut`: the session is lost before the end. */
const merge = (chainId: ChainId, tokens: ReadonlyArray<Address>, cut = false) =>
  commands.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* Database
        const session = yield* claimChain(database, chainId)
        const addition = yield* findAddition(database, chainId, () => settings(chainId, tokens))
        yield* holdStored(database, session, chainId)
        if (cut) {
          const merging = session.sql`select from ${session.sql(`cowry_${chainId}.token`)}`
          yield* Effect.promise(() => merging)
          const lost = { ...session, run: counted(session.run, 9) }
          const failed = yield* Effect.flip(mergeAdded(database, lost, settings(chainId, tokens), addition, 7))
          yield* letStoredGo(session)
          return failed
        }
        return yield* mergeAdded(database, session, settings(chainId, tokens), addition, 7)
      }),
    ),
  )

/** A stored ledger of one token, and beside it one of all others, at the same block. */
const startBoth = async (chainId: ChainId) => {
  const chain = anyChain(250).block([transfer(everyToken[0]!, address(1), address(2), 1n)])
  chain.block([transfer(everyToken[1]!, address(1), address(2), 1n)])
  const stored = await ledgers.open(settings(chainId, everyToken.slice(0, 1)))
  const beside = await openBeside(chainId, everyToken.slice(1))
  const write = (writer: LedgerWriter, tokens: ReadonlyArray<Address>) =>
    ledgers.run(writer.append(narrowed(chain, tokens).segment(250)))
  await write(stored.writer, everyToken.slice(0, 1))
  await write(beside.writer, everyToken.slice(1))
  await beside.close()
  await stored.close()
}

/** Statements go through until so many were sent. */
const counted = <Run extends (statement: never) => Promise<unknown>>(run: Run, most: number): Run => {
  let sent = 0
  return ((statement: never) =>
    ++sent > most ? Promise.reject(new Error("the server went away")) : run(statement)) as Run
}

/** What the two have beside the tables that `contentOfTables` tells. */
const restOf = async (chainId: ChainId) => {
  const from = (table: string) => ledgers.sql(`cowry_${chainId}.${table}`)
  const [state] = await ledgers.sql`
    select settings, settings_digest, first_block, skipped_odd, full_from, odd_from, wraps_from from ${from("state")}`
  return {
    state,
    clock: [
      ...(await ledgers.sql`select block, time, encode(hash, 'hex') as hash from ${from("clock")} order by block`),
    ],
    numbers: [
      ...(await ledgers.sql`
        select encode(t.address, 'hex') as token, t.standard, s.holder_seq, s.unit_seq
        from ${from("token")} t join ${from("token_stat")} s using (token_id) order by t.address, t.standard`),
    ],
  }
}
const tablesOf = async (chainId: ChainId) => JSON.parse(JSON.stringify(await contentOfTables(ledgers.sql, chainId)))

const blocks = fc.array(anyBlock, { minLength: 1, maxLength: 8 })
const runs = Number(process.env.ADD_TOKENS_RUNS ?? 2)

test("a ledger that tokens were added to is what one is that had them from the start, whatever was taken back before and after", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ grow: blocks, back: fc.nat(5), bulk: fc.boolean() }), { minLength: 1, maxLength: 3 }),
      fc.array(fc.record({ grow: blocks, back: fc.nat(5) }), { maxLength: 2 }),
      fc.subarray(everyToken, { minLength: 1, maxLength: everyToken.length - 1 }),
      async (before, after, added) => {
        const chain = anyChain(250)
        const kept = everyToken.filter((token) => !added.includes(token))
        const [chainId, whole] = [freshChainId(), freshChainId()]
        let [salt, nodeHead] = [0, 0]
        const grow = (more: (typeof before)[number]["grow"]) => {
          const from = chain.nextBlock
          for (const { events, pause } of more) {
            const time = (chain.blocks.at(-1)?.header.time ?? chain.genesisTime) + pause
            chain.block(events, { salt: String(salt), logIndex: salt, time })
          }
          nodeHead = chain.nextBlock - 1
          return from
        }
        const write = (writer: LedgerWriter, tokens: ReadonlyArray<Address>, from: number) =>
          ledgers.run(writer.append(narrowed(chain, tokens).segment(from, undefined, { finalizedBlock: 249 })))
        const stored = await ledgers.open(settings(chainId, kept))
        const start = await ledgers.open(settings(whole, everyToken))
        let beside = await openBeside(chainId, added)
        for (const { grow: more, back, bulk } of before) {
          const from = grow(more)
          const inBulk = bulk && from === 250
          if (inBulk) await ledgers.run(beside.writer.bulk!.begin)
          for (const [writer, tokens] of [
            [stored.writer, kept],
            [beside.writer, added],
            [start.writer, everyToken],
          ] as const) {
            await write(writer, tokens, from)
          }
          // Left in the middle, and taken up again.
          await beside.close()
          beside = await openBeside(chainId, added)
          while (inBulk && (await ledgers.run(beside.writer.bulk!.derive)));
          const to = Math.max(251, chain.nextBlock - back)
          if (to === chain.nextBlock) continue
          for (const { writer } of [stored, beside, start]) await ledgers.run(writer.rollback(to))
          chain.truncate(to)
          salt++
        }
        await beside.close()
        const former = await tablesOf(chainId)
        expect(await merge(chainId, everyToken, true)).toMatchObject({ _tag: "RebuildFailed" })
        expect(await tablesOf(chainId)).toEqual(former)
        await merge(chainId, everyToken)
        const head = chain.nextBlock - 1
        const check = async () => {
          const content = await tablesOf(chainId)
          expect(content).toEqual(await tablesOf(whole))
          expect(content).toEqual(naiveContent(narrowed(chain, everyToken), 249, nodeHead))
          const [got, wanted] = [await restOf(chainId), await restOf(whole)]
          expect(got).toEqual(wanted)
          expect([...(await findDisorder(ledgers.sql, chainId))]).toEqual([])
        }
        await check()
        const left = await ledgers.sql`select from pg_namespace where nspname like ${`cowry_${chainId}_%`}`
        expect(left).toHaveLength(0)

        // Who wrote with the former tokens writes no more.
        const other = narrowed(anyChainOf(chain), kept).segment(head + 1)
        expect(await Effect.runPromise(Effect.flip(stored.writer.append(other)))).toMatchObject({
          _tag: "LedgerUnavailable",
        })
        await stored.close()
        const joined = await ledgers.open(settings(chainId, everyToken))
        for (const { grow: more, back } of after) {
          const from = grow(more)
          await write(joined.writer, everyToken, from)
          await write(start.writer, everyToken, from)
          const to = Math.max(251, chain.nextBlock - back)
          if (to < chain.nextBlock) {
            for (const { writer } of [joined, start]) await ledgers.run(writer.rollback(to))
            chain.truncate(to)
            salt++
          }
          await check()
        }
        await joined.close()
        await start.close()
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )
})

/** The same chain with a block more. */
const anyChainOf = (chain: TestChain): TestChain => {
  const longer = anyChain(chain.firstBlock)
  longer.blocks.push(...chain.blocks)
  return longer.block([transfer(everyToken[1]!, address(1), address(2), 1n)])
}

test("every table of a ledger is either taken over or stays", async () => {
  const chainId = freshChainId()
  const { close } = await ledgers.open({ chainId })
  const tables = await ledgers.sql<Array<{ name: string }>>`
    select tablename as name from pg_tables where schemaname = ${`cowry_${chainId}`}`
  await close()
  expect([...Object.keys(copiedTables), ...joinedTables, ...keptTables].sort()).toEqual(
    tables.map(({ name }) => name).sort(),
  )
})

test("tokens are added to a ledger that differs in nothing else, and lacks none that it has", async () => {
  const chainId = freshChainId()
  const find = (wanted: Partial<ReturnType<typeof settings>>) =>
    commands.runPromise(
      Effect.result(
        Database.use((database) =>
          findAddition(database, chainId, () => ({ ...settings(chainId, everyToken), ...wanted })),
        ),
      ),
    )
  const refusal = (message: string) => ({ _tag: "Failure", failure: { message: expect.stringContaining(message) } })
  expect(await find({})).toMatchObject(refusal("nothing is stored"))
  const kept = everyToken.slice(0, 2)
  const { writer, close } = await ledgers.open(settings(chainId, kept))
  expect(await find({})).toMatchObject(refusal("is empty"))
  await ledgers.run(writer.append(narrowed(anyChain(250).block([]), kept).segment(250)))
  await close()
  expect(await find({ tokens: [...everyToken, everyToken[0]!] })).toMatchObject({
    _tag: "Success",
    success: { kept, added: everyToken.slice(2) },
  })
  expect(await find({ tokens: kept })).toMatchObject({ success: { added: [] } })
  expect(await find({ tokens: everyToken.slice(1) })).toMatchObject(refusal(`lacks ${everyToken[0]!}, which`))
  expect(await find({ firstBlock: 7 })).toMatchObject(refusal(`cowry resync ${chainId}`))
  const { tokens: _, ...every } = settings(chainId, kept)
  expect(
    await commands.runPromise(Effect.result(Database.use((database) => findAddition(database, chainId, () => every)))),
  ).toMatchObject(refusal("every token"))
})

test("tokens are not added to tables of another version: nothing is read for them, and the way out is said", async () => {
  const chainId = freshChainId()
  const schema = `cowry_${chainId}`
  const find = () =>
    commands.runPromise(
      Effect.result(Database.use((database) => findAddition(database, chainId, () => settings(chainId, everyToken)))),
    )
  const refusal = (words: string) => ({
    _tag: "Failure",
    failure: { message: expect.stringContaining(`the stored ledger has the tables of ${words}`) },
  })
  await migrate(ledgers.sql, schema, ledgerMigrations.slice(0, 1))
  const stored = canonical(settings(chainId, everyToken.slice(0, 2)))
  await ledgers.sql`
    insert into ${ledgers.sql(`${schema}.state`)} (ledger_version, settings_digest, settings, first_block, next_block, head_hash)
    values (${ledgerVersion}, ${digestOf(stored)}, ${JSON.stringify(stored)}, 250, 251, ${Buffer.alloc(32)})`
  for (let count = 1; count < ledgerMigrations.length; count++) {
    await migrate(ledgers.sql, schema, ledgerMigrations.slice(0, count))
    expect(await find()).toMatchObject(refusal("an older version: start a service of this version once"))
  }
  await migrate(ledgers.sql, schema, ledgerMigrations)
  expect(await find()).toMatchObject({ _tag: "Success", success: { added: everyToken.slice(2) } })
  await ledgers.sql`insert into ${ledgers.sql(`${schema}.migration`)} (file, sha256) values ('999_later.sql', '')`
  expect(await find()).toMatchObject(refusal("a newer version: run the command of that version"))
})

test("who is in the way of the addition makes it give way, not fail: it is tried again", async () => {
  const chainId = freshChainId()
  await startBoth(chainId)
  const former = await tablesOf(chainId)
  const other = postgres(ledgers.url, { max: 1, onnotice: () => {} })
  const schema = `cowry_${chainId}`
  // As a writer does that is in the middle of a block: it has a row that is to come, and waits for `state`.
  await other.unsafe(`begin; set local deadlock_timeout = '1min'`)
  await other.unsafe(`insert into ${schema}.erc20_transfer select * from ${schema}_next.erc20_transfer`)
  const tried = commands.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* Database
        const session = yield* claimChain(database, chainId)
        const addition = yield* findAddition(database, chainId, () => settings(chainId, everyToken))
        yield* holdStored(database, session, chainId)
        const waits = other.unsafe(`update ${schema}.state set revision = revision`).execute()
        const given = yield* mergeAdded(database, session, settings(chainId, everyToken), addition, 7)
        yield* letStoredGo(session)
        yield* Effect.promise(() => waits)
        yield* Effect.promise(() => other.unsafe("rollback"))
        return given
      }),
    ),
  )
  expect(await tried).toBeUndefined()
  await other.end()
  expect(await tablesOf(chainId)).toEqual(former)
  expect(await merge(chainId, everyToken)).toBe(1)
})

test("a cancel request that was meant for another statement does not end the addition", async () => {
  const chainId = freshChainId()
  await startBoth(chainId)
  const schema = `cowry_${chainId}`
  const other = postgres(ledgers.url, { max: 1, onnotice: () => {} })
  const cancelWaiting = async (text: string) => {
    const hit = () => ledgers.sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and strpos(query, ${text}) > 0`
    while ((await hit()).length === 0) await Bun.sleep(20)
  }
  const tried = commands.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* Database
        const session = yield* claimChain(database, chainId)
        const addition = yield* findAddition(database, chainId, () => settings(chainId, everyToken))
        yield* Effect.promise(() => other.unsafe(`begin; lock table ${schema}.price_gap`))
        const holding = yield* Effect.forkChild(holdStored(database, session, chainId))
        yield* Effect.promise(() => cancelWaiting("lock table"))
        yield* Effect.promise(() => other.unsafe("rollback"))
        yield* Fiber.join(holding)
        yield* Effect.promise(() =>
          other.unsafe(`begin; insert into ${schema}.erc20_transfer select * from ${schema}_next.erc20_transfer`),
        )
        const merging = yield* Effect.forkChild(
          mergeAdded(database, session, settings(chainId, everyToken), addition, 7),
        )
        yield* Effect.promise(() => cancelWaiting("erc20_transfer"))
        const given = yield* Fiber.join(merging)
        yield* letStoredGo(session)
        yield* Effect.promise(() => other.unsafe("rollback"))
        return given
      }),
    ),
  )
  expect(await tried).toBeUndefined()
  await other.end()
  expect(await merge(chainId, everyToken)).toBe(1)
})

test("hours whose prices were asked for are asked for once more, newest first, for the tokens that came", async () => {
  const [priced, left] = [freshChainId(), freshChainId()]
  const gapsOf = async (chainId: ChainId) => [
    ...(await ledgers.sql`select from_hour, to_hour from ${ledgers.sql(`cowry_${chainId}.price_gap`)}`),
  ]
  for (const chainId of [priced, left]) {
    await startBoth(chainId)
    const put = (statement: string) => ledgers.sql.unsafe(statement.replaceAll("$", `cowry_${chainId}.`))
    await put("insert into $price_point values (1, 0, 9, 1), (1, 500, 523, 1), (1, 600, 623, 1)")
    await put("insert into $price_progress (next_hour) values (601)")
    if (chainId === left) await put("insert into $price_gap values (400, 450), (510, 520)")
    await merge(chainId, everyToken)
  }
  expect(await gapsOf(priced)).toEqual([{ from_hour: 500, to_hour: 601 }])
  expect(await gapsOf(left)).toEqual([{ from_hour: 400, to_hour: 601 }])
  const points = await ledgers.sql`select hour from ${ledgers.sql(`cowry_${priced}.price_point`)} order by hour`
  expect(points.map(({ hour }) => hour)).toEqual([0, 500, 600])
})

test("hours that were asked for in vain are asked for once more, as far back as a source is asked and the ledger goes", async () => {
  const gapsAfter = async (firstHour: number, put: string, nextHour = true) => {
    const chainId = freshChainId()
    await startBoth(chainId)
    const run = (statement: string) => ledgers.sql.unsafe(statement.replaceAll("$", `cowry_${chainId}.`))
    await run(`update $clock set time = ${firstHour * 3600 + 1800}`)
    if (nextHour) await run("insert into $price_progress (next_hour) values (601)")
    if (put !== "") await run(put)
    await merge(chainId, everyToken)
    const gaps = await run("select from_hour, to_hour from $price_gap")
    return gaps.map(({ from_hour, to_hour }) => [from_hour, to_hour])
  }
  expect(await gapsAfter(100, "")).toEqual([[433, 601]])
  expect(await gapsAfter(550, "")).toEqual([[550, 601]])
  expect(await gapsAfter(100, "insert into $price_point values (1, 500, 523, 1)")).toEqual([[433, 601]])
  expect(await gapsAfter(100, "insert into $price_point values (1, 300, 323, 1)")).toEqual([[300, 601]])
  // None was asked for yet.
  expect(await gapsAfter(100, "", false)).toEqual([])
})

test("on a distributed server it refuses in words, and names the way", async () => {
  const refused = await commands.runPromise(
    Database.use((database) =>
      Effect.flip(
        findAddition({ ...database, distributed: () => true }, freshChainId(), () =>
          settings("1" as ChainId, everyToken),
        ),
      ),
    ),
  )
  expect(refused.message).toMatch(
    /^tokens are not added on a distributed server, where the two ledgers may lie on two workers: cowry resync \d+ builds/,
  )
})

test("a ledger that lacks tokens is refused with the addition as a way, but not on a distributed server, where there is none", async () => {
  const chainId = freshChainId()
  const open = await ledgers.open(settings(chainId, everyToken.slice(0, 2)))
  const chain = anyChain(250)
  chain.block([], {})
  await ledgers.run(open.writer.append(chain.segment(250)))
  await open.close()
  const refusalOn = (isDistributed: boolean) =>
    commands.runPromise(
      Database.use((database) =>
        Effect.promise(() =>
          problemOf(checkLedger({ ...database, distributed: () => isDistributed }, settings(chainId, everyToken))),
        ),
      ),
    )
  const resynced = `or have the chain built anew, while what is stored goes on answering, by: cowry resync ${chainId}`
  expect(await refusalOn(false)).toEndWith(
    `. Set them back, or have the tokens added, while what is stored goes on answering, by: cowry add ${chainId}, ${resynced}`,
  )
  expect(await refusalOn(true)).toEndWith(`. Set them back, ${resynced}`)
})
