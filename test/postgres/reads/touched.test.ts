/** What blocks touched is not told of so many rows that a reader would wait for it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { freshChainId, openStore, type TestStore } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { testSettings } from "../../support/givenServer.ts"

const [gold, salt, zero] = [address(0xa1), address(0xa2), address(0)]
const mints = (count: number) => Array.from({ length: count }, () => transfer(gold, zero, address(1), 1n))

let store: TestStore
beforeAll(async () => {
  store = await openStore(async () => PostgresStore.layer(await testSettings()))
})
afterAll(() => store.close())

test("of 4,096 rows it is told, of one more it is not", async () => {
  const chainId = freshChainId()
  const writer = await store.open({ chainId })
  const chain = new TestChain().block()
  const append = async (events: Parameters<TestChain["block"]>[0]) => {
    chain.block(events)
    await store.run(writer.append(chain.segment(chain.nextBlock - 1)))
  }
  await store.run(writer.append(chain.segment(0)))
  const since = (await store.run(Freshness.use((it) => it.newest(chainId))))!
  const touched = () => store.run(Freshness.use((it) => it.touched(since)))
  const tokens = async () => [...((await touched())?.tokens.keys() ?? [])].sort()
  await append(mints(4095))
  await append([transfer(salt, zero, zero, 1n)])
  expect(await tokens()).toEqual([gold, salt])
  await append(mints(1))
  expect(await touched()).toBeUndefined()
})
