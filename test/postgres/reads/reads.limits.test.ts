/** Where reads in PostgreSQL stop: the budget of a walk, the cap of a count, the time a server allows. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryWantedCodes from "../../../src/adapters/memory/MemoryWantedCodes.ts"
import { makeClient, readerParameters } from "../../../src/adapters/postgres/database/client.ts"
import { Database } from "../../../src/adapters/postgres/database/Database.ts"
import { databaseOf } from "../../../src/adapters/postgres/database/databaseOf.ts"
import { ledgerMigrations, migrate } from "../../../src/adapters/postgres/database/migrate.ts"
import * as PostgresHolders from "../../../src/adapters/postgres/reads/holders/PostgresHolders.ts"
import { listHolders } from "../../../src/domain/reads/holders.ts"
import { StoreUnavailable } from "../../../src/model/errors.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import type { TransferFilter } from "../../../src/model/transfer.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { testDatabase } from "../../support/postgres.ts"
import { openReads, type Reads } from "./reads.support.ts"

const [sender, receiver, wrapper] = [address(0xc1), address(0xc2), address(0xc3)]
const [token, wrappedNative] = [address(0xd1), address(0xd2)]
const rows = 10_050
const deposits = 130_000

let reads: Reads
let run: ReturnType<Reads["reads"]>["run"]

/** One transfer a block from sender to receiver; an account that did nothing but wrap, in far more blocks than a walk may see. */
beforeAll(async () => {
  reads = await openReads(18)
  run = reads.reads("limits").run
  await migrate(reads.sql, "limits_1", ledgerMigrations)
  await reads.sql.begin(async (sql) => {
    await sql`set local search_path to limits_1`
    await sql`insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_time, erc20_transfers)
      values (1, '', '{}', 0, ${deposits}, ${hash("head")}, ${deposits}, ${rows})`
    for (const [id, at] of [token, wrappedNative].entries()) {
      await sql`insert into token (token_id, standard, address, first_pos, sort_time) values (${id}, 20, ${at}, 0, 0)`
    }
    await sql`insert into erc20_transfer
      select n::int8 << 24, n, 0, ${hash("tx")}, ${sender}, ${receiver}, 1 from generate_series(0, ${rows - 1}) n`
    for (const [index, holder] of [sender, receiver].entries()) {
      await sql`insert into balance values (0, ${index}, ${rows - 1}, ${holder}, 1)`
      await sql`insert into balance_history select 0, ${index}, n, 1 from generate_series(0, ${rows - 2}) n`
    }
    await sql`insert into balance values (1, 0, ${deposits}, ${wrapper}, 1)`
    await sql`insert into balance_history select 1, 0, n, 1 from generate_series(0, ${deposits - 1}) n`
  })
})
afterAll(() => reads.close())

const list = (filter: TransferFilter, limit = 1) =>
  run(
    TransferStore.use((store) =>
      store.list({
        standard: "erc20",
        chains: [ChainId.make("1")],
        filter,
        direction: "desc",
        page: { limit },
        count: true,
      }),
    ).pipe(
      Effect.match({
        onSuccess: ({ value }) => ({ items: value.items.length, hasMore: value.hasMore, count: value.count }),
        onFailure: (failure) => ({ tag: failure._tag, message: failure.message }),
      }),
    ),
  )

test("a walk through more blocks than its budget is refused, naming the narrower filters", async () => {
  expect<unknown>(await list({ address: [wrapper] })).toEqual({
    tag: "QueryTooSlow",
    message:
      "too many blocks to look through for these addresses: add tokenAddress, or blockNumberFrom and blockNumberTo",
  })
})

test("the narrower filters are answered", async () => {
  const none = { items: 0, hasMore: false, count: { count: 0, countType: "exact" } }
  expect<unknown>(await list({ address: [wrapper], tokenAddress: [token] })).toEqual(none)
  expect<unknown>(await list({ address: [wrapper], blockNumberFrom: 0, blockNumberTo: 50_000 })).toEqual(none)
})

