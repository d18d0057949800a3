/** Costly reads that hang in PostgreSQL, of two chains: readiness, metrics, and cheap reads of one chain and of all go on beside them. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type postgres from "postgres"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { testDatabase } from "../../support/postgres.ts"
import { prefix, startService, store, syncStatus, type TestService } from "../support.ts"
import { avalanche, ethereum, gold } from "../world.ts"

let service: TestService
let admin: postgres.Sql
beforeAll(async () => {
  const url = await testDatabase()
  admin = makeClient({ url, max: 2 })
  const status = [syncStatus("43114", { headBlock: 4 }), syncStatus("1", { headBlock: 22, firstBlock: 20 })]
  service = await startService({ storeLayer: PostgresStore.layer({ url }), status })
  await store(service, "43114", avalanche())
  await store(service, "1", ethereum())
})
afterAll(async () => {
  await service.close()
  await admin.end()
})

const base = prefix("43114")
/** What only costly reads look into. */
const whileHeld = (work: () => Promise<void>) =>
  admin.begin(async (holder) => {
    await holder`lock table cowry_43114.balance_history in access exclusive mode`
    await work()
  })

const waitingForLock = async (count: number): Promise<void> => {
  for (;;) {
    const [row] = await admin`
      select count(*)::int as held from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    if (row!.held >= count) return
  }
}

const costly = [
  `${base}/erc20/${gold}/holders?blockNumber=2`,
  `${base}/erc20-transfers?address=${gold}&tokenAddress=${gold}&limit=1000`,
  `${base}/compat/api?module=token&action=tokenholderlist&contractaddress=${gold}&blockno=2`,
]

test("40 costly reads of one caller", async () => {
  await whileHeld(async () => {
    const hanging = new AbortController()
    const reads = Array.from({ length: 40 }, (_, number) =>
      service.fetch(`${costly[number % costly.length]!}&ask=${number}`, { signal: hanging.signal }, "192.0.2.7"),
    )
    await waitingForLock(2)
    for (const ip of ["192.0.2.7", "192.0.2.8"]) {
      const ready = await service.get("/ready", {}, ip)
      expect([ready.status, ready.body.store]).toEqual([200, "ok"])
      expect(await (await service.fetch("/metrics", {}, ip)).text()).toContain("cowry_store_up 1\n")
      for (const path of [`${base}/erc20`, `${prefix("all")}/erc20`, `${prefix("all")}/erc20-transfers`])
        expect((await service.get(path, {}, ip)).status).toBe(200)
      const refusals = Array.from({ length: 100 }, () => service.get(`${prefix("all")}/erc20?limit=x`, {}, ip))
      expect(new Set((await Promise.all(refusals)).map(({ status }) => status))).toEqual(new Set([400]))
    }
    // Another caller's costly read is in the database too, beside those of the first.
    const other = service.fetch(`${costly[0]!}&ask=other`, { signal: hanging.signal }, "192.0.2.8")
    await waitingForLock(3)
    hanging.abort()
    await Promise.all([...reads, other])
  })
})

test("readiness asked for by many at a time costs a statement, and a metric's too", async () => {
  const asked = await Promise.all(Array.from({ length: 200 }, () => service.get("/ready")))
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
  const [row] = await admin`
    select count(*)::int as sessions from pg_stat_activity where datname = current_database() and application_name = 'cowry'`
  // The readers' pool, the probes' own, two writers and this one's, and the one that hears of commits.
  expect(row!.sessions).toBeLessThanOrEqual(12 + 2 + 2 + 2 + 1)
})

test("more reads than connections: none waits behind one that hangs", async () => {
  await whileHeld(async () => {
    const hanging = new AbortController()
    const reads = ["192.0.2.7", "192.0.2.8", "192.0.2.9"].map((ip) =>
      service.fetch(`${costly[0]!}&ask=${ip}`, { signal: hanging.signal }, ip),
    )
    await waitingForLock(3)
    const cheap = Array.from({ length: 400 }, (_, number) =>
      service.get(`${base}/erc20-transfers?limit=${1 + (number % 50)}`, {}, `192.0.2.${number % 50}`),
    )
    expect(new Set((await Promise.all(cheap)).map(({ status }) => status))).toEqual(new Set([200]))
    hanging.abort()
    await Promise.all(reads)
  })
})
