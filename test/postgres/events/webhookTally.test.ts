/** What `/metrics` says of webhooks waits for no reader, is read once for all who ask, and costs the same however many were removed. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Database } from "../../../src/adapters/postgres/database/Database.ts"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import * as PostgresWebhooks from "../../../src/adapters/postgres/registry/PostgresWebhooks.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { WebhookStore } from "../../../src/ports/WebhookStore.ts"
import { testSettings } from "../../support/givenServer.ts"
import { hearStatements } from "../database/lint.ts"

const heard = hearStatements()
const sent: Array<string> = []
let areReadersTaken = false
let runtime: ManagedRuntime.ManagedRuntime<WebhookStore | Database, unknown>
beforeAll(async () => {
  const database = PostgresDatabase.layer({
    ...(await testSettings()),
    observe: (statement) => {
      heard.observe(statement)
      sent.push(statement)
    },
  })
  const taken = Layer.effect(
    Database,
    Database.use((own) =>
      Effect.succeed({
        ...own,
        query: (statement) => Effect.suspend(() => (areReadersTaken ? Effect.never : own.query(statement))),
      } satisfies typeof own),
    ),
  )
  runtime = ManagedRuntime.make(PostgresWebhooks.layer.pipe(Layer.provideMerge(taken), Layer.provide(database)))
  // A kept plan comes by the fifth asking.
  for (const id of ids) await store((it) => it.create({ ...webhook, id }))
})
afterAll(() => runtime.dispose())

const store = <A, E>(work: (it: WebhookStore["Service"]) => Effect.Effect<A, E>) =>
  runtime.runPromise(WebhookStore.use(work))
const ids = ["a", "b", "c", "d", "e", "f", "g"]
const webhook = {
  url: "https://example.com/hook",
  secret: "whsec_none",
  chains: [ChainId.make("1")],
  filter: {},
  onlyFinal: false,
  createdAt: 1,
  positions: "",
}
const batch = { id: "msg", body: "{}", positions: "", awaited: {} }
const tally = () => store((it) => it.tally)

test("it waits for no reader, and many who ask cost one statement", async () => {
  areReadersTaken = true
  const before = sent.length
  try {
    const told = await Promise.all(Array.from({ length: 40 }, tally))
    expect(new Set(told.map(({ active }) => active))).toEqual(new Set([7]))
    const statements = sent.slice(before).filter((it) => it.includes("webhook"))
    expect(statements.length).toBeLessThanOrEqual(2)
  } finally {
    areReadersTaken = false
  }
})

test("of all that were removed one row stays, with the batches that they took", async () => {
  for (const id of ids) {
    await store((it) => it.begin({ ...webhook, ...fresh, id }, batch))
    await store((it) => it.settle({ ...webhook, ...fresh, id }, batch))
  }
  const rows = () =>
    runtime.runPromise(
      Database.use(({ query, sql, schema }) =>
        query(() => sql<Array<{ id: string }>>`select id from ${sql(schema)}.webhook order by id`),
      ),
    )
  // Of an older version: a row of each that was removed.
  await runtime.runPromise(
    Database.use(({ query, sql, schema }) =>
      query(() => sql`update ${sql(schema)}.webhook set state = 'removed' where id in ('a', 'b')`),
    ),
  )
  for (const id of ["c", "d", "e", "f"]) expect(await store((it) => it.remove(id))).toBe(true)
  for (const id of ["a", "c", "", "none"]) expect(await store((it) => it.remove(id))).toBe(false)
  expect((await rows()).map(({ id }) => id)).toEqual(["", "g"])
  expect(await tally()).toEqual({ active: 1, failing: 0, paused: 0, batches: 7, attempts: 0 })
  expect((await store((it) => it.list)).map(({ id }) => id)).toEqual(["g"])
  expect(await store((it) => it.find(""))).toBeUndefined()
  // Whoever delivers one that was removed writes nothing.
  expect(await store((it) => it.begin({ ...webhook, ...fresh, id: "c", sequence: 1 }, batch))).toBe(false)
  expect(heard.faults()).toEqual([])
})

const fresh = { version: 1, state: "active", awaited: {}, sequence: 0, attempts: 0 } as const
