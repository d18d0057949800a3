/** A ledger built beside the stored one, put in its place, or dropped: what its writers and readers see of that. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { Duration, Effect, Exit, Logger, ManagedRuntime, Scope } from "effect"
import postgres from "postgres"
import { Database } from "../../src/adapters/postgres/database/Database.ts"
import { ledgerVersion } from "../../src/adapters/postgres/database/ledgerSettings.ts"
import { ledgerMigrations, migrate } from "../../src/adapters/postgres/database/migrate.ts"
import * as PostgresDatabase from "../../src/adapters/postgres/database/PostgresDatabase.ts"
import { tryTakePlace } from "../../src/adapters/postgres/ledger/bulk/place.ts"
import { clearLeftOver } from "../../src/adapters/postgres/ledger/leftOver.ts"
import type { Session } from "../../src/adapters/postgres/ledger/wire/session.ts"
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import {
  carryAudits,
  carryZeroAddressHolders,
  claimChain,
  dropChain,
  forgetNext,
  keepClaim,
  keepWritersOut,
  NextLedger,
  progressOf,
  RebuildFailed,
  swapIn,
} from "../../src/adapters/postgres/rebuild/rebuild.ts"
import { confirmSwapped } from "../../src/adapters/postgres/rebuild/swapOutcome.ts"
import { StoreUnavailable } from "../../src/model/errors.ts"
import type { Pin } from "../../src/model/page.ts"
import { type ChainId, zeroAddress } from "../../src/model/primitives.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { KeptTransactions } from "../../src/ports/KeptTransactions.ts"
import { Ledger, type LedgerSettings, type LedgerWriter } from "../../src/ports/Ledger.ts"
import { TokenNotes } from "../../src/ports/TokenNotes.ts"
import { TrustedTokens } from "../../src/ports/TrustedTokens.ts"
import { contentOf } from "../contracts/content.ts"
import { freshChainId, openStore, settingsOf, type TestStore } from "../contracts/store.ts"
import { address, hash, TestChain, transfer } from "../support/chain/testChain.ts"
import { testDatabase } from "../support/postgres.ts"
import { hearStatements } from "./database/lint.ts"

const [token, alice, bob] = [address(0x70), address(0xa), address(0xb)]
const chain = new TestChain()
for (let block = 0; block < 10; block++)
  chain.block([transfer(token, zeroAddress, alice, 5n), transfer(token, alice, bob, 2n)])
const changed = { tokens: [token] }

const heard = hearStatements()
let url: string
let sql: postgres.Sql
let store: TestStore
let commands: ManagedRuntime.ManagedRuntime<Database, unknown>
beforeAll(async () => {
  url = await testDatabase()
  sql = postgres(url, { max: 3, onnotice: () => {} })
  store = await openStore(async () => PostgresStore.layer({ url }))
  commands = ManagedRuntime.make(PostgresDatabase.layer({ url, observe: heard.observe }))
})
afterAll(async () => {
  // What a distributed server could not run.
  expect(heard.faults()).toEqual([])
  expect(heard.count()).toBeGreaterThan(10)
  await store.close()
  await commands.dispose()
  await sql.end()
})

/** A writer that is closed by itself. */
const open = async (settings: Partial<LedgerSettings> & { chainId: string }, next = false) => {
  const scope = Effect.runSync(Scope.make())
  const opening = Ledger.use((ledger) => ledger.open(settingsOf(settings))).pipe(
    Effect.provideService(Scope.Scope, scope),
  )
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    const writer = await (next
      ? commands.runPromise(opening.pipe(Effect.provide(NextLedger.layer({}))))
      : store.run(opening))
    return { writer, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Builds blocks 0 to `head` of the chain, beside or where it belongs. */
const build = async (settings: Partial<LedgerSettings> & { chainId: string }, head: number, next = false) => {
  const { writer, close } = await open(settings, next)
  const { nextBlock } = await Effect.runPromise(writer.checkpoint)
  if (nextBlock <= head) await Effect.runPromise(writer.append(chain.segment(nextBlock, head)))
  await close()
}

type Command<A> = (
  database: typeof Database.Service,
  session: Effect.Success<ReturnType<typeof claimChain>>,
) => Effect.Effect<A, unknown>
const command = <A>(chainId: ChainId, work: Command<A>) =>
  commands.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* Database
        return yield* work(database, yield* claimChain(database, chainId))
      }),
    ),
  )
const swap = (chainId: ChainId) => command(chainId, (database, session) => swapIn(database, session, chainId, () => {}))
const drop = (chainId: ChainId) =>
  command(chainId, (database, session) =>
    Effect.andThen(keepWritersOut(database, session, chainId), () => dropChain(database, session, chainId, () => {})),
  )
const standing = (chainId: ChainId) => command(chainId, (database) => progressOf(database, chainId))
const stateOf = async (chainId: string) =>
  (await sql.unsafe(`select epoch::int8, revision::int8, next_block from cowry_${chainId}.state`))[0]!
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => ({ tag: error._tag, message: error.message }),
  )

