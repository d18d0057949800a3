/** Whose hour prices of a past block are of: the block's own, asked of the node where the ledger does not know it, and of a time the time's. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { ChainId } from "../../../src/model/primitives.ts"
import { ChainNode } from "../../../src/ports/ChainNode.ts"
import { ChainSource } from "../../../src/ports/ChainSource.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { makeHeadersNode } from "../../support/nodes/headersNode.ts"
import { type Json, prefix, startService, type TestService } from "../support.ts"

const [zero, ann, gold, salt] = [address(0), address(0xc1), address(0x10), address(0x11)]
const hour = 3600
/** The beginning of a day. */
const day = 19_700 * 24 * hour
/** Minutes; blocks 1 to 5, 7 and 8 hold nothing, and only of the last three the ledger knows more. */
const minutes = [5, 40, 55, 60, 119, 130, 150, 165, 175, 250, 255, 260]
const holding = [0, 6, 9]
const timeOf = (block: number) => day + 60 * minutes[block]!
const hourOf = (block: number) => Math.floor(minutes[block]! / 60)
/** Dollars of a whole one in hour 0, 1, … */
const priceOf = (at: number) => 3 + 4 * at

const chainOf = () => {
  const chain = new TestChain(new Set(), 0, day)
  for (const [number] of minutes.entries()) {
    const moved = [transfer(gold, zero, ann, 10n), transfer(salt, zero, ann, 2n)]
    chain.block(holding.includes(number) ? moved : [], { time: timeOf(number) })
  }
  return chain
}
const chain = chainOf()

const node = makeHeadersNode(chain)
const nodeLayer = Layer.mergeAll(
  Layer.succeed(ChainNode, {
    sends: false,
    call: (_chain, _method, [of]) => {
      const found = chain.blocks.find(({ header }) => header.hash === of)?.header.number
      return Effect.succeed({ result: found === undefined ? null : { number: `0x${found.toString(16)}` } })
    },
  }),
  Layer.succeed(ChainSource, { of: () => node.client }),
)

/** Of gold 20 are held from block 6 on, 10 before. */
const start = async (replace?: Layer.Layer<never>): Promise<TestService> => {
  const service = await startService(replace === undefined ? {} : { replace })
  const writer = await service.open("43114")
  await service.run(writer.append(chainOf().segment(0, 8, { finalizedBlock: 8, headers: [] })))
  await service.run(writer.append(chainOf().segment(9, 11, { finalizedBlock: 8 })))
  const born = await service.run(writer.listUndescribedTokens(10))
  await service.run(writer.describeTokens(born.map((token) => ({ token, description: { decimals: 0 } }))))
  for (let at = 0; at < 5; at++) {
    const point = { address: gold, price: BigInt(priceOf(at)) * 10n ** 18n }
    const first = day / hour + at
    await service.run(TokenPrices.use((port) => port.recordHour(ChainId.make("43114"), first, [point], first + 1)))
  }
  return service
}

let service: TestService
beforeAll(async () => {
  service = await start(nodeLayer as Layer.Layer<never>)
})
afterAll(() => service.close())

const base = `${prefix("43114")}/address/${ann}`
const heldOf = (block: number) => (block < 6 ? 10 : block < 9 ? 20 : 30)
const goldIn = (items: ReadonlyArray<Json>) => items.find(({ tokenAddress }) => tokenAddress === gold)
const valuesAt = async (query: string, from = service) => {
  const [list, portfolio] = await Promise.all([
    from.get(`${base}/tokens?${query}`),
    from.get(`${base}/portfolio?${query}`),
  ])
  expect([query, list.status, portfolio.status]).toEqual([query, 200, 200])
  const row = goldIn(list.body.items)
  expect(portfolio.body.valueUsd).toBe(row.valueUsd)
  return [
    Number(row.balance),
    row.price && Number(BigInt(row.price) / 10n ** 18n),
    row.valueUsd && Number(row.valueUsd),
  ]
}
const wanted = (block: number, at = hourOf(block)) => [heldOf(block), priceOf(at), heldOf(block) * priceOf(at)]

