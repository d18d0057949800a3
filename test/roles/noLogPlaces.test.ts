/** Servers that refuse what is asked of their log, as Amazon's Aurora does, stood in for by a role that may not ask: they are read, and followed by transactions. */
import { afterAll, beforeAll, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { ManagedRuntime } from "effect"
import postgres from "postgres"
import { Database } from "../../src/adapters/postgres/database/Database.ts"
import * as ReaderDatabase from "../../src/adapters/postgres/servers/ReaderDatabase.ts"
import type { ReadServer } from "../../src/ports/ReadServers.ts"
import { type Replicated, startReplicated } from "../support/standby.ts"

const ofLog = ["current_wal_lsn", "last_wal_replay_lsn", "last_wal_receive_lsn", "last_xact_replay_timestamp"]
const functions = [...ofLog, "stat_get_wal_receiver"].map((name) => `pg_${name}()`).join(", ")

let servers: Replicated
let sql: postgres.Sql
beforeAll(async () => {
  servers = await startReplicated()
  sql = postgres(servers.primary.url, { max: 1, onnotice: () => {} })
  await sql.unsafe(
    `create role guest login; create table written (); revoke execute on function ${functions} from public`,
  )
  await servers.level()
})
afterAll(async () => {
  await sql.end()
  await servers.stop()
})

const asGuest = (url: string) => Object.assign(new URL(url), { username: "guest" }).href
/** Until the servers are as wanted: the standby, then the primary. */
const opened = async () => {
  const settings = { readUrls: [asGuest(servers.standby.url)], primary: asGuest(servers.primary.url) }
  const runtime = ManagedRuntime.make(ReaderDatabase.layer({ ...settings, schema: "cowry", maxLagMs: 2000 }))
  const { servers: found } = await runtime.runPromise(Database)
  const become = async (wanted: (standby: ReadServer, primary: ReadServer) => boolean | undefined) => {
    for (const end = Date.now() + 20_000; Date.now() < end; await pause(20)) {
      const [standby, primary] = found.list()
      if (wanted(standby!, primary!)) return
    }
    throw new Error(`they are ${JSON.stringify(found.list())}`)
  }
  return { become, close: () => runtime.dispose() }
}

test("the standby is read while it has the newest transaction, and left where it lacks one for too long", async () => {
  const { become, close } = await opened()
  try {
    await become((standby, primary) => standby.isUsed && standby.lagMs === 0 && primary.takesWrites)
    await servers.pause()
    await sql`insert into written default values`
    await become(
      (standby, primary) => primary.isUsed && standby.problem?.includes("ms behind (MAX_READ_LAG_MS is 2000)"),
    )
    await servers.resume()
    await become((standby) => standby.isUsed && standby.lagMs === 0)
  } finally {
    await close()
  }
})

test("where not even that is told it is reached, and how far it is behind is not known", async () => {
  await sql`revoke execute on function pg_current_snapshot() from public`
  await servers.level()
  const { become, close } = await opened()
  try {
    await become(
      (standby, primary) =>
        standby.isReached &&
        standby.lagMs === undefined &&
        standby.problem === "how far it is behind is not known" &&
        primary.isUsed &&
        primary.takesWrites,
    )
  } finally {
    await close()
    await sql`grant execute on function pg_current_snapshot() to public`
  }
})

test("why a server lets nobody in is told, without a name", async () => {
  await sql`alter role guest nologin`
  await servers.level()
  const { become, close } = await opened()
  try {
    const said = "it does not answer: the database refuses the login that its URL names (28000)"
    await become(({ problem }) => problem === said)
  } finally {
    await close()
  }
})