test("a writer of the old ledger writes nothing to the new one, whether it was at work or waited for its turn", async () => {
  const chainId = freshChainId()
  await build({ chainId }, 4)
  const atWork = await open({ chainId })
  const [{ began }] = await sql<[{ began: string }]>`select clock_timestamp()::text as began`
  let ended: unknown
  const waiting = failureOf(open({ chainId }))
  waiting.then((failure) => {
    ended = { failure }
  })
  // It is let in by the ledger's settings, and waits for the lock by looks: also where one from just before said it was free.
  const waits = () =>
    sql`select from pg_stat_activity where query like '%from pg_locks%' and datname = current_database()
          and application_name = 'cowry' and query_start > ${began}::text::timestamptz`
  while ((await waits()).length === 0) {
    expect(ended).toBeUndefined()
    await Bun.sleep(10)
  }
  await build({ chainId, ...changed }, 4, true)
  const before = await stateOf(chainId)
  await swap(chainId)
  const after = await stateOf(chainId)
  expect(BigInt(after.revision)).toBeGreaterThan(BigInt(before.revision))

  expect(await failureOf(Effect.runPromise(atWork.writer.append(chain.segment(5, 5))))).toMatchObject({
    tag: "LedgerUnavailable",
  })
  await atWork.close()
  expect(await waiting).toMatchObject({ tag: "LedgerRefused", message: expect.stringContaining("TOKENS_") })
  expect(await stateOf(chainId)).toEqual(after)
  expect(await sql.unsafe(`select from cowry_${chainId}.erc20_transfer where pos >= ${5 * 2 ** 24}`)).toHaveLength(0)
  await build({ chainId, ...changed }, 9)
  expect((await stateOf(chainId)).next_block).toBe(10)
})

/** What a writer does in the empty ledger before another one is put in its place, and what it would do next. */
const loads = {
  "is about to begin a load": async () => (writer: LedgerWriter) => writer.bulk!.begin,
  loads: async (writer: LedgerWriter) => {
    await Effect.runPromise(writer.bulk!.begin)
    await Effect.runPromise(writer.append(chain.segment(0, 4)))
    return () => writer.append(chain.segment(5, 6))
  },
  "has nothing to load, and looks": async (writer: LedgerWriter) => {
    await Effect.runPromise(writer.bulk!.begin)
    return () => writer.confirm
  },
  "has all but taken its place": async (writer: LedgerWriter, chainId: ChainId) => {
    await Effect.runPromise(writer.bulk!.begin)
    await Effect.runPromise(writer.append(chain.segment(0, 4)))
    const stage = async () => (await sql.unsafe(`select stage from cowry_${chainId}_bulk.bulk_load`))[0]!.stage
    while ((await stage()) !== "whole") await Effect.runPromise(writer.bulk!.derive)
    return () => writer.bulk!.derive
  },
}

test.each(Object.keys(loads) as Array<keyof typeof loads>)(
  "a writer of the empty ledger that %s does not take the place of the one that was put there",
  async (at) => {
    // Of the same settings it is the same look at who is there, which the last of them takes.
    for (const settings of at === "has all but taken its place" ? [changed, {}] : [changed]) {
      const chainId = freshChainId()
      const { writer, close } = await open({ chainId })
      const next = await loads[at](writer, chainId)
      await build({ chainId, ...settings }, 7, true)
      await swap(chainId)
      const after = await stateOf(chainId)
      expect(await failureOf(Effect.runPromise(next(writer)))).toMatchObject({ tag: "LedgerUnavailable" })
      await close()
      expect(await stateOf(chainId)).toEqual(after)
      // What is left of the load goes when the ledger is open again.
      if (settings === changed) {
        const refused = await failureOf(open({ chainId }))
        expect(refused).toMatchObject({ tag: "LedgerRefused", message: expect.stringContaining("TOKENS_") })
      }
      await build({ chainId, ...settings }, 9)
      expect((await stateOf(chainId)).next_block).toBe(10)
      expect(await sql`select from pg_namespace where nspname = ${`cowry_${chainId}_bulk`}`).toHaveLength(0)
    }
  },
)

test("a load does not take the place of what came there since it last looked", async () => {
  const chainId = freshChainId()
  await build({ chainId }, -1)
  const [{ epoch }] = await sql<[{ epoch: number }]>`select epoch::int4 from ${sql(`cowry_${chainId}.state`)}`
  await build({ chainId, ...changed }, -1, true)
  await swap(chainId)
  const after = await stateOf(chainId)
  const empty = { schema: `cowry_${chainId}`, epoch }
  const taking = command(chainId, (_, session) => Effect.promise(() => failureOf(tryTakePlace(session, empty))))
  expect((await taking)?.message).toContain("another writer moved this ledger")
  expect(await stateOf(chainId)).toEqual(after)
})

