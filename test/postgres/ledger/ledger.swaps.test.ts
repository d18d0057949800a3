/** Pools and what they hold in the tables: numbers, what is left out, and what a swap costs. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { ChainId } from "../../../src/model/primitives.ts"
import { freshChainId } from "../../contracts/store.ts"
import {
  coin,
  initialized,
  manager,
  pools,
  swapAt,
  swapChain,
  unknownId,
  usd,
  weth,
} from "../../contracts/worlds/swaps.truth.ts"
import { managedSwap, type TestChain, transfer } from "../../support/chain/testChain.ts"
import { contentOfTables, findDisorder, type LedgerDatabase, openLedgers } from "./ledger.support.ts"
import { naiveContent } from "./naiveLedger.ts"

const [pair, , other, managed] = pools as [(typeof pools)[0], (typeof pools)[0], (typeof pools)[0], (typeof pools)[0]]
const settings = { poolManagers: [manager] }
const sides = { paid0: true, paid: 100n, got: 7n }

let ledgers: LedgerDatabase
beforeAll(async () => {
  ledgers = await openLedgers()
})
afterAll(() => ledgers.close())

const tableOf = (chainId: string, name: string) => ledgers.sql(`cowry_${chainId}.${name}`)
const expectContent = async (chainId: ChainId, chain: TestChain, nodeHead = chain.nextBlock - 1) => {
  const content = JSON.parse(JSON.stringify(await contentOfTables(ledgers.sql, chainId)))
  expect(content).toEqual(naiveContent(chain, -1, nodeHead))
  expect([...(await findDisorder(ledgers.sql, chainId))]).toEqual([])
}

test("numbers of pools and of what they hold are never given twice, whatever was taken back, discarded or opened again", async () => {
  const chainId = freshChainId()
  const numbers = async () => {
    const [row] = await ledgers.sql`
      select (select array_agg(pool_no order by pool_no) from ${tableOf(chainId, "pool")}) as pools,
             (select array_agg(asset_no order by asset_no) from ${tableOf(chainId, "asset")}) as assets`
    return [row!.pools, row!.assets]
  }
  const chain = swapChain()
    .block([swapAt(pair.pool, sides)])
    .block([swapAt(other.pool, sides)])
  const first = await ledgers.open({ chainId, ...settings })
  await ledgers.run(first.writer.append(chain.segment(0)))
  expect(await numbers()).toEqual([
    [1, 2],
    [1, 2, 3],
  ])
  await ledgers.run(first.writer.rollback(1))
  expect(await numbers()).toEqual([[1], [1, 2]])
  await ledgers.run(first.writer.extend(chain.segment(1)))
  await ledgers.run(first.writer.discard)
  await ledgers.run(first.writer.append(chain.segment(1)))
  await ledgers.run(first.writer.rollback(1))
  await first.close()
  const second = await ledgers.open({ chainId, ...settings })
  await ledgers.run(second.writer.append(chain.segment(1)))
  expect(await numbers()).toEqual([
    [1, 4],
    [1, 2, 5],
  ])
  await expectContent(chainId, chain)
  await second.close()
})

test("what pools hold is as old as its oldest pool, in whatever order the facts come", async () => {
  const chainId = freshChainId()
  const chain = swapChain()
    .block([initialized(managed)])
    .block([swapAt(pair.pool, sides)])
    .block([swapAt(other.pool, sides)])
  const { writer, close } = await ledgers.open({ chainId, ...settings })
  const segment = chain.segment(0)
  await ledgers.run(writer.append({ ...segment, pools: segment.pools.toReversed() }))
  await expectContent(chainId, chain)
  await ledgers.run(writer.rollback(2))
  await expectContent(chainId, chain.truncate(2), 2)
  await ledgers.run(writer.rollback(1))
  await expectContent(chainId, chain.truncate(1), 2)
  await close()
})

test("swaps left out are counted, those that the segment counts and those in pools that the ledger does not know", async () => {
  const chainId = freshChainId()
  const unknown = managedSwap(manager, unknownId, sides)
  const chain = swapChain()
    .block([unknown, swapAt(pair.pool, sides), swapAt(managed.pool, sides)])
    .block([unknown])
  const { writer, close } = await ledgers.open({ chainId, ...settings })
  await ledgers.run(writer.append(chain.segment(0, 0, { counts: { malformed: 0, unknownPool: 40 } })))
  await ledgers.run(writer.append(chain.segment(1)))
  const [row] = await ledgers.sql`select swaps::int4, skipped_swaps::int4 from ${tableOf(chainId, "state")}`
  expect({ ...row! }).toEqual({ swaps: 1, skipped_swaps: 43 })
  await close()
})

test("a token that no transfer has shown is held by pools all the same, and no token of the lists", async () => {
  const chainId = freshChainId()
  const chain = swapChain().block([transfer(usd, usd, weth, 1n), swapAt(other.pool, sides)])
  const { writer, close } = await ledgers.open({ chainId, ...settings })
  await ledgers.run(writer.append(chain.segment(0)))
  const rows = await ledgers.sql`
    select a.address, t.token_id is not null as listed from ${tableOf(chainId, "asset")} a
    left join ${tableOf(chainId, "token")} t using (address) order by a.address`
  const bytes = (hex: string) => Buffer.from(hex.slice(2), "hex")
  expect(rows.map((it) => ({ ...it }))).toEqual([
    { address: bytes(weth), listed: false },
    { address: bytes(coin), listed: false },
  ])
  await close()
})

test("a segment without swaps asks nothing of pools; one with swaps in pools it has seen looks none up", async () => {
  const chainId = freshChainId()
  const chain = swapChain()
    .block([swapAt(pair.pool, sides), managedSwap(manager, unknownId, sides), transfer(usd, usd, weth, 1n)])
    .block([transfer(usd, usd, weth, 1n)])
    .block([swapAt(pair.pool, sides), managedSwap(manager, unknownId, sides)])
  const { writer, close } = await ledgers.open({ chainId, ...settings })
  await ledgers.run(writer.append(chain.segment(0, 0)))
  // The tables of pools are held by another: whoever asked for them would wait, and fail at this test's deadline.
  await ledgers.sql.begin(async (sql) => {
    await sql`lock table ${tableOf(chainId, "pool")}, ${tableOf(chainId, "asset")} in access exclusive mode`
    await ledgers.run(writer.append(chain.segment(1, 1)))
    await ledgers.run(writer.append(chain.segment(2, 2)))
  })
  await expectContent(chainId, chain)
  await close()
})

test("an open append that meets more pools than the writer may remember is full; none of them is lost", async () => {
  const chainId = freshChainId()
  const chain = swapChain()
    .block([swapAt(pair.pool, sides)])
    .block([swapAt(other.pool, sides), initialized(managed)])
    .block([pair, other, managed].map(({ pool }) => swapAt(pool, sides)))
  const { writer, close } = await ledgers.open({ chainId, ...settings }, { maxPools: 2 })
  const full = []
  for (const block of [0, 1, 2]) full.push((await ledgers.run(writer.extend(chain.segment(block, block)))).full)
  expect(full).toEqual([false, true, true])
  await ledgers.run(writer.commit)
  await expectContent(chainId, chain)
  await close()
})
