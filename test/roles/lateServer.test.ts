/** A reader whose server answers only after its start learns then that it lays schemas on workers, and keeps it. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import type { DatabaseShape } from "../../src/adapters/postgres/database/Database.ts"
import { readerOf } from "../../src/adapters/postgres/servers/ReaderDatabase.ts"
import { makeServers } from "../../src/adapters/postgres/servers/servers.ts"
import { StoreUnavailable } from "../../src/model/errors.ts"

const row = {
  ...{ version: "18.4", number: 180_004, standby: false, writes: true, place: 1, fed: false, even: false },
  distributed: true,
}

test("each look asks what the server is; one that is gone again stays what it was", async () => {
  let isThere = false
  const query = () =>
    Effect.suspend(() => (isThere ? Effect.succeed([row]) : Effect.fail(new StoreUnavailable({ cause: "down" }))))
  const database = { distributed: () => false, probes: { sql: () => {}, query } } as unknown as DatabaseShape
  const servers = makeServers([{ url: "postgres://late.example/cowry", isPrimary: true, database }], 1000)
  const reader = readerOf(servers, "cowry")
  const seen: Array<boolean> = []
  for (const there of [false, true, false]) {
    isThere = there
    await Effect.runPromise(servers.look)
    seen.push(reader.distributed(), (await Effect.runPromise(reader.here)).distributed())
  }
  expect(seen).toEqual([false, false, true, true, true, true])
})
