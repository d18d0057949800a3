/** Which webhooks this instance alone delivers: by advisory locks. */
import { Effect } from "effect"
import { type StoreError, StoreUnavailable } from "../../../model/errors.ts"
import type { WebhookClaims } from "../../../ports/WebhookStore.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { openHeld } from "../database/held.ts"

/** One session holds them all: with it they go, and others take them. */
export const openClaims = (database: DatabaseShape) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async (): Promise<WebhookClaims & { readonly end: () => void }> => {
        const held = await openHeld(database, {
          lost: "the connection of the webhooks' locks was lost",
          // A pooler may let in whom it has no connection for.
          first: (sql) => sql`select`,
        })
        const name = (id: string) => `webhook ${database.schema} ${id}`
        return {
          take: (id) =>
            asked(async () => {
              const [row] = await held.run(
                (sql) => sql<[{ taken: boolean }]>`
                  select pg_try_advisory_lock(hashtextextended(${name(id)}, 0)) as taken`,
              )
              return row.taken
            }),
          release: (id) =>
            Effect.ignore(
              asked(() => held.run((sql) => sql`select pg_advisory_unlock(hashtextextended(${name(id)}, 0))`)),
            ),
          isLost: () => held.failure() !== undefined,
          end: () => held.fail(new Error("the webhooks' locks were given back")),
        }
      },
      catch: (cause): StoreError => new StoreUnavailable({ cause }),
    }),
    ({ end }) => Effect.sync(end),
  )

const asked = <A>(statement: () => Promise<A>): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({ try: statement, catch: (cause) => new StoreUnavailable({ cause }) })