test("what was built goes on with the same settings, and is begun anew with others", async () => {
  const chainId = freshChainId()
  await build({ chainId }, 9)
  await build({ chainId, ...changed }, 3, true)
  expect(await standing(chainId)).toEqual({ stored: 9, next: 3 })
  await build({ chainId, ...changed }, -1, true)
  expect(await standing(chainId)).toEqual({ stored: 9, next: 3 })
  await build({ chainId, firstBlock: 0, swaps: false }, -1, true)
  expect(await standing(chainId)).toEqual({ stored: 9 })
})

/** What a newer version, or another one, leaves in a ledger that it builds; and what is said of it. */
const builtByOthers = {
  "holds migration 999_later.sql": (schema: string) =>
    sql`insert into ${sql(`${schema}.migration`)} (file, sha256) values ('999_later.sql', '')`,
  "migration 005_prices.sql is another one": (schema: string) =>
    sql`update ${sql(`${schema}.migration`)} set sha256 = 'other' where file = '005_prices.sql'`,
  [`this is version ${ledgerVersion}, an older one`]: (schema: string) =>
    sql`update ${sql(`${schema}.state`)} set ledger_version = ${ledgerVersion + 1}`,
}

test.each(Object.entries(builtByOthers))(
  "what another version has built stays, whatever the settings, until --anew removes it: %s",
  async (why, leave) => {
    const chainId = freshChainId()
    await build({ chainId }, 9)
    await build({ chainId, ...changed }, 3, true)
    await leave(`cowry_${chainId}_next`)
    for (const settings of [changed, { swaps: false }]) {
      const refused = await failureOf(build({ chainId, ...settings }, 5, true))
      expect(refused?.tag).toBe("LedgerRefused")
      expect(refused?.message).toContain(why)
      expect(refused?.message).toContain("or begin anew: run this command with --anew")
      expect(await standing(chainId)).toEqual({ stored: 9, next: 3 })
    }
    expect(await command(chainId, (database) => forgetNext(database, chainId))).toBe(true)
    await build({ chainId, ...changed }, 5, true)
    expect(await standing(chainId)).toEqual({ stored: 9, next: 5 })
  },
)

test("what an older version of the ledger has built is begun anew", async () => {
  const chainId = freshChainId()
  await build({ chainId }, 9)
  await build({ chainId, ...changed }, 3, true)
  await sql`update ${sql(`cowry_${chainId}_next.state`)} set ledger_version = ${ledgerVersion - 1}`
  await build({ chainId, ...changed }, -1, true)
  expect(await standing(chainId)).toEqual({ stored: 9 })
})

test("notes of tokens, and which burn nothing, go over to the new ledger; of another chain only the notes", async () => {
  const noted = { address: token, trusted: true, texts: { website: "https://token.example" } }
  const gone = new TestChain()
    .block([transfer(token, zeroAddress, alice, 9n)])
    .block([transfer(token, alice, zeroAddress, 4n), transfer(token, alice, token, 2n)])
    .block([transfer(token, token, zeroAddress, 2n)])
  const trusted = TrustedTokens.use((it) =>
    it.list({ chains: [chainId], sort: { field: "name", direction: "desc" }, page: { limit: 10 }, count: false }),
  )
  const tokenOf = async () => {
    const { value } = await store.run(trusted)
    return value.items.map(({ address, totalSupply, holdersCount }) => ({ address, totalSupply, holdersCount }))
  }
  const chainId = freshChainId()
  const first = await open({ chainId })
  await Effect.runPromise(first.writer.append(gone.segment(0)))
  await store.run(TokenNotes.use((it) => it.record(chainId, [noted])))
  const [born] = await Effect.runPromise(first.writer.listUndescribedTokens(1))
  await Effect.runPromise(first.writer.letZeroAddressHold([{ ...born!, sentToZero: "keptButOwn" }]))
  await first.close()
  const kept = [{ address: token, totalSupply: "7", holdersCount: 2 }]
  expect(await tokenOf()).toEqual(kept)

  const rebuild = async (settings: Partial<LedgerSettings>) => {
    const { writer, close } = await open({ chainId, ...settings }, true)
    await Effect.runPromise(writer.append(gone.segment(0)))
    await close()
    // Another rule may have been carried over before by a run that was ended.
    for (const own of [false, true]) {
      await sql`update ${sql(`cowry_${chainId}.token`)} set burns_own = ${own}`
      await commands.runPromise(
        Database.use((database) =>
          carryZeroAddressHolders(
            database,
            (genesisHash) => settingsOf({ chainId, ...settings, genesisHash }),
            chainId,
          ),
        ).pipe(Effect.provide(NextLedger.layer({}))),
      )
    }
    await swap(chainId)
  }
  await rebuild(changed)
  expect(await tokenOf()).toEqual(kept)
  await rebuild({ ...changed, genesisHash: hash("another") })
  expect(await tokenOf()).toEqual([{ address: token, totalSupply: "3", holdersCount: 1 }])
})