test("the other side of a filter leads where it has fewer blocks to look through", async () => {
  const none = { items: 0, hasMore: false, count: { count: 0, countType: "exact" } }
  expect<unknown>(await list({ from: [wrapper], to: [receiver] })).toEqual(none)
  expect<unknown>(await list({ from: [sender], to: [wrapper] })).toEqual(none)
})

test("a count under a filter is exact up to 10,000 and a lower bound beyond", async () => {
  const capped = { count: 10_000, countType: "lowerBound" }
  for (const filter of [{ from: [sender] }, { address: [sender, receiver] }, { blockNumberFrom: 1 }]) {
    expect<unknown>(await list(filter)).toEqual({ items: 1, hasMore: true, count: capped })
    const atTheCap = { ...filter, blockNumberFrom: 1, blockNumberTo: 10_000 }
    expect<unknown>(await list(atTheCap, 1000)).toEqual({
      items: 1000,
      hasMore: true,
      count: { count: 10_000, countType: "exact" },
    })
    expect<unknown>(await list({ ...atTheCap, blockNumberTo: 10_001 })).toEqual({
      items: 1,
      hasMore: true,
      count: capped,
    })
  }
  expect<unknown>(await list({})).toEqual({ items: 1, hasMore: true, count: { count: rows, countType: "exact" } })
})

test("a count whose walk outlasts its budget says how many it met at least", async () => {
  // Nothing but the newest rows passes: the page is found at once, the count goes on through all the deposits.
  await reads.sql`insert into limits_1.erc20_transfer
    select ${deposits}::int8 << 24 | n, 0, 1, ${hash("tx")}, ${wrapper}, ${sender}, 1 from generate_series(1, 3) n`
  expect<unknown>(await list({ from: [wrapper] })).toEqual({
    items: 1,
    hasMore: true,
    count: { count: 3, countType: "lowerBound" },
  })
})

test("a list as of a block that takes too long is given up, on the server too, and says what would not", async () => {
  const url = await testDatabase(18)
  const admin = makeClient({ url, max: 2 })
  const sql = makeClient({ url, max: 1, parameters: readerParameters })
  await migrate(admin, "slow_1", ledgerMigrations)
  await admin`insert into slow_1.state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_time)
    values (1, '', '{}', 0, 10, ${hash("head")}, 0)`
  const database = Layer.succeed(Database, databaseOf(sql, { url, schema: "slow", queryBudgetMs: 1000 }))
  const list = listHolders("erc20", {
    chainId: ChainId.make("1"),
    token,
    page: { limit: 5 },
    count: false,
    blockNumber: 3,
  }).pipe(Effect.provide([PostgresHolders.layer.pipe(Layer.provide(database)), MemoryWantedCodes.layer]))
  await admin.begin(async (holder) => {
    await holder`lock table slow_1.balance_history in access exclusive mode`
    expect<unknown>(await Effect.runPromise(Effect.flip(list))).toMatchObject({
      _tag: "QueryTooSlow",
      message: "this takes too long as of block 3: leave the block out, or ask for one nearer to the head",
    })
    const waiting = () =>
      holder`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    while ((await waiting()).length > 0) {}
  })
  expect((await Effect.runPromise(list)).items).toEqual([])
  await sql.end()
  await admin.end()
})

test("a statement past the server's own statement_timeout is too slow, not a failing store", async () => {
  const url = await testDatabase(18)
  const sql = makeClient({ url, max: 1, parameters: { statement_timeout: "500" } })
  const { query } = databaseOf(sql, { url })
  expect<unknown>(await Effect.runPromise(Effect.flip(query(() => sql`select pg_sleep(30)`)))).toMatchObject({
    _tag: "QueryTooSlow",
    message: "the query took longer than the database allows: ask for less",
  })
  expect(await Effect.runPromise(Effect.flip(query(() => sql`select nothing`)))).toBeInstanceOf(StoreUnavailable)
  await sql.end()
})
