/** Times behind the newest block of a ledger that is not written any more: which block they mean, nobody knows. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { steadyMillis } from "../../src/model/time/steadyClock.ts"
import { type FoundLogs, LogSearch } from "../../src/ports/LogSearch.ts"
import { type ChainSyncStatus, SyncStatus } from "../../src/ports/SyncStatus.ts"
import { prefix, startService, store, syncStatus, type TestService } from "../http/support.ts"
import { ann, gold, zero } from "../http/world.ts"
import { TestChain, transfer } from "../support/chain/testChain.ts"

const steadyNow = () => Effect.runSync(steadyMillis)
const status = { headBlock: 4, indexedBlock: 4 }
const later = 1_700_001_000

let told: ChainSyncStatus
let asked = 0
const statuses = Layer.succeed(SyncStatus, {
  list: () => [told],
  find: (chainId) => (chainId === "43114" ? told : undefined),
  update: () => {},
})
const node = Layer.succeed(LogSearch, {
  find: () => {
    asked++
    return Effect.succeed<FoundLogs>({ logs: [], searchedTo: 4 })
  },
})

let service: TestService
beforeAll(async () => {
  const chain = new TestChain()
  for (let block = 0; block < 5; block++) chain.block([transfer(gold, zero, ann, 1n)])
  service = await startService({ replace: Layer.merge(node, statuses) as unknown as Layer.Layer<never> })
  await store(service, "43114", chain)
})
afterAll(() => service.close())

const api = `${prefix("43114")}/compat/api`
const byTime = (time: number) => `${api}?module=block&action=getblocknobytime&timestamp=${time}&closest=before`
const holders = `${prefix("43114")}/erc20/${gold}/holders`
const diff = `${holders}/diff?timestampTo=${later}`
const held = `${prefix("43114")}/address/${ann}/tokens?timestamp=${later}`
const statusOf = async (path: string) => (await service.fetch(path)).status

test("while its node is heard the newest block is the one", async () => {
  told = syncStatus("43114", { ...status, heardAt: steadyNow() })
  const { body } = await service.get(byTime(later))
  expect([body.status, body.result]).toEqual(["1", "4"])
  for (const path of [`${holders}?timestamp=${later}`, diff, held]) expect(await statusOf(path)).toBe(200)
})

test("an hour after the node's last word it is refused in clear words, wherever a time names a block", async () => {
  told = syncStatus("43114", { ...status, heardAt: steadyNow() - 3_600_000 })
  const why = "the block is not known: the ledger may be behind its chain: no word from the node for 3600 s."
  const { status: code, body } = await service.get(byTime(later + 1))
  expect([code, body.status]).toEqual([200, "0"])
  expect(`${body.message} ${body.result}`).toContain(why)
  // Others than those before: what was answered then was true.
  for (const path of [`${holders}?timestamp=${later}&limit=7`, `${diff}&limit=7`, `${held}&limit=7`]) {
    const refused = await service.get(path)
    expect([refused.status, refused.body.code]).toEqual([503, "UNAVAILABLE"])
    expect(refused.body.message).toContain(why)
  }
})

test("times between blocks of the ledger are as well known as ever, and so is the newest block of now", async () => {
  told = syncStatus("43114", { ...status, heardAt: steadyNow() - 3_600_000 })
  const { body } = await service.get(byTime(1_700_000_030))
  expect([body.status, body.result]).toEqual(["1", "1"])
  for (const path of [`${holders}?timestamp=1700000030`, `${holders}?finality=latest`, holders])
    expect(await statusOf(path)).toBe(200)
})

test.each<[string, Partial<ChainSyncStatus>, string]>([
  ["whose writer stopped", { phase: "stopped" }, "it is not followed at the moment"],
  ["whose node has more than its writer stored", { headBlock: 44 }, "the ledger is 40 blocks behind its chain"],
])("a chain %s", async (_, patch, why) => {
  told = syncStatus("43114", { ...status, heardAt: steadyNow(), ...patch })
  const { status: code, body } = await service.get(`${holders}?timestamp=${later}&limit=8`)
  expect([code, body.message]).toEqual([503, expect.stringContaining(why)])
})

test("logs up to the newest block are the node's then", async () => {
  const logs = (limit: number) => `${api}?module=logs&action=getLogs&address=${gold}&offset=${limit}&topic0=${topic}`
  const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
  told = syncStatus("43114", { ...status, heardAt: steadyNow() - 3_600_000 })
  await service.fetch(logs(9))
  expect(asked).toBe(1)
})