test("what token lists say once a build has begun goes over too, also where it is said while the swap is waited for", async () => {
  const coins = [address(0x71), address(0x72), address(0x73), address(0x74)]
  const born = new TestChain().block(coins.map((coin) => transfer(coin, zeroAddress, alice, 9n)))
  const record = (...tokens: ReadonlyArray<number>) =>
    store.run(
      TokenNotes.use((it) =>
        it.record(
          chainId,
          tokens.map((token) => ({ address: coins[token]!, trusted: true, texts: {} })),
        ),
      ),
    )
  const trusted = TrustedTokens.use((it) =>
    it.list({ chains: [chainId], sort: { field: "name", direction: "desc" }, page: { limit: 10 }, count: true }),
  )
  const listed = async () => {
    const { value } = await store.run(trusted)
    expect(value.count?.count).toBe(value.items.length)
    return value.items.map((it) => coins.indexOf(it.address)).sort()
  }
  const buildAll = async (next: boolean) => {
    const { writer, close } = await open({ chainId, ...(next ? changed : {}) }, next)
    await Effect.runPromise(writer.append(born.segment(0)))
    await close()
  }
  const chainId = freshChainId()
  await buildAll(false)
  await record(0, 1)
  await buildAll(true)
  await record(1, 2)
  // What an earlier run had begun is gone on with: its tokens are there already.
  await (await open({ chainId, ...changed }, true)).close()
  await swap(chainId)
  expect(await listed()).toEqual([1, 2])

  await buildAll(true)
  const held = await sql.reserve()
  await held`begin`
  await held.unsafe(`select from cowry_${chainId}.state`)
  const waits = Promise.withResolvers<void>()
  const done = command(chainId, (database, session) => swapIn(database, session, chainId, waits.resolve))
  await waits.promise
  await record(2, 3)
  await held`commit`
  held.release()
  await done
  expect(await listed()).toEqual([2, 3])
})

const pinOfChain =
  (chainId: ChainId) =>
  async (rollbacks?: number): Promise<Pin> => {
    const page = { limit: 1, ...(rollbacks === undefined ? {} : { rollbacks }) }
    const holders = HolderStore.use((s) => s.list("erc20", { chainId, token, page, count: false, blockNumber: 5 }))
    return (await store.run(holders)).value.pin!
  }

test("no walk as of a block goes on in a ledger that was made anew, however often either turned back", async () => {
  const chainId = freshChainId()
  const pinOf = pinOfChain(chainId)
  const turnBack = async (times: number, next = false) => {
    const { writer, close } = await open({ chainId }, next)
    for (let time = 0; time < times; time++) {
      await Effect.runPromise(writer.rollback(9))
      await Effect.runPromise(writer.append(chain.segment(9, 9)))
    }
    await close()
  }
  // Also where the block was final, and the settings are the same.
  const { writer: first, close: closeFirst } = await open({ chainId })
  await Effect.runPromise(first.append(chain.segment(0, 9, { finalizedBlock: 6 })))
  await closeFirst()
  await turnBack(2)
  const seen = [await pinOf(), { ...(await pinOf()), rollbacks: 0 }]
  expect(seen.map(({ rollbacks }) => rollbacks)).toEqual([2, 0])
  for (const { rollbacks } of seen) expect((await pinOf(rollbacks)).replaced).toBe(false)
  await build({ chainId }, 9, true)
  await turnBack(4, true)
  await swap(chainId)
  const { writer, close } = await open({ chainId })
  for (let time = 0; time < 4; time++) {
    for (const { rollbacks } of seen) expect((await pinOf(rollbacks)).replaced).toBe(true)
    const own = (await pinOf()).rollbacks
    expect((await pinOf(own)).replaced).toBe(false)
    await Effect.runPromise(writer.rollback(9))
    await Effect.runPromise(writer.append(chain.segment(9, 9)))
    expect((await pinOf(own)).replaced).toBe(false)
  }
  await close()
})

test("nor in one that was loaded in bulk in the place of one that a reorg had emptied", async () => {
  const chainId = freshChainId()
  const pinOf = pinOfChain(chainId)
  const { writer, close } = await open({ chainId })
  const turnBack = Effect.andThen(writer.rollback(9), () => writer.append(chain.segment(9, 9)))
  await Effect.runPromise(writer.append(chain.segment(0, 9)))
  const seen = [await pinOf()]
  await Effect.runPromise(turnBack)
  seen.push(await pinOf())
  expect(seen.map(({ rollbacks }) => rollbacks)).toEqual([0, 1])
  await Effect.runPromise(writer.rollback(0))
  const bulk = writer.bulk!
  await Effect.runPromise(bulk.begin)
  await Effect.runPromise(writer.append(chain.segment(0, 9)))
  while (await Effect.runPromise(bulk.derive));
  const { rollbacks: own } = await pinOf()
  for (let time = 0; time < 3; time++) {
    for (const { rollbacks } of seen) expect((await pinOf(rollbacks)).replaced).toBe(true)
    expect((await pinOf(own)).replaced).toBe(false)
    await Effect.runPromise(turnBack)
  }
  await close()
})

