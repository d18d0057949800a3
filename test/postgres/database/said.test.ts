/** What may be shown of a database that fails: no user, no database, no password, no path. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import { saidOf } from "../../../src/adapters/postgres/database/pool.ts"
import { unavailable } from "../../../src/adapters/postgres/ledger/ledgerErrors.ts"
import { failureOf } from "../../support/failure.ts"
import { testDatabase } from "../../support/postgres.ts"

const ofServer = (code: string, message: string) => ({ name: "PostgresError", code, message })

test.each([
  ["the database is not ready (57P03)", ofServer("57P03", "the database system is starting up")],
  ["the database takes no more connections (53300)", ofServer("53300", "sorry, too many clients already")],
  ["the database has no room left (53100)", ofServer("53100", 'could not extend file "base/5/secret": No space')],
  [
    "the database refuses the login that its URL names (28P01)",
    ofServer("28P01", 'password authentication failed for user "secret"'),
  ],
  ["the database fails (3D000)", ofServer("3D000", 'database "secret" does not exist')],
  ["the database cannot be reached (ECONNREFUSED)", { name: "Error", code: "ECONNREFUSED", message: "secret" }],
  ["the database cannot be reached", "secret"],
])("%s", (said, cause) => {
  expect(saidOf(cause)).toBe(said)
})

test("a server that has no connection left for a role, or for a database, names neither", async () => {
  const url = await testDatabase()
  const name = new URL(url).pathname.slice(1)
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  const role = `crowded_${name}`
  const guest = new URL(url)
  guest.username = role
  guest.password = "guest-secret"
  const refused = async () => {
    const sql = postgres(guest.href, { max: 1 })
    return failureOf(sql`select 1`.execute()).finally(() => sql.end())
  }
  try {
    await admin.unsafe(`create role ${role} login password 'guest-secret' connection limit 0`)
    const ofRole = await refused()
    await admin.unsafe(`alter role ${role} connection limit -1; alter database ${name} connection limit 0`)
    const ofDatabase = await refused()
    expect([ofRole, ofDatabase].map((cause) => String(Object(cause).message))).toEqual([
      `too many connections for role "${role}"`,
      `too many connections for database "${name}"`,
    ])
    for (const cause of [ofRole, ofDatabase]) {
      expect(saidOf(cause)).toBe("the database takes no more connections (53300)")
      expect(unavailable(cause).problem).toBe(
        "the database takes no more connections (53300); it goes on by itself once it does",
      )
    }
  } finally {
    await admin.unsafe(`drop role if exists ${role}`)
    await admin.end()
  }
})

test("a login that the server takes no more is told, and what helps; its role is not named", async () => {
  const url = await testDatabase()
  const guest = new URL(url)
  guest.password = "expired"
  const sql = postgres(guest.href, { max: 1 })
  const cause = await failureOf(sql`select 1`.execute())
  await sql.end()
  expect(String(Object(cause).message)).toContain(guest.username)
  expect(saidOf(cause)).toBe("the database refuses the login that its URL names (28P01)")
  expect(unavailable(cause).problem).toBe(
    "the database refuses the login that its URL names (28P01); it goes on by itself once it takes it. Another password is read at a start alone",
  )
})
