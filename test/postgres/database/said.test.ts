/** What may be shown of a database that fails: no user, no database, no password. */
import { expect, test } from "bun:test"
import { saidOf } from "../../../src/adapters/postgres/database/pool.ts"

const ofServer = (code: string, message: string) => ({ name: "PostgresError", code, message })

test.each([
  ["the database says: the database system is starting up", ofServer("57P03", "the database system is starting up")],
  ["the database says: sorry, too many clients already", ofServer("53300", "sorry, too many clients already")],
  ["the database says: could not extend file: No space", ofServer("53100", "could not extend file: No space")],
  ["the database fails (28P01)", ofServer("28P01", 'password authentication failed for user "secret"')],
  ["the database fails (3D000)", ofServer("3D000", 'database "secret" does not exist')],
  ["the database cannot be reached (ECONNREFUSED)", { name: "Error", code: "ECONNREFUSED", message: "secret" }],
  ["the database cannot be reached", "secret"],
])("%s", (said, cause) => {
  expect(saidOf(cause)).toBe(said)
})