test("two commands never work on one chain, and a chain that is written is not dropped", async () => {
  const chainId = freshChainId()
  const { close } = await open({ chainId })
  const other = await command(chainId, () => Effect.promise(() => failureOf(swap(chainId))))
  expect(other?.message).toBe(`another cowry add, cowry resync or cowry drop is at work on chain ${chainId}`)
  expect((await failureOf(drop(chainId)))?.message).toContain(`start that one without RPC_URL_${chainId}`)
  await close()
  await drop(chainId)
})

test("a command that somebody else's cancel request hits goes on", async () => {
  const chainId = freshChainId()
  await build({ chainId }, 3)
  await build({ chainId, ...changed }, 3, true)
  const held = await sql.reserve()
  await held`begin`
  await held.unsafe(`select from cowry_${chainId}_next.state for update`)
  const replaced = command(chainId, (database, session) => swapIn(database, session, chainId, () => {}))
  // A coordinator's session waits for its worker's, which waits for the lock.
  let hit: number | undefined
  while (hit === undefined) {
    const [row] = await sql`
      select pid from pg_stat_activity, pg_cancel_backend(pid)
      where datname = current_database() and query like '%greatest(epoch%'
        and (wait_event_type = 'Lock' or state = 'active' and query_start < clock_timestamp() - interval '0.5 s')`
    hit = row?.pid
  }
  await held`commit`
  held.release()
  await replaced
  expect(await sql.unsafe(`select settings::jsonb -> 'tokens' as tokens from cowry_${chainId}.state`)).toMatchObject([
    { tokens: [token] },
  ])
})

test("a swap whose connection is lost after its commit is done, and heard of once", async () => {
  const chainId = freshChainId()
  await build({ chainId }, 3)
  await build({ chainId, ...changed }, 3, true)
  let heard = 0
  await command(chainId, (database, session) => {
    const run: typeof session.run = async (statement) => {
      const answer = await session.run(statement)
      // Seen from another session: the swap is committed.
      const next = await sql`select from pg_namespace where nspname = ${`cowry_${chainId}_next`}`
      if (next.length === 0) throw new Error("the connection was lost")
      return answer
    }
    const onSwapped = () => {
      heard++
    }
    return swapIn(database, { ...session, run }, chainId, () => {}, onSwapped)
  })
  expect(heard).toBe(1)
  const left = await sql`select nspname from pg_namespace where nspname like ${`cowry_${chainId}%`}`
  expect(left.map(({ nspname }) => nspname)).toEqual([`cowry_${chainId}`])
})

/** The session loses its connection as it sends the commit, which the server has got. */
const losesCommit = (session: Session, onSent: (commit: () => Promise<unknown>) => void): Session => {
  let isLost = false
  return {
    ...session,
    run: (statement) =>
      session.run((sql) =>
        statement(
          new Proxy(sql, {
            apply: (target, self, args) => {
              if (!isLost && String(args[0]) !== "commit") return Reflect.apply(target, self, args)
              if (!isLost) onSent(() => session.run((it) => it`commit`))
              isLost = true
              return Promise.reject(new Error("the connection was lost"))
            },
          }),
        ),
      ),
  }
}

test("a swap whose commit goes on, as one that waits for a standby, is waited for and done", async () => {
  const chainId = freshChainId()
  await build({ chainId }, 3)
  await build({ chainId, ...changed }, 3, true)
  let heard = 0
  await command(chainId, (database, session) => {
    const lost = losesCommit(session, (commit) => void setTimeout(commit, 1500))
    return swapIn(
      database,
      lost,
      chainId,
      () => {},
      () => {
        heard++
      },
    )
  })
  expect(heard).toBe(1)
  expect(await stateOf(chainId)).toMatchObject({ next_block: 4 })
  const left = await sql`select nspname from pg_namespace where nspname like ${`cowry_${chainId}%`}`
  expect(left.map(({ nspname }) => nspname)).toEqual([`cowry_${chainId}`])
})

