/** Who stands by for a chain: where a look said that its lock is free and somebody else was faster, and where the readers' connections go silent. */
import { expect, test } from "bun:test"
import { Effect, Exit, ManagedRuntime, Scope } from "effect"
import postgres from "postgres"
import { Database } from "../../../src/adapters/postgres/database/Database.ts"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import { makeLedger } from "../../../src/adapters/postgres/ledger/PostgresLedger.ts"
import { openSession } from "../../../src/adapters/postgres/ledger/wire/session.ts"
import { makeLockWatch } from "../../../src/adapters/postgres/ledger/writerLock.ts"
import type { LedgerRefused, LedgerUnavailable } from "../../../src/ports/Ledger.ts"
import { freshChainId, settingsOf } from "../../contracts/store.ts"
import { startCuttable } from "../../support/nodes/cuttable.ts"
import { testDatabase } from "../../support/postgres.ts"

test("who acted on a look from before the lock was taken goes back to watching, without a session", async () => {
  const url = await testDatabase()
  const sent: Array<string> = []
  const observe = (statement: string) => void sent.push(statement)
  const runtime = ManagedRuntime.make(PostgresDatabase.layer({ url, observe }))
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  const scope = Effect.runSync(Scope.make())
  try {
    const database = await runtime.runPromise(Database)
    const [schema, other] = ["cowry_71", "cowry_72"]
    const count = (words: string) => sent.filter((statement) => statement.includes(words)).length
    let opened = 0
    let closed = 0
    const open = async () => {
      opened++
      const session = await openSession(database, schema)
      const close = async () => {
        closed++
        await session.close()
      }
      // Another writer takes the lock after the look, before this one asks for it.
      if (opened === 1) await admin`select pg_advisory_lock(hashtextextended(${schema}, 0))`
      return { ...session, close }
    }
    const locks = makeLockWatch(database)
    const within = Effect.provideService(Scope.Scope, scope)
    const waiting = Effect.runPromise(within(locks.sessionOf(schema, open)))
    const until = async (met: () => boolean) => {
      for (const deadline = Date.now() + 20_000; !met(); await Bun.sleep(5)) expect(Date.now()).toBeLessThan(deadline)
    }
    await until(() => closed === 1)
    // Looks go on, one for all chains; nothing more is asked for over a session of the chain's own.
    const looks = count("from pg_locks")
    await until(() => count("from pg_locks") >= looks + 3)
    expect([opened, closed, count("pg_try_advisory_lock")]).toEqual([1, 1, 1])
    // Another chain is not held up by that, nor is this one once the lock is free.
    const beside = await Effect.runPromise(within(locks.sessionOf(other, () => openSession(database, other))))
    expect(beside.failure()).toBeUndefined()
    await admin`select pg_advisory_unlock_all()`
    const session = await waiting
    expect([opened, closed, session.failure()]).toEqual([2, 1, undefined])
    const [{ holds }] = await admin<[{ holds: boolean }]>`
      select exists (select from pg_locks where locktype = 'advisory' and granted and pid = ${session.pid}) as holds`
    expect(holds).toBe(true)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await admin.end()
    await runtime.dispose()
  }
})

test("what is asked beside a writer's session is given up where the readers' connections went silent, and asked anew", async () => {
  const url = new URL(await testDatabase())
  const line = await startCuttable(url.hostname, Number(url.port))
  const over = new URL(url)
  over.port = String(line.port)
  let onStatement = (_: string) => {}
  const observe = (statement: string) => onStatement(statement)
  const made = [
    { url: over.href, queryBudgetMs: 4000, observe },
    { url: url.href, observe },
  ].map((settings) => ManagedRuntime.make(PostgresDatabase.layer(settings)))
  const admin = postgres(url.href, { max: 1, onnotice: () => {} })
  try {
    const [pooled, direct] = await Promise.all(made.map((runtime) => runtime.runPromise(Database)))
    // Sessions are no matter of this: they are watched.
    const ledger = makeLedger({ ...pooled!, connect: direct!.connect }, {})
    const settings = settingsOf({ chainId: freshChainId() })
    const outcome = (work: Effect.Effect<unknown, LedgerUnavailable | LedgerRefused, Scope.Scope>) =>
      Effect.runPromise(
        Effect.scoped(work).pipe(
          Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "done" }),
          Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.succeed("it hangs") }),
        ),
      )
    const open = () => outcome(ledger.open(settings))
    const silentAt = (words: string, times: number) => {
      onStatement = (statement) => {
        if (!statement.includes(words) || --times > 0) return
        onStatement = () => {}
        line.hush()
      }
    }
    expect(await open()).toBe("done")

    // Somebody else writes the chain, and the host of the database vanishes.
    await admin`select pg_advisory_lock(hashtextextended(${`cowry_${settings.chainId}`}, 0))`
    silentAt("from pg_locks", 3)
    expect(await open()).toBe("LedgerUnavailable")
    await admin`select pg_advisory_unlock_all()`
    expect(await open()).toBe("done")

    silentAt("hashtextextended($1, 0)::text as key", 1)
    expect(await open()).toBe("LedgerUnavailable")
    expect(await open()).toBe("done")

    silentAt("pg_try_advisory_lock", 1)
    expect(await open()).toBe("LedgerUnavailable")
    expect(await open()).toBe("done")

    line.hush()
    expect(await outcome(ledger.loading!(settings.chainId))).toBe("LedgerUnavailable")
    expect(await outcome(ledger.loading!(settings.chainId))).toBe("done")
  } finally {
    await admin.end()
    await line.stop()
    await Promise.all(made.map((runtime) => runtime.dispose()))
  }
})
