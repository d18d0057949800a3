/** Which webhooks this instance alone delivers: by advisory locks. */
import { Effect } from "effect"
import { type StoreError, StoreUnavailable } from "../../../model/errors.ts"
import type { WebhookClaims } from "../../../ports/WebhookStore.ts"
import type { DatabaseShape } from "../database/Database.ts"

/** One session holds them all: with it they go, and others take them. */
export const openClaims = (database: DatabaseShape) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async (): Promise<WebhookClaims & { readonly end: () => Promise<void> }> => {
        let lost = false
        const client = database.connect({ max: 1, onClose: () => (lost = true) })
        const sql = await client.reserve()
        const name = (id: string) => `webhook ${database.schema} ${id}`
        return {
          take: (id) =>
            asked(async () => {
              const [row] = await sql<[{ taken: boolean }]>`
                select pg_try_advisory_lock(hashtextextended(${name(id)}, 0)) as taken`
              return row.taken
            }),
          release: (id) =>
            Effect.ignore(
              asked(async () => {
                await sql`select pg_advisory_unlock(hashtextextended(${name(id)}, 0))`
              }),
            ),
          isLost: () => lost,
          end: () => client.end({ timeout: 0 }).catch(() => {}),
        }
      },
      catch: (cause): StoreError => new StoreUnavailable({ cause }),
    }),
    ({ end }) => Effect.promise(end),
  )

const asked = <A>(statement: () => Promise<A>): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({ try: statement, catch: (cause) => new StoreUnavailable({ cause }) })