test("of a swap of which nothing is known for long it is said so, and how it can be known", async () => {
  const chainId = freshChainId()
  const [from, next] = [`cowry_${chainId}`, `cowry_${chainId}_next`]
  await build({ chainId }, 3)
  await build({ chainId, ...changed }, 3, true)
  const failed = new RebuildFailed({ message: "failed. Run the command again", cause: new Error("it was lost") })
  const limits = { longest: Duration.millis(200), between: Duration.millis(10) }
  const found = (over: Partial<typeof Database.Service> = {}) =>
    failureOf(command(chainId, (database) => confirmSwapped({ ...database, ...over }, chainId, failed, limits)))
  const known = `while it has the schema ${next}, the new ledger has not: run the command again`
  const unknown = await found({ transact: () => Effect.fail(new StoreUnavailable({ cause: new Error("no route") })) })
  expect(unknown?.message).toContain("is not known: it was lost, and the database has not answered since (no route)")
  expect(unknown?.message).toContain(known)
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${next}, 0))`
    const open = await found()
    expect(open?.message).toContain("is not known: it was lost, and the database is still at work on it")
  })
  expect((await found())?.message).toBe(failed.message)
  await sql`alter schema ${sql(from)} rename to ${sql(`${from}_old`)}`
  await sql`alter schema ${sql(next)} rename to ${sql(from)}`
  expect(await found()).toBeUndefined()
})

test("what a command left beside a ledger is told of once, however often a stopped chain opens it", async () => {
  const chainId = freshChainId()
  await build({ chainId }, 3)
  await build({ chainId, ...changed }, 3, true)
  const lines: Array<unknown> = []
  const opening = Effect.scoped(Ledger.use((ledger) => ledger.open(settingsOf({ chainId })))).pipe(
    Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(message))])),
  )
  await store.run(opening)
  await store.run(opening)
  expect(lines.filter((line) => String(line).includes(`cowry drop ${chainId} --next`))).toHaveLength(1)
})

test("what is built beside a ledger is removed by nobody while it is written, whoever has the claim, nor said to be left", async () => {
  const chainId = freshChainId()
  await build({ chainId }, 3)
  const { writer, close } = await open({ chainId, ...changed }, true)
  const lines: Array<unknown> = []
  const opening = Effect.scoped(Ledger.use((ledger) => ledger.open(settingsOf({ chainId })))).pipe(
    Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(message))])),
  )
  await store.run(opening)
  expect(lines.filter((line) => String(line).includes("--next"))).toEqual([])
  const forget = () => command(chainId, (database) => forgetNext(database, chainId))
  expect((await failureOf(forget()))?.message).toContain(`chain ${chainId}: what is built beside it is being written`)
  expect(await failureOf(open({ chainId, swaps: false }, true))).toMatchObject({
    tag: "LedgerRefused",
    message: expect.stringContaining("with other settings is being written beside it"),
  })
  await Effect.runPromise(writer.append(chain.segment(0, 5)))
  await close()
  expect(await standing(chainId)).toEqual({ stored: 3, next: 5 })
  expect([await forget(), await forget()]).toEqual([true, false])
  expect(await standing(chainId)).toEqual({ stored: 3 })
})

test("a claim whose session is ended is taken again, also once somebody else had it meanwhile", async () => {
  const chainId = freshChainId()
  const claim = () => command(chainId, () => Effect.void)
  const holder = async () => {
    const [row] = await sql<Array<{ pid: number }>>`
      select pid from pg_locks where locktype = 'advisory' and granted and objsubid = 1
        and ((classid::int8 << 32) | objid::int8) = hashtextextended(${`rebuild cowry_${chainId}`}, 0)`
    return row?.pid
  }
  const end = async () => sql`select pg_terminate_backend(${(await holder())!}::int4)`
  const another = `another cowry add, cowry resync or cowry drop is at work on chain ${chainId}`
  await commands.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const kept = yield* keepClaim(yield* Database, chainId)
        const first = yield* kept
        yield* Effect.promise(async () => {
          await end()
          while (first.failure() === undefined || (await holder()) === undefined) await Bun.sleep(10)
          expect((await failureOf(claim()))?.message).toBe(another)
        })
        const second = yield* kept
        expect([second.pid === first.pid, second.failure()]).toEqual([false, undefined])
        yield* Effect.promise(async () => {
          // Somebody else is faster, who asks for it before it is free.
          const other = await sql.reserve()
          const asked = other`select pg_advisory_lock(hashtextextended(${`rebuild cowry_${chainId}`}, 0))`
          await Promise.all([end(), asked])
          while (second.failure() === undefined) await Bun.sleep(10)
          const refused = await failureOf(commands.runPromise(kept))
          await other`select pg_advisory_unlock_all()`
          other.release()
          expect(refused).toMatchObject({ message: another })
          while ((await holder()) === undefined) await Bun.sleep(10)
          expect((await failureOf(claim()))?.message).toBe(another)
        })
      }),
    ),
  )
  await claim()
})

test("where what was replaced cannot be removed the new ledger answers all the same, and it is removed later", async () => {
  const chainId = freshChainId()
  await build({ chainId }, 3)
  await build({ chainId, ...changed }, 3, true)
  await sql.unsafe(`
    create function refuse_drop() returns event_trigger language plpgsql as $$ begin raise 'the disk is on fire'; end $$;
    create event trigger refuse_drop on ddl_command_start when tag in ('DROP SCHEMA') execute function refuse_drop()`)
  const letDrop = () => sql.unsafe("drop event trigger if exists refuse_drop; drop function if exists refuse_drop")
  const isLeft = async () => (await sql`select from pg_namespace where nspname = ${`cowry_${chainId}_old`}`).length > 0
  try {
    expect(await swap(chainId)).toContain("the disk is on fire")
    expect(await sql.unsafe(`select settings::jsonb -> 'tokens' as tokens from cowry_${chainId}.state`)).toMatchObject([
      { tokens: [token] },
    ])
    const scope = Effect.runSync(Scope.make())
    const clearing = Effect.flatMap(Database, (database) => clearLeftOver(database, chainId, Duration.millis(50)))
    await commands.runPromise(clearing.pipe(Effect.provideService(Scope.Scope, scope)))
    const { close } = await open({ chainId, ...changed })
    expect(await isLeft()).toBe(true)
    await letDrop()
    while (await isLeft()) await Bun.sleep(20)
    await close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  } finally {
    await letDrop()
  }
  // Whoever removed it lets the claim go a moment later.
  while (
    (
      await sql`select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
    ).length > 0
  )
    await Bun.sleep(20)
  await sql.unsafe(`create schema cowry_${chainId}_old`)
  await (await open({ chainId, ...changed })).close()
  expect(await isLeft()).toBe(false)
  // A command that is about to remove it may not come to that.
  const scope = Effect.runSync(Scope.make())
  await command(chainId, (database) =>
    Effect.gen(function* () {
      yield* Effect.promise(() => sql.unsafe(`create schema cowry_${chainId}_old`))
      yield* clearLeftOver(database, chainId, Duration.millis(50)).pipe(Effect.provideService(Scope.Scope, scope))
      yield* Effect.sleep(200)
    }),
  )
  while (await isLeft()) await Bun.sleep(20)
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

