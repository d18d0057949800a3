/** A failure of the database as the port's error; one that its operator must end is said in plain words. */
import { Effect } from "effect"
import { LedgerUnavailable } from "../../../ports/Ledger.ts"
import { FenceBroken } from "./state/checkpoint.ts"
import { ServerSilent } from "./wire/silence.ts"

/** A row that is there already, a table or schema that is gone: the ledger is not as the writer left it. */
const moved = ["23505", "42P01", "3F000"]

export const unavailable = (cause: unknown): LedgerUnavailable => {
  if (cause instanceof ServerSilent) return new LedgerUnavailable({ cause, problem: cause.message })
  const { code, message = "" } = Object(cause) as { readonly code?: unknown; readonly message?: string }
  if (moved.includes(String(code)) || cause instanceof FenceBroken) {
    const problem = "the stored ledger was moved by another writer, or a resync took its place: it is opened again"
    return new LedgerUnavailable({ cause, problem })
  }
  const isFull = code === "53100" || /no space left|file too large|quota exceeded/i.test(message)
  if (!isFull) return new LedgerUnavailable({ cause })
  const problem = `the database has no room left (${message}); it goes on by itself once there is some`
  return new LedgerUnavailable({ cause, problem })
}

export const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, LedgerUnavailable> =>
  Effect.tryPromise({ try: work, catch: unavailable })