describe("prices of a past block", () => {
  test("are those of its own hour, whether the ledger knows its time or not", async () => {
    for (const block of minutes.keys())
      expect([block, await valuesAt(`blockNumber=${block}`)]).toEqual([block, wanted(block)])
    for (const block of [2, 4, 10]) {
      const { hash } = chain.blocks[block]!.header
      expect([block, await valuesAt(`blockHash=${hash}`)]).toEqual([block, wanted(block)])
    }
    // The newest final block holds nothing; known blocks around it are of other hours.
    expect(await valuesAt("finality=finalized")).toEqual(wanted(8))
  })

  test("of a time are those of the time's hour, as its history says, whatever block is the last by then", async () => {
    const history = (await service.get(`${base}/portfolio/history?interval=1h&sort=asc`)).body.items
    expect(history.length).toBe(4)
    for (const { timestamp, valueUsd } of history) {
      const { body } = await service.get(`${base}/portfolio?timestamp=${timestamp}`)
      expect([timestamp, body.valueUsd]).toEqual([timestamp, valueUsd])
    }
    // Half past the second hour: the last block by then is of the hour before.
    expect(await valuesAt(`timestamp=${day + 60 * 180}`)).toEqual(wanted(8, 3))
  })

  test("of all chains are each chain's own", async () => {
    const { body } = await service.get(`${prefix("all")}/address/${ann}/portfolio?blockNumber=4`)
    expect(body.valueUsd).toBe(String(10 * priceOf(1)))
  })

  test("stay those of its first page in a walk, and the node is asked once", async () => {
    node.asked = 0
    const first = (await service.get(`${base}/tokens?blockNumber=4&limit=1&sort=valueUsd,asc`)).body
    expect([node.asked, goldIn(first.items).price]).toEqual([1, String(BigInt(priceOf(1)) * 10n ** 18n)])
    node.down = true
    const second = await service.get(first.link.next)
    node.down = false
    expect([second.status, second.body.items.map(({ tokenAddress }: Json) => tokenAddress)]).toEqual([200, [salt]])
    expect((await service.get(second.body.link.prev)).body.items).toEqual(first.items)
    expect(node.asked).toBe(1)
  })
})

describe("a node that does not tell", () => {
  let limit = 100
  const refused = async (block: number) => {
    // Nothing that was answered before is kept of it.
    const { status, body } = await service.get(`${base}/tokens?blockNumber=${block}&limit=${limit++}`)
    return [status, body.message]
  }

  test("is asked only where the ledger cannot know the hour; then the answer waits for it to come back", async () => {
    node.down = true
    const told: Array<number> = []
    for (const block of minutes.keys()) if ((await refused(block))[0] === 200) told.push(block)
    expect(told).toEqual([0, 6, 9, 10, 11])
    expect(await refused(4)).toEqual([
      503,
      "the hour of the block is not known: the chain's node could not be asked. Try again shortly",
    ])
    node.down = false
    expect((await refused(4))[0]).toBe(200)
  })

  test("or tells a time that is not possible is not believed", async () => {
    for (const lies of [-86_400, 86_400]) {
      node.lies = lies
      const [status, message] = await refused(4)
      expect([status, message]).toEqual([
        503,
        "the hour of the block is not known: the chain's node tells a time that the blocks around it rule out. Try again shortly",
      ])
    }
    node.lies = 0
  })

  test("because there is none: what the ledger can date is told, the rest is refused by that reason", async () => {
    const alone = await start()
    expect(await valuesAt("blockNumber=6", alone)).toEqual(wanted(6))
    const { status, body } = await alone.get(`${base}/portfolio?blockNumber=4`)
    expect([
      status >= 400,
      body.message.includes("this process has no node of chain 43114"),
      body.message.includes("ry again"),
    ]).toEqual([true, true, false])
    expect(await valuesAt(`timestamp=${timeOf(9)}`, alone)).toEqual(wanted(9))
    await alone.close()
  })
})