test("reads of a chain that was dropped are those of one that was never there, and it may come again", async () => {
  const [chainId, never] = [freshChainId(), freshChainId()]
  await build({ chainId }, 9)
  await build({ chainId, ...changed }, 2, true)
  const before = await contentOf(store, chainId, chain)
  await drop(chainId)
  expect(await sql`select nspname from pg_namespace where nspname like ${`cowry_${chainId}%`}`).toHaveLength(0)
  expect(await contentOf(store, chainId, chain)).toEqual(await contentOf(store, never, chain))
  await build({ chainId }, 9)
  expect(await contentOf(store, chainId, chain)).toEqual(before)
})

test("what is kept of transactions goes with the ledger that they were of: dropped or replaced, also while it is waited for", async () => {
  const [replaced, dropped, other] = [freshChainId(), freshChainId(), freshChainId()]
  const chains = [replaced, dropped, other]
  const rowsOf = async (table: string) =>
    (
      await sql.unsafe(`select chain_id::text from cowry.${table} where chain_id = any($1) order by place`, [chains])
    ).map((row) => row.chain_id)
  const factsOf = (number: number) => ({
    ...{ hash: hash(`tx ${number}`), blockNumber: 100, blockHash: hash("block 100"), index: 0, nonce: "1" },
    ...{ gas: "2", gasPrice: "3", gasUsed: "4", cumulativeGasUsed: "5", methodId: "0x" },
  })
  const keep = (chainId: ChainId, ...numbers: ReadonlyArray<number>) =>
    store.run(KeptTransactions.use((kept) => kept.keep(chainId, numbers.map(factsOf))))
  for (const chainId of chains) {
    await build({ chainId }, 3)
    await keep(chainId, 1, 2)
    await sql.unsafe(`insert into cowry.wanted_code (chain_id, address) values ($1, '\\x0a')`, [chainId])
  }
  await build({ chainId: replaced, ...changed }, 3, true)

  // Somebody reads: what others keep until they are done goes too.
  const held = await sql.reserve()
  for (const [chainId, change] of [
    [replaced, swapIn],
    [dropped, dropChain],
  ] as const) {
    await held`begin`
    await held.unsafe(`select from cowry_${chainId}.state`)
    const waits = Promise.withResolvers<void>()
    const done = command(chainId, (database, session) => change(database, session, chainId, waits.resolve))
    await waits.promise
    await keep(chainId, 3)
    await held`commit`
    await done
  }
  held.release()
  expect(await rowsOf("kept_transaction")).toEqual([other, other])
  expect(await rowsOf("wanted_code")).toEqual([replaced, other])
})

/** What the swap, and what is carried over, read of a ledger that may be older. */
const readOfOlder = /^\s*(create|alter) table (state|token|token_audit|rollback)\b/m
const migrations = new URL("../../src/adapters/postgres/database/migrations/", import.meta.url)
const standsOfOlder = ledgerMigrations
  .map((last, place) => [last, place + 1] as const)
  .filter(([last, count]) => {
    const isEnd = count === 1 || count === ledgerMigrations.length
    return isEnd || readOfOlder.test(readFileSync(new URL(last, migrations), "utf8"))
  })

