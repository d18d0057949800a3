/** Who stands by for a chain, where a look said that its lock is free and somebody else was faster. */
import { expect, test } from "bun:test"
import { Effect, Exit, ManagedRuntime, Scope } from "effect"
import postgres from "postgres"
import { Database } from "../../../src/adapters/postgres/database/Database.ts"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import { openSession } from "../../../src/adapters/postgres/ledger/wire/session.ts"
import { makeLockWatch } from "../../../src/adapters/postgres/ledger/writerLock.ts"
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
