/** Which webhooks this instance alone delivers: by advisory locks. */
import { Effect } from "effect"
import type postgres from "postgres"
import { type StoreError, StoreUnavailable } from "../../../model/errors.ts"
import type { WebhookClaims } from "../../../ports/WebhookStore.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { type HeldConnection, openHeld } from "../database/held.ts"

/** `answerMs`: a read's time. `lookMs`: between two looks whether the server is still there. */
const usual = { answerMs: 25_000, lookMs: 30_000 }

/** One session holds them all: with it they go, and others take them. */
export const openClaims = (database: DatabaseShape, { answerMs, lookMs } = usual) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async (): Promise<WebhookClaims & { readonly end: () => void }> => {
        const held = await openHeld(database, {
          lost: "the connection of the webhooks' locks was lost",
          // A pooler may let in whom it has no connection for.
          first: (sql) => sql`select`,
        })
        const ask = <A>(statement: (sql: postgres.ReservedSql) => Promise<A>) => answered(held, answerMs, statement)
        // Who holds all that there is asks for nothing, and on another server that took this one's place somebody else may hold it.
        const looks = setInterval(
          () =>
            ask((sql) => sql`select`).catch(() => {
              // One that failed by itself says nothing of the session.
              if (held.failure() !== undefined) clearInterval(looks)
            }),
          lookMs,
        )
        looks.unref()
        const name = (id: string) => `webhook ${database.schema} ${id}`
        return {
          take: (id) =>
            asked(async () => {
              const [row] = await ask(
                (sql) => sql<[{ taken: boolean }]>`
                  select pg_try_advisory_lock(hashtextextended(${name(id)}, 0)) as taken`,
              )
              return row.taken
            }),
          release: (id) =>
            Effect.ignore(asked(() => ask((sql) => sql`select pg_advisory_unlock(hashtextextended(${name(id)}, 0))`))),
          isLost: () => held.failure() !== undefined,
          end: () => {
            clearInterval(looks)
            held.fail(new Error("the webhooks' locks were given back"))
          },
        }
      },
      catch: (cause): StoreError => new StoreUnavailable({ cause }),
    }),
    ({ end }) => Effect.sync(end),
  )

/** A server that went from the net ends no connection: what gets no answer in time ends this one. */
const answered = async <A>(
  held: HeldConnection,
  answerMs: number,
  statement: (sql: postgres.ReservedSql) => Promise<A>,
): Promise<A> => {
  const late = setTimeout(
    () => held.fail(new Error(`no word from the database for ${answerMs / 1000} s over the webhooks' locks`)),
    answerMs,
  )
  try {
    return await held.run(statement)
  } finally {
    clearTimeout(late)
  }
}

const asked = <A>(statement: () => Promise<A>): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({ try: statement, catch: (cause) => new StoreUnavailable({ cause }) })
