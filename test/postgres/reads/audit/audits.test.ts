/** Records of comparisons beside the ledger's writer: each is there with the revision that tells of it, and neither locks the other out. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import postgres from "postgres"
import * as PostgresStore from "../../../../src/adapters/postgres/PostgresStore.ts"
import type { AuditState } from "../../../../src/model/audit.ts"
import type { Address, ChainId } from "../../../../src/model/primitives.ts"
import { AuditStore } from "../../../../src/ports/AuditStore.ts"
import { freshChainId, openStore, type TestStore } from "../../../contracts/store.ts"
import { address, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { testDatabase } from "../../../support/postgres.ts"

const [older, younger] = [address(0x9001), address(0x9002)]

let store: TestStore
let admin: postgres.Sql
beforeAll(async () => {
  const url = await testDatabase()
  admin = postgres(url, { max: 2, onnotice: () => {} })
  store = await openStore(async () => PostgresStore.layer({ url }))
})
afterAll(async () => {
  // First: the store may wait for a row that a test that failed still holds.
  await admin.end({ timeout: 1 })
  await store.close()
})

/** The younger token is born in block 1. */
const begin = async () => {
  const chainId = freshChainId()
  const writer = await store.open({ chainId })
  const chain = new TestChain()
    .block([transfer(older, address(0), address(1), 5n)])
    .block([transfer(younger, address(0), address(1), 5n)])
  await store.run(writer.append(chain.segment(0)))
  return { chainId, writer }
}

const recordOf = (chainId: ChainId, token: Address, state: AuditState) =>
  AuditStore.use((audits) =>
    Effect.gen(function* () {
      const { value } = yield* audits.sample(chainId, { tokens: [token] }, { top: 1, recent: 0, places: [] })
      const record = { state, blockNumber: 1, time: 1_700_000_000, compared: 1, watched: [] }
      yield* audits.record(
        chainId,
        value.map((each) => ({ token: each.token, record })),
      )
    }),
  )

const told = async (chainId: ChainId) => {
  const { asOf, value } = await store.run(AuditStore.use((audits) => audits.findMany(chainId, [older, younger])))
  const counts = await store.run(AuditStore.use((audits) => audits.counts(chainId)))
  return { revision: asOf[0]!.revision, states: value.map(({ state }) => state), exact: counts.exact }
}

/** Until so many statements with this text wait for a lock. */
const waiting = async (text: string, number = 1) => {
  const found = () =>
    admin`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and strpos(query, ${text}) > 0`
  while ((await found()).length !== number) await Bun.sleep(20)
}

/** Rows that somebody has, until `letGo`. */
const hold = async (table: string) => {
  const held = await admin.reserve()
  await held`begin`
  await held`select from ${held(table)} for update`
  return async () => {
    await held`rollback`
    held.release()
  }
}

test("a record that is cut off before the revision moves is none: no answer of before is taken for one of now", async () => {
  const { chainId } = await begin()
  await store.run(recordOf(chainId, older, "exact"))
  const before = await told(chainId)
  expect(before).toMatchObject({ states: ["exact", "unverified"], exact: 1 })
  const letGo = await hold(`cowry_${chainId}.state`)
  const recording = await store.run(Effect.forkDetach(recordOf(chainId, older, "rebasing")))
  await waiting("revision = revision + 1")
  await Effect.runPromise(Fiber.interrupt(recording))
  await waiting("revision = revision + 1", 0)
  await letGo()
  expect(await told(chainId)).toEqual(before)
  await store.run(recordOf(chainId, older, "rebasing"))
  const after = await told(chainId)
  expect(after).toMatchObject({ states: ["rebasing", "unverified"], exact: 0 })
  expect(BigInt(after.revision)).toBeGreaterThan(BigInt(before.revision))
})

test.each(["record", "rollback"])(
  "a record and a rollback that takes another's away get by each other, the %s first",
  async (first) => {
    const { chainId, writer } = await begin()
    await store.run(recordOf(chainId, younger, "exact"))
    const letGo = await hold(`cowry_${chainId}.audit_count`)
    const works = {
      record: () => store.run(recordOf(chainId, older, "exact")),
      rollback: () => store.run(writer.rollback(1)),
    }
    const order = first === "record" ? [works.record, works.rollback] : [works.rollback, works.record]
    const done = [order[0]!()]
    await waiting("audit_count")
    done.push(order[1]!())
    await waiting("revision")
    await letGo()
    await Promise.all(done)
    expect(await told(chainId)).toMatchObject({ states: ["exact"], exact: 1 })
  },
)
