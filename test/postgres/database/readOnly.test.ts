/** Who sets `default_transaction_read_only` means it: no transaction of the service says that it writes all the same. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import { databaseOf } from "../../../src/adapters/postgres/database/databaseOf.ts"
import { testDatabase } from "../../support/postgres.ts"

test("a transaction that writes is refused where sessions are read-only, and nothing is written", async () => {
  const url = await testDatabase()
  const open = (mode: "on" | "off") => makeClient({ url, max: 1, parameters: { default_transaction_read_only: mode } })
  const [shut, free] = [open("on"), open("off")]
  try {
    await free`create table kept (word text)`
    const write = (sql: typeof free, word: string) =>
      databaseOf(sql, { url }).transact((tx, run) => run(tx`insert into kept values (${word})`))
    const refused = await Effect.runPromise(Effect.flip(write(shut, "refused")))
    expect(Object(Object(refused).cause).code).toBe("25006")
    await Effect.runPromise(write(free, "written"))
    expect((await free`select word from kept`).map(({ word }) => word)).toEqual(["written"])
  } finally {
    await shut.end({ timeout: 1 })
    await free.end({ timeout: 1 })
  }
})
