/** An answer that a node had a part in, its silence included, is made anew for whoever asks next. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryStore from "../../../../src/adapters/memory/MemoryStore.ts"
import { dateTimeOf } from "../../../../src/model/primitives.ts"
import { BlockTimes } from "../../../../src/ports/BlockTimes.ts"
import { ChainSource } from "../../../../src/ports/ChainSource.ts"
import { NativeBalances } from "../../../../src/ports/NativeBalances.ts"
import { TokenHistories } from "../../../../src/ports/TokenHistories.ts"
import { address, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { makeHeadersNode } from "../../../support/nodes/headersNode.ts"
import { type Json, prefix, startService, type TestService } from "../../support.ts"

const [zero, ann, gold] = [address(0), address(0xc1), address(0x10)]
const day = 19_700 * 86_400
/** Blocks 1 to 3 hold nothing, and the ledger knows no time of them. The fifth's row is of an older version: it has no time. */
const minutes = [5, 40, 80, 140, 200, 260]
const timeOf = (block: number) => day + 60 * minutes[block]!
const timeless = 4
const chain = new TestChain(new Set(), 0, day)
for (const block of minutes.keys())
  chain.block([0, timeless, 5].includes(block) ? [transfer(gold, zero, ann, 10n)] : [], { time: timeOf(block) })

const node = makeHeadersNode(chain)
const nodeLayer = Layer.mergeAll(
  Layer.succeed(ChainSource, { of: () => node.client }),
  Layer.succeed(NativeBalances, {
    of: (_, addresses) =>
      Effect.sync(() => {
        node.asked++
        return addresses.map(() => 0n)
      }),
  }),
)

/** As an older version stored them. */
const olderStore = Layer.effect(
  TokenHistories,
  TokenHistories.use((own) =>
    Effect.succeed({
      ...own,
      versions: (query) =>
        Effect.map(own.versions(query), ({ asOf, value }) => ({
          asOf,
          value: {
            ...value,
            items: value.items.map(({ time, ...item }) =>
              item.blockNumber === timeless ? item : { ...item, time: time! },
            ),
          },
        })),
    } satisfies typeof own),
  ),
)
/** Between two known blocks rows may lie. */
const unquiet = Layer.effect(
  BlockTimes,
  BlockTimes.use((own) =>
    Effect.succeed({
      ...own,
      around: (chainId, time) =>
        Effect.map(own.around(chainId, time), ({ asOf, value }) => ({ asOf, value: { ...value, isQuiet: false } })),
    } satisfies typeof own),
  ),
)

let service: TestService
beforeAll(async () => {
  service = await startService({
    storeLayer: Layer.merge(olderStore, unquiet).pipe(Layer.provideMerge(MemoryStore.layer)),
    replace: nodeLayer as Layer.Layer<never>,
  })
  const writer = await service.open("43114")
  await service.run(writer.append(chain.segment(0, 4, { finalizedBlock: 4, headers: [] })))
  await service.run(writer.append(chain.segment(5, 5, { finalizedBlock: 4 })))
})
afterAll(() => service.close())
beforeEach(() => {
  Object.assign(node, { down: false, lies: 0, asked: 0 })
})

const base = prefix("43114")
const timesOf = async (path: string) => {
  const { status, body } = await service.get(path)
  expect(status).toBe(200)
  return body.items.map(({ timestamp }: Json) => timestamp)
}

test.each([`${base}/address/${ann}/tokens/${gold}/balances?sort=asc`, `${base}/erc20/${gold}/supply/history?sort=asc`])(
  "times of blocks that a node told, or did not: %s",
  async (path) => {
    const wanted = [0, timeless, 5].map((block) => dateTimeOf(timeOf(block)))
    const without = [wanted[0], undefined, wanted[2]]
    node.down = true
    expect(await timesOf(path)).toEqual(without)
    node.down = false
    expect(await timesOf(path)).toEqual(wanted)
    // Earlier than what lies below it, or later than what lies above: a block of another chain.
    for (const lies of [-86_400, 86_400]) {
      node.lies = lies
      expect(await timesOf(path)).toEqual(without)
    }
  },
)

test("the block of a time, and the hour of a block, that a node told", async () => {
  const between = dateTimeOf(timeOf(2) + 60)
  for (const path of [
    `${base}/erc20/${gold}/holders/diff?timestampTo=${between}`,
    `${base}/erc20/${gold}/holders/diff?timestampFrom=${between}`,
    `${base}/address/${ann}/tokens?blockNumber=2`,
    `${base}/address/${ann}/portfolio?blockNumber=2`,
  ]) {
    node.asked = 0
    expect([path, (await service.get(path)).status, node.asked > 0]).toEqual([path, 200, true])
    const once = node.asked
    await service.get(path)
    expect([path, node.asked]).toEqual([path, 2 * once])
  }
})

test("that nothing is held, by a node's word", async () => {
  for (const path of ["tokens", "portfolio"]) {
    const asked = `${base}/address/${ann}/${path}?standard=native`
    await service.get(asked)
    await service.get(asked)
  }
  expect(node.asked).toBe(4)
})

test("one that no node had a part in is kept", async () => {
  const path = `${base}/erc20/${gold}/supply/history?blockNumberTo=0`
  await service.get(path)
  const again = await service.fetch(path)
  expect([again.status, node.asked]).toEqual([200, 0])
})