test.each(standsOfOlder)(
  "a ledger that no service has opened since %s was its newest migration is replaced",
  async (_, count) => {
    const chainId = freshChainId()
    await build({ chainId, ...changed }, 9, true)
    await migrate(sql, `cowry_${chainId}`, ledgerMigrations.slice(0, count))
    const { genesisHash } = settingsOf({ chainId })
    const [column] = await sql`
      select from information_schema.columns
      where table_schema = ${`cowry_${chainId}`} and table_name = 'token' and column_name = 'keeps_burnt'`
    const [audits] = await sql`
      select from pg_tables where schemaname = ${`cowry_${chainId}`} and tablename = 'token_audit'`
    await sql.unsafe(`
      insert into cowry.chain (chain_id, schema_name, genesis_hash)
      values ('${chainId}', 'cowry_${chainId}', '${genesisHash}');
      set search_path = cowry_${chainId};
      insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, epoch, revision)
      values (1, 'older', '{}', 0, 3, '\\x02', 2000000, 3000000);
      insert into token (token_id, standard, address, first_pos, sort_time) values (1, 20, '\\x${token.slice(2)}', 0, 0);
      ${column === undefined ? "" : "update token set keeps_burnt = true;"}
      ${audits === undefined ? "" : `insert into token_audit values (1, 20, '\\x${token.slice(2)}', 1, 2, 1700000024, 3, null, null, '[]', '{1,2}');`}
      reset search_path`)
    await commands.runPromise(
      Database.use((database) =>
        carryZeroAddressHolders(
          database,
          (genesis) => settingsOf({ chainId, ...changed, genesisHash: genesis }),
          chainId,
        ),
      ).pipe(Effect.provide(NextLedger.layer({}))),
    )
    await commands.runPromise(Database.use((database) => carryAudits(database, chainId)))
    await swap(chainId)
    const { epoch, revision, next_block } = await stateOf(chainId)
    expect(next_block).toBe(10)
    expect(BigInt(epoch)).toBeGreaterThan(2_000_000n)
    expect(BigInt(revision)).toBeGreaterThan(3_000_000n)
    const [kept] = await sql.unsafe(`select keeps_burnt from cowry_${chainId}.token`)
    expect(kept!.keeps_burnt).toBe(column !== undefined)
    const drifted = await sql.unsafe(`select state, differed from cowry_${chainId}.token_audit`)
    const carried = drifted.map((row) => [row.state, row.differed])
    expect(carried).toEqual(audits === undefined ? [] : [[1, null]])
  },
)

test("a ledger of an older version, with older tables, is refused with the way out, and answers until it is replaced", async () => {
  const chainId = freshChainId()
  await migrate(sql, `cowry_${chainId}`, ["001_ledger.sql"])
  const zeros = "0".repeat(62)
  await sql.unsafe(`
    set search_path = cowry_${chainId};
    insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_parent, head_time,
                       token_seq, erc20_tokens, erc20_transfers)
    values (1, 'older', '{}', 0, 3, '\\x${zeros}02', '\\x${zeros}01', 1700000024, 1, 1, 1);
    insert into block values (2, '\\x${zeros}02', '\\x${zeros}01', 1700000024);
    insert into token (token_id, standard, address, first_pos, sort_time)
    values (1, 20, '\\x${token.slice(2)}', ${2 ** 24}, 1700000012);
    insert into token_stat (token_id, standard, address, transfers, holders, holder_seq)
    values (1, 20, '\\x${token.slice(2)}', 1, 1, 2);
    insert into erc20_transfer values
      (${2 ** 24}, 1700000012, 1, '\\x${zeros}0a', '\\x${zeroAddress.slice(2)}', '\\x${alice.slice(2)}', 7);
    insert into balance values (1, 0, 1, '', -7), (1, 2, 1, '\\x${alice.slice(2)}', 7);
    reset search_path`)
  const refused = await failureOf(open({ chainId }))
  expect(refused?.message).toContain(`made by version 1 of the ledger, this is version ${ledgerVersion}`)
  expect(refused?.message).toContain(`cowry resync ${chainId}`)
  // The version that made it refuses these tables since.
  expect(refused?.message).not.toContain("Run that version")
  const older = await contentOf(store, chainId, chain)
  expect(older).toMatchObject({ asOf: { blockNumber: 2 } })
  expect(JSON.stringify(older)).toContain(alice)
  await build({ chainId }, 9, true)
  expect(await contentOf(store, chainId, chain)).toEqual(older)
  await swap(chainId)
  await build({ chainId }, 9)
  const anew = freshChainId()
  await build({ chainId: anew }, 9)
  const inWords = async (id: ChainId) =>
    JSON.stringify(await contentOf(store, id, chain), (key, value) => (key === "revision" ? 0 : value)).replaceAll(
      `"${id}"`,
      "",
    )
  expect(await inWords(chainId)).toBe(await inWords(anew))
})
