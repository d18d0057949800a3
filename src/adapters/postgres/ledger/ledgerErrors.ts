/** A failure of the database as the port's error; one that its operator must end is said in plain words. */
import { Effect } from "effect"
import { LedgerUnavailable } from "../../../ports/Ledger.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { LetInNobody } from "../database/held.ts"
import { TablesInUse } from "../database/locks/tablesInUse.ts"
import { isOfStatement, ofServer } from "../database/pool.ts"
import { TablesAreOlder } from "../database/registry.ts"
import { FenceBroken } from "./state/checkpoint.ts"
import { OtherServer, ServerSilent } from "./wire/silence.ts"

/** A row that is there already, a table or schema that is gone: the ledger is not as the writer left it. */
const moved = ["23505", "42P01", "3F000"]

/** The same of a COPY to a distributed server, which gives such a failure a state that says nothing. */
const isTaken = /^duplicate key value violates unique constraint/

/** What passes when the server's operator, or time, has done something, by SQLSTATE: until when it is waited for. */
const passingStates: Readonly<Record<string, string>> = {
  "25006": "it does",
  "28000": "it takes it. Another password is read at a start alone",
  "28P01": "it takes it. Another password is read at a start alone",
  "53100": "there is some",
  "53300": "it does",
  "57P03": "it is",
}

/** What the writer did took longer than its deadline. */
export class GivenUp extends Error {
  constructor(deadlineMs: number) {
    super(`given up after ${deadlineMs} ms`)
  }
}

export const unavailable = (cause: unknown): LedgerUnavailable => {
  if (cause instanceof GivenUp) {
    const problem = `the database was not done with what it was to store (${cause.message}): it is tried again`
    return new LedgerUnavailable({ cause, problem, isLate: true })
  }
  if (
    cause instanceof ServerSilent ||
    cause instanceof OtherServer ||
    cause instanceof LetInNobody ||
    cause instanceof TablesInUse
  )
    return new LedgerUnavailable({ cause, problem: cause.message })
  if (cause instanceof TablesAreOlder) {
    const problem =
      "its tables are of an older version, and another process has it open: they are brought up to date, and it is followed here, once nobody has. Stop every process of the older version, those that wait as well"
    return new LedgerUnavailable({ cause, problem })
  }
  const { code, message = "" } = Object(cause) as Readonly<Record<"code" | "message", string>>
  if (moved.includes(String(code)) || isTaken.test(message) || cause instanceof FenceBroken) {
    const problem = "the stored ledger was moved by another writer, or a resync took its place: it is opened again"
    return new LedgerUnavailable({ cause, problem })
  }
  const isFull = /no space left|file too large|quota exceeded/i.test(message)
  const state = isFull ? "53100" : String(code)
  const until = passingStates[state]
  if (until === undefined) {
    const refused = { problem: `the database fails (${message}); it is asked again every few seconds` }
    return new LedgerUnavailable({ cause, ...(isOfStatement(cause) && refused) })
  }
  const problem = `the database ${ofServer[state]} (${state}); it goes on by itself once ${until}`
  return new LedgerUnavailable({ cause, problem })
}

export const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, LedgerUnavailable> =>
  Effect.tryPromise({ try: work, catch: unavailable })

/**
 * Something short, asked over the readers' pool. Its connections may be dead without a word, and nobody watches them: what
 * comes to nothing in a read's time is given up, and all that is asked from then on goes over new ones.
 */
export const askBriefly = <A>(
  database: DatabaseShape,
  read: (sql: DatabaseShape["sql"]) => Promise<A>,
): Effect.Effect<A, LedgerUnavailable> =>
  database
    .query(() => read(database.sql))
    .pipe(
      Effect.mapError((error) => {
        if (error._tag === "StoreUnavailable") return unavailable(error.cause)
        database.renew()
        const problem = "no word from the database over the readers' connections: it is asked again over new ones"
        return new LedgerUnavailable({ cause: error, problem })
      }),
    )
