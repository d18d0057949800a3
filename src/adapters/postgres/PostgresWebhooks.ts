/** The WebhookStore port in PostgreSQL, in the registry. */
import { Effect, Layer } from "effect"
import type postgres from "postgres"
import { type StoreError, StoreUnavailable } from "../../model/errors.ts"
import type { Webhook, WebhookBatch } from "../../model/events/webhook.ts"
import { type WebhookClaims, WebhookStore, type WebhookTally } from "../../ports/WebhookStore.ts"
import { Database, type DatabaseShape } from "./database/Database.ts"

interface Row {
  readonly id: string
  readonly version: number
  readonly url: string
  readonly secret: string
  readonly chains: string
  readonly filter: string
  readonly only_final: boolean
  readonly created_at: number
  readonly state: Webhook["state"]
  readonly problem?: string
  readonly positions: string
  readonly awaited: string
  readonly sequence: number
  readonly batch_id?: string
  readonly batch_body?: string
  readonly batch_positions?: string
  readonly batch_awaited?: string
  readonly attempts: number
  readonly failing_since?: number
  readonly next_try_at?: number
}

export const layer = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const database = yield* Database
    const { sql } = database
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
      create: (webhook) =>
        Effect.asVoid(
          database.query(
            () => sql`
              insert into ${table} (id, url, secret, chains, filter, only_final, created_at, positions)
              values (${webhook.id}, ${webhook.url}, ${webhook.secret}, ${JSON.stringify(webhook.chains)},
                ${JSON.stringify(webhook.filter)}, ${webhook.onlyFinal}, ${webhook.createdAt}, ${webhook.positions})`,
          ),
        ),
      list: Effect.map(
        database.query(() => sql<Array<Row>>`select * from ${table} order by created_at, id`),
        (rows) => rows.map(webhookOf),
      ),
      find: (id) =>
        Effect.map(
          database.query(() => sql<Array<Row>>`select * from ${table} where id = ${id}`),
          ([row]) => row && webhookOf(row),
        ),
      change: (id, { url, secret, filter, state, positions }) =>
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
                    : sql`, positions = ${positions}, ${untried()}`
                }
              where id = ${id} returning id`,
          ),
          ({ length }) => length === 1,
        ),
      remove: (id) =>
        Effect.map(
          database.query(() => sql`delete from ${table} where id = ${id} returning id`),
          ({ length }) => length === 1,
        ),
      active: Effect.map(
        database.query(
          () => sql<Array<Pick<Row, "id" | "version">>>`select id, version from ${table} where state = 'active'`,
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
        database.query(
          () => sql<[WebhookTally]>`
            select (count(*) filter (where state = 'active' and failing_since is null))::int4 as active,
                   (count(*) filter (where state = 'active' and failing_since is not null))::int4 as failing,
                   (count(*) filter (where state = 'paused'))::int4 as paused,
                   coalesce(sum(sequence), 0)::float8 as batches, coalesce(sum(attempts), 0)::float8 as attempts
            from ${table}`,
        ),
        ([row]) => row,
      ),
      claims: openClaims(database),
    })
  }),
)

/** One session holds them all: with it they go, and others take them. */
const openClaims = (database: DatabaseShape) =>
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

const webhookOf = (row: Row): Webhook => {
  const batch: WebhookBatch | undefined =
    row.batch_id === undefined
      ? undefined
      : {
          id: row.batch_id,
          body: row.batch_body!,
          positions: row.batch_positions!,
          awaited: JSON.parse(row.batch_awaited!),
        }
  return {
    id: row.id,
    version: row.version,
    url: row.url,
    secret: row.secret,
    chains: JSON.parse(row.chains),
    filter: JSON.parse(row.filter),
    onlyFinal: row.only_final,
    createdAt: row.created_at,
    state: row.state,
    ...(row.problem === undefined ? {} : { problem: row.problem }),
    positions: row.positions,
    awaited: JSON.parse(row.awaited),
    sequence: row.sequence,
    ...(batch && { batch }),
    attempts: row.attempts,
    ...(row.failing_since === undefined ? {} : { failingSince: row.failing_since }),
    ...(row.next_try_at === undefined ? {} : { nextTryAt: row.next_try_at }),
  }
}
