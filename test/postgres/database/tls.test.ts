/** TLS to the server as the URL asks for it, and what is said where it comes to nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Database } from "../../../src/adapters/postgres/database/Database.ts"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import * as ReaderDatabase from "../../../src/adapters/postgres/servers/ReaderDatabase.ts"
import { startCluster } from "../../support/postgres.ts"

/** For `localhost`, signed by the authority; until 2126. */
const fileOf = (name: string) => fileURLToPath(new URL(`./tls/${name}`, import.meta.url))

let server: Awaited<ReturnType<typeof startCluster>>
let plain: Awaited<ReturnType<typeof startCluster>>
beforeAll(async () => {
  server = await startCluster(18)
  plain = await startCluster(15)
  const [row] = await server.admin`show data_directory`
  for (const [name, file] of [
    ["server.crt", "server.pem"],
    ["server.key", "server.key"],
  ] as const) {
    const lines = readFileSync(fileOf(file), "utf8").trim().split("\n")
    await server.admin.unsafe(
      `copy (values ${lines.map((line) => `('${line}')`)}) to program 'umask 077; cat > ${row!.data_directory}/${name}'`,
    )
  }
  await server.admin.unsafe("alter system set ssl = on")
  await server.crash()
})
afterAll(() => Promise.all([server.stop(), plain.stop()]))

const urlOf = (of: typeof server, query: string, host = "localhost") =>
  `${of.urlOf("postgres").replace("127.0.0.1", host)}?${query}`

/** Whether TLS is used by the readers' pool, and by a client of its own; or why it cannot be opened. */
const outcomeOf = (url: string): Promise<unknown> => {
  const opened = Database.use(({ query, sql, connect }) =>
    Effect.gen(function* () {
      const [pool] = yield* query(() => sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)
      const client = connect({ max: 1 })
      const [own] = yield* Effect.promise(() => client`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)
      yield* Effect.promise(() => client.end())
      return [pool!.ssl, own!.ssl]
    }),
  )
  return Effect.runPromise(
    opened.pipe(
      Effect.provide(PostgresDatabase.layer({ url })),
      Effect.catch((error) => Effect.succeed(Object(error).message)),
    ),
  )
}

const authority = `sslrootcert=${fileOf("authority.pem")}`

test.each([
  ["", false],
  ["sslmode=disable", false],
  ["ssl=false", false],
  ["sslmode=prefer", true],
  ["sslmode=allow", true],
  ["sslmode=require", true],
  ["sslmode=require&sslnegotiation=direct", true],
  [authority, true],
  [`sslmode=require&${authority}`, true],
  [`sslmode=verify-ca&${authority}`, true],
  [`sslmode=verify-full&${authority}`, true],
])("a server that offers TLS, with %s", async (query, isUsed) =>
  expect(await outcomeOf(urlOf(server, query))).toEqual([isUsed, isUsed]),
)

test.each(["", "sslmode=disable", "sslmode=prefer"])("a server that offers none, with %s", async (query) =>
  expect(await outcomeOf(urlOf(plain, query))).toEqual([false, false]),
)

test.each(["sslmode=require", "sslmode=allow", "ssl=true", authority])(
  "a server that offers none is told of as such, with %s",
  async (query) => {
    const told = await outcomeOf(urlOf(plain, query))
    expect(told).toContain("cannot be used: it ended the connection (ECONNRESET) when it was asked for TLS by ssl")
    expect(told).toContain("Switch ssl on")
  },
)

test.each(["sslmode=verify-full", "sslmode=verify-ca", "ssl=true", "sslrootcert=system"])(
  "a certificate of an authority that is not known is refused, and what to do is said, with %s",
  async (query) => {
    const told = await outcomeOf(urlOf(server, query))
    expect(told).toMatch(/who signed its certificate is not known here \([A-Z_]+\): name a file .*sslrootcert=\/file/)
  },
)

test.each(["require", "verify-ca", "verify-full"])(
  "a certificate of another host is refused, with %s",
  async (mode) => {
    const told = await outcomeOf(urlOf(server, `sslmode=${mode}&${authority}`, "127.0.0.1"))
    expect(told).toContain("its certificate is another host's (ERR_TLS_CERT_ALTNAME_INVALID)")
  },
)

test("a reader says so of its server", async () => {
  const opened = Database.use(({ servers }) => Effect.succeed(servers.list()[0]!.problem))
  const settings = { readUrls: [], primary: urlOf(server, "sslmode=verify-full"), schema: "cowry", maxLagMs: 1000 }
  expect(await Effect.runPromise(opened.pipe(Effect.provide(ReaderDatabase.layer(settings))))).toContain(
    "it does not answer: who signed its certificate is not known here",
  )
})

test("a statement that is cancelled over TLS is done with, and its connection serves others", async () => {
  const pids = await Effect.runPromise(
    Database.use(({ query, sql }) =>
      Effect.gen(function* () {
        const pid = query(() => sql<[{ pid: number }]>`select pg_backend_pid() as pid`)
        const [before] = yield* pid
        yield* Effect.timeoutOption(
          query(() => sql`select pg_sleep(30)`),
          "200 millis",
        )
        // Of a cancel of which nothing is heard the place is held for seconds, and then all connections are made anew.
        const [after] = yield* pid
        return [before.pid, after.pid]
      }),
    ).pipe(Effect.provide(PostgresDatabase.layer({ url: urlOf(server, "sslmode=require"), max: 1 }))),
  )
  expect(pids[1]).toBe(pids[0]!)
})
