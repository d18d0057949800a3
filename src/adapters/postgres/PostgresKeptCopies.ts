/** The KeptCopies port in PostgreSQL, in the registry. */
import { Effect, Layer } from "effect"
import { KeptCopies } from "../../ports/KeptCopies.ts"
import { Database } from "./database/Database.ts"

export const layer = Layer.effect(
  KeptCopies,
  Effect.gen(function* () {
    const database = yield* Database
    const { sql } = database
    const table = sql(`${database.schema}.kept_copy`)
    return KeptCopies.of({
      find: Effect.fn("PostgresKeptCopies.find")(function* (key) {
        const [found] = yield* database.query(
          () => sql<Array<{ text: string; etag?: string; checked_at: number }>>`
            select text, etag, checked_at from ${table} where key = ${key}`,
        )
        if (found === undefined) return undefined
        const { text, etag, checked_at } = found
        return { text, ...(etag === undefined ? {} : { etag }), checkedAt: checked_at }
      }),
      keep: (key, { text, etag, checkedAt }) =>
        database
          .query(
            () => sql`
              insert into ${table} as c (key, text, etag, checked_at)
              values (${key}, ${text}, ${etag ?? null}, ${checkedAt}::int8)
              on conflict (key) do update
                set text = excluded.text, etag = excluded.etag, checked_at = excluded.checked_at
                where c.checked_at <= excluded.checked_at`,
          )
          .pipe(Effect.asVoid, Effect.withSpan("PostgresKeptCopies.keep")),
    })
  }),
)
