/** The WebhookStore port in PostgreSQL, in the registry. */
import { Effect, Layer } from "effect"
import type postgres from "postgres"
import type { StoreError } from "../../../model/errors.ts"
import type { Webhook } from "../../../model/events/webhook.ts"
import { makeShared } from "../../../model/time/shared.ts"
import { WebhookStore, type WebhookTally } from "../../../ports/WebhookStore.ts"
import { Database } from "../database/Database.ts"
import { openClaims } from "./webhookClaims.ts"
import { type WebhookRow, webhookOf } from "./webhookRow.ts"

export const layer = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const database = yield* Database
    const { sql, probes } = database
    const shared = makeShared<StoreError>()
    const table = sql(`${database.schema}.webhook`)
    const untried = () => sql`
      batch_id = null, batch_body = null, batch_positions = null, batch_awaited = null,
      attempts = 0, problem = null, failing_since = null, next_try_at = null`
    /** Where it is as whoever writes knows it. */
    const write = ({ id, version, sequence }: Webhook, assignments: () => postgres.Fragment) =>
      Effect.map(
        database.query(
          () => sql`
            update ${table} set ${assignments()}
            where id = ${id} and version = ${version} and sequence = ${sequence} returning id`,
        ),
        ({ length }) => length === 1,
      )
    return WebhookStore.of({
      // A statement whose answer was lost is run once more: the webhook may be there by then.
      create: (webhook) =>
        Effect.asVoid(
          database.query(
            () => sql`
              insert into ${table} (id, url, secret, chains, filter, only_final, created_at, positions, awaited)
              values (${webhook.id}, ${webhook.url}, ${webhook.secret}, ${JSON.stringify(webhook.chains)},
                ${JSON.stringify(webhook.filter)}, ${webhook.onlyFinal}, ${webhook.createdAt}, ${webhook.positions},
                ${JSON.stringify(webhook.awaited ?? {})})
              on conflict (id) do nothing`,
          ),
        ),
      list: Effect.map(
        database.query(
          () => sql<Array<WebhookRow>>`
            select id, version, url, secret, chains, filter, only_final, created_at, state, problem, positions, awaited,
                   sequence, attempts, failing_since, next_try_at
            from ${table} where state <> 'removed' order by created_at, id`,
        ),
        (rows) => rows.map(webhookOf),
      ),
      find: (id) =>
        Effect.map(
          database.query(() => sql<Array<WebhookRow>>`select * from ${table} where id = ${id} and state <> 'removed'`),
          ([row]) => row && webhookOf(row),
        ),
      change: (id, { url, secret, filter, state, positions, awaited }, seen) =>
        Effect.map(
          database.query(
            () => sql`
              update ${table} set version = version + 1
                ${url === undefined ? sql`` : sql`, url = ${url}`}
                ${secret === undefined ? sql`` : sql`, secret = ${secret}`}
                ${filter === undefined ? sql`` : sql`, filter = ${JSON.stringify(filter)}`}
                ${state === undefined ? sql`` : sql`, state = ${state}`}
                ${
                  positions === undefined
                    ? sql`, attempts = 0, problem = null, failing_since = null, next_try_at = null`
                    : sql`, positions = ${positions}, awaited = ${JSON.stringify(awaited)}, ${untried()}`
                }
              where id = ${id} and state <> 'removed'
                ${
                  seen === undefined
                    ? sql``
                    : sql`and version = ${seen.version} and sequence = ${seen.sequence}
                        and batch_id is not distinct from ${seen.batch?.id ?? null}`
                }
              returning id`,
          ),
          ({ length }) => length === 1,
        ),
      // How many batches it was given stays, in one row for all that were removed: a count of them all never falls.
      remove: (id) =>
        database.transact(async (tx, run) => {
          const gone = await run(
            tx<Array<{ state: string; sequence: string }>>`
              delete from ${table} where (id = ${id} or state = 'removed') and id <> ${removedId} returning state, sequence`,
          )
          if (gone.length === 0) return false
          const batches = gone.reduce((sum, { sequence }) => sum + BigInt(sequence), 0n)
          await run(tx`
            insert into ${table} as known (id, state, sequence, url, secret, chains, filter, only_final, created_at, positions)
            values (${removedId}, 'removed', ${String(batches)}::int8, '', '', '[]', '{}', false, 0, '')
            on conflict (id) do update set sequence = known.sequence + excluded.sequence`)
          return gone.some(({ state }) => state !== "removed")
        }),
      active: Effect.map(
        database.query(
          () => sql<Array<Pick<WebhookRow, "id" | "version">>>`select id, version from ${table} where state = 'active'`,
        ),
        (rows) => new Map(rows.map(({ id, version }) => [id, version])),
      ),
      begin: (webhook, { id, body, positions, awaited }) =>
        write(
          webhook,
          () => sql`
            batch_id = ${id}, batch_body = ${body}, batch_positions = ${positions},
            batch_awaited = ${JSON.stringify(awaited)}`,
        ),
      settle: (webhook, { positions, awaited }) =>
        write(
          webhook,
          () => sql`
            positions = ${positions}, awaited = ${JSON.stringify(awaited)}, sequence = sequence + 1, ${untried()}`,
        ),
      fail: (webhook, { problem, failingSince, nextTryAt }) =>
        write(
          webhook,
          () => sql`
            problem = ${problem}, failing_since = ${failingSince}, next_try_at = ${nextTryAt},
            attempts = attempts + 1`,
        ),
      pause: (webhook, problem) => write(webhook, () => sql`state = 'paused', problem = ${problem}`),
      moveOn: (webhook, positions) => write(webhook, () => sql`positions = ${positions}`),
      tally: Effect.map(
        shared(
          "tally",
          probes.query(
            () => probes.sql<[WebhookTally]>`
              select (count(*) filter (where state = 'active' and failing_since is null))::int4 as active,
                     (count(*) filter (where state = 'active' and failing_since is not null))::int4 as failing,
                     (count(*) filter (where state = 'paused'))::int4 as paused,
                     coalesce(sum(sequence), 0)::float8 as batches, coalesce(sum(attempts), 0)::float8 as attempts
              from ${table}`,
          ),
        ),
        ([row]) => row,
      ),
      claims: openClaims(database),
    })
  }),
)

/** Of the row that stands for all webhooks that were removed: no webhook has it. Older versions left a row of each. */
const removedId = ""
