/** What a database URL may say, what is wanted where it may not, and that no refusal shows a part of a password. */
import { describe, expect, test } from "bun:test"
import { createServer, connect as dial } from "node:net"
import { Effect } from "effect"
import { connectionOf, labelOf } from "../../../src/adapters/postgres/database/connectionUrl.ts"
import { Database } from "../../../src/adapters/postgres/database/Database.ts"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import { readConfig } from "../../../src/config/readConfig.ts"
import { testDatabase } from "../../support/postgres.ts"

/** What the settings say of it, as DATABASE_URL and as DATABASE_READ_URL. */
const problemOf = (url: string, name = "DATABASE_URL"): string => {
  const read = readConfig({ [name]: url, ROLE: "reader" })
  return "problems" in read ? read.problems.find((it) => it.startsWith(name))! : ""
}

const driverOf = (url: string) => connectionOf(url).driver

describe("who is asked", () => {
  test.each([
    ["postgres://db.example/d", { host: ["db.example"], port: [5432], database: "d" }],
    [
      "postgresql://u:p%40%2F@db_1:6000/d%20e",
      { host: ["db_1"], port: [6000], user: "u", pass: "p@/", database: "d e" },
    ],
    ["postgres://u:a@b:c@db.example:6000", { host: ["db.example"], port: [6000], user: "u", pass: "a@b:c" }],
    ["postgres://u:p@[::1]:6000/d", { host: ["::1"], port: [6000], user: "u", pass: "p", database: "d" }],
    ["postgres://[2001:db8::7]/d", { host: ["2001:db8::7"], port: [5432], database: "d" }],
    ["postgres:///d?host=::1&port=6000", { host: ["::1"], port: [6000], database: "d" }],
    ["postgres:///d?host=/sock&max=a@b", { path: "/sock/.s.PGSQL.5432", database: "d" }],
    ["postgres:///d?host=/sock", { path: "/sock/.s.PGSQL.5432", database: "d" }],
    ["postgres://u:p@/d?host=/sock", { path: "/sock/.s.PGSQL.5432", user: "u", pass: "p", database: "d" }],
    ["postgres://u@:6000/d?host=/sock", { path: "/sock/.s.PGSQL.6000", port: 6000, user: "u", database: "d" }],
    ["postgres://u@%2Fsock/d", { path: "/sock/.s.PGSQL.5432", user: "u", database: "d" }],
    ["postgres:///d", { database: "d" }],
  ])("%s", (url, driver) => {
    expect(driverOf(url)).toEqual(driver)
    expect(problemOf(url)).toBe("")
  })

  test.each([
    ["postgres://u:p@[::1]:6000/d", "postgres://[::1]:6000"],
    ["postgresql://u:p@db.example/d", "postgresql://db.example"],
    ["postgres://u:p@/d?host=/sock", "postgres:///sock"],
    ["postgres:///d", "postgres://localhost"],
  ])("%s is shown as %s", (url, label) => expect(labelOf(url)).toBe(label))

  test("a server is reached by an address of IPv6, with all that opens connections", async () => {
    const url = new URL(await testDatabase())
    const { port, hostname } = url
    const server = createServer((client) => {
      const upstream = dial(Number(port), hostname)
      client.pipe(upstream).pipe(client)
      for (const socket of [client, upstream]) socket.on("error", () => socket.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, "::1", resolve))
    url.host = `[::1]:${(server.address() as { readonly port: number }).port}`
    const opened = Database.use(({ query, sql }) => query(() => sql<[{ one: number }]>`select 1 as one`))
    // The look at poolers has clients of its own.
    const rows = opened.pipe(Effect.provide(PostgresDatabase.layer({ url: url.href })))
    expect((await Effect.runPromise(rows))[0].one).toBe(1)
    server.close()
  })
})

describe("what is refused", () => {
  const escapes = "expected a URL with %-escapes for special characters in user, password and database"

  test.each([
    ["postgres://cowry:12345#Sekret@127.0.0.1:5618/d1", escapes],
    ["postgres://cowry:12345/Sekret@127.0.0.1:5618/d1", escapes],
    ["postgres://cowry:12345?Sekret@127.0.0.1:5618/d1", escapes],
    ["postgres://cowry:12345?a=Sekret@127.0.0.1:5618/d1", escapes],
    ["postgres://cowry:a@12345#Sekret@127.0.0.1/d1", escapes],
    ["postgres://cowry:a@12345/Sekret@127.0.0.1/d1", escapes],
    ["postgres://cowry:a@12345?Sekret=@127.0.0.1/d1", escapes],
    ["postgres://cowry:a@127.0.0.1/d1?12345Sekret", "name=value behind its question mark"],
    ["postgres://cowry:12345Sekret%@127.0.0.1/d1", "with %-escapes"],
    ["postgres://cowry:12345Sekret%00@127.0.0.1/d1", "with %-escapes"],
    ["postgres://cowry:12345Sekret/d1", "expected a URL like postgres://user:password@host:port/database"],
    ["postgres://cowry:12345@[Sekret]/d1", "expected a URL like"],
    ["postgres://cowry:Sekret@127.0.0.1:123456/d1", "expected a URL like"],
    ["mysql://cowry:12345Sekret@127.0.0.1/d1", "expected a URL with postgres:// or postgresql://"],
    ["12345Sekret", "expected a URL with postgres:// or postgresql://"],
    ["postgres://cowry:12345Sekret@h1:1,h2:2/d1", "expected a URL with one host, got several"],
    ["postgres://cowry:12345Sekret@h1,h2:2/d1", "expected a URL with one host, got several"],
    ["postgres://cowry:12345Sekret@/d1?host=h1,h2", "expected a URL with one host, got several"],
  ])("%s", (url, wanted) => {
    for (const told of [problemOf(url), refusalOf(url)]) {
      expect(told).toStartWith("DATABASE_URL: ")
      expect(told).toContain(wanted)
      expect(told).not.toMatch(/12345|Sekret/)
    }
  })

  test("standbys are named by URLs of their own, and told of under their setting", () => {
    const name = "DATABASE_READ_URL"
    expect(problemOf("postgres://a/d,postgres://[::1]/d", name)).toBe("")
    expect(problemOf("postgres://a/d?sslmode=nonsense,postgres://b/d", name)).toBe(
      "DATABASE_READ_URL: expected a comma-joined list, each a URL whose sslmode is one of disable, allow, prefer, require, verify-ca, verify-full",
    )
  })
})

const refusalOf = (url: string): string => {
  try {
    return labelOf(url)
  } catch (cause) {
    return String((cause as Error).message)
  }
}

describe("parameters", () => {
  const of = (query: string) => `postgres://u:Sekret@h/d?${query}`

  test.each([
    ["bytea_output=escape", "a URL without bytea_output, or with hex for it"],
    ["BYTEA_Output=escape", "a URL without BYTEA_Output, or with hex for it"],
    ["standard_conforming_strings=off", "a URL without standard_conforming_strings, or with on for it"],
    ["array_nulls=off", "a URL without array_nulls, or with on for it"],
    ["DateStyle=German", "a URL without DateStyle, or with ISO for it"],
    [
      "default_transaction_isolation=serializable",
      "a URL without default_transaction_isolation, or with read committed",
    ],
    ["client_encoding=LATIN1", "a URL without client_encoding, or with UTF8 for it"],
    ["target_session_attrs=nonsense", "a URL whose target_session_attrs is any, read-write, "],
    ["keepalives=1", "a URL without keepalives: it is not supported"],
    ["dbname=other", "a URL without dbname: the database stands before the question mark"],
    ["sslcert=/file", "a URL without sslcert: client certificates are not supported"],
    ["sslkey=/file", "a URL without sslkey: client certificates are not supported"],
    ["sslmode=nonsense", "a URL whose sslmode is one of disable, allow, prefer, require, verify-ca, verify-full"],
    ["sslmode=false", "a URL whose sslmode is one of"],
    ["ssl=nonsense", "a URL whose ssl is one of"],
    ["sslmode=prefer&sslrootcert=system", "or one without sslrootcert: prefer checks no certificate"],
    [
      "sslrootcert=/nowhere/Sekret",
      "a URL whose sslrootcert is system, or a file of certificates in PEM form: it cannot be read (ENOENT)",
    ],
    ["sslnegotiation=direct", "a URL whose sslmode is require or stricter, or one without sslnegotiation"],
    ["search_path=a%00bytea_output%00escape", "name=value behind its question mark"],
  ])("%s is refused", (query, wanted) => {
    for (const told of [problemOf(of(query)), refusalOf(of(query))]) {
      expect(told).toStartWith("DATABASE_URL: expected ")
      expect(told).toContain(wanted)
      expect(told).not.toContain("Sekret")
    }
  })

  test("those that change no value go on to the server, those of the driver to the driver; ours are ours", () => {
    const server = { application_name: "mine@host", search_path: "a,b", statement_timeout: "5s", options: "-c jit=off" }
    const query = new URLSearchParams({
      ...server,
      ...{ bytea_output: "HEX", client_encoding: "utf8", connect_timeout: "3", max: "1", keep_alive: "5" },
      ...{ prepare: "false", target_session_attrs: "any" },
    })
    const connection = connectionOf(of(query.toString()))
    expect(connection.server).toEqual(server)
    const { host, port, user, pass, database, ...driver } = connection.driver
    expect(driver).toEqual({ keep_alive: 5, prepare: false })
    expect(driverOf(of("target_session_attrs=primary"))).toMatchObject({ target_session_attrs: "primary" })
  })

  test("URLs as hosts write them are taken, and parameters without a value say nothing", () => {
    const plain = connectionOf("postgres://u:Sekret@h:6000/d")
    for (const query of [
      "channel_binding=require&gssencmode=prefer&fallback_application_name=a",
      "pgbouncer=true&connection_limit=1&pool_timeout=20",
      "host=&port=&sslmode=&sslcert=&sslkey=&sslrootcert=&user=",
      "client_encoding=utf-8&DateStyle=ISO, MDY",
    ])
      expect(connectionOf(`postgres://u:Sekret@h:6000/d?${query}`)).toEqual(plain)
    expect(connectionOf("postgresql:///d?host=/run&user=u&password=Sekret").driver).toMatchObject({
      ...{ path: expect.stringContaining("/run"), user: "u", pass: "Sekret", database: "d" },
    })
    const url = "postgres://u:Sekret@h:6000/d?application_name=me@here&options=-c search_path=a/b&sslmode=no-verify"
    expect(connectionOf(url)).toMatchObject({ server: { application_name: "me@here" }, driver: { ssl: "require" } })
  })

  test("a connection has what the URL asks for, and values as they are wanted", async () => {
    const url = `${await testDatabase()}?application_name=mine&search_path=pg_temp&BYTEA_OUTPUT=hex&options=-c%20bytea_output%3Descape`
    const shown = Database.use(({ query, sql }) =>
      query(
        () => sql`select current_setting('application_name') as name, current_setting('search_path') as path,
                    current_setting('bytea_output') as bytes`,
      ),
    )
    const [row] = await Effect.runPromise(shown.pipe(Effect.provide(PostgresDatabase.layer({ url }))))
    expect(row).toEqual({ name: "mine", path: "pg_temp", bytes: "hex" })
  })

  test("a server of another kind than is asked for is told of as such", async () => {
    const url = `${await testDatabase()}?target_session_attrs=standby`
    const opened = Effect.flip(
      Effect.provide(
        Database.use(() => Effect.void),
        PostgresDatabase.layer({ url }),
      ),
    )
    expect((await Effect.runPromise(opened)).message).toContain(
      "cannot be used: it is no server that target_session_attrs=standby asks for",
    )
  })
})
