/** What happens to a ledger between the statements of one answer: blocks that are stored take nothing out of it, and no answer is of two forks. */
import { afterEach, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { shapeNames } from "../../../../src/adapters/http/shapes/shapes.ts"
import * as MemoryStore from "../../../../src/adapters/memory/MemoryStore.ts"
import { ChainId } from "../../../../src/model/primitives.ts"
import { BlockTimes } from "../../../../src/ports/BlockTimes.ts"
import type { LedgerWriter } from "../../../../src/ports/Ledger.ts"
import { TokenHistories } from "../../../../src/ports/TokenHistories.ts"
import { TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { TestChain, type TestEvent, transfer } from "../../../support/chain/testChain.ts"
import { type Json, prefix, startService, type TestService } from "../../support.ts"
import { ann, bob, gold, zero } from "../../world.ts"

const chainId = ChainId.make("43114")
const at = prefix(chainId)
const hour = 3600
/** The beginning of a day. */
const begin = 19_700 * 24 * hour

/** What is done once behind the next read of that name. */
let behind = new Map<string, () => Promise<unknown>>()
const then = <A, E, R>(name: string, read: Effect.Effect<A, E, R>) =>
  Effect.tap(read, () =>
    Effect.promise(async () => {
      const act = behind.get(name)
      behind.delete(name)
      await act?.()
    }),
  )
const blockTimes = Layer.effect(
  BlockTimes,
  BlockTimes.use((own) =>
    Effect.succeed({
      ...own,
      newest: (...asked) => then("newest", own.newest(...asked)),
      around: (...asked) => then("around", own.around(...asked)),
    } satisfies typeof own),
  ),
)
const histories = Layer.effect(
  TokenHistories,
  TokenHistories.use((own) =>
    Effect.succeed({ ...own, touched: (asked) => then("touched", own.touched(asked)) } satisfies typeof own),
  ),
)

let service: TestService
let writer: LedgerWriter
const start = async () => {
  service = await startService({
    storeLayer: Layer.merge(blockTimes, histories).pipe(Layer.provideMerge(MemoryStore.layer)),
    compatShapes: shapeNames,
  })
  writer = await service.open(chainId)
}
const append = (chain: TestChain, from: number, to: number, finalizedBlock: number) =>
  service.run(writer.append(chain.segment(from, to, { finalizedBlock })))
afterEach(async () => {
  behind = new Map()
  await service.close()
})

test("final hours are there while finality moves on", async () => {
  /** Blocks 0 to 9, one an hour, just behind its beginning. No row tells the times of the newest ones: their headers alone do. */
  const chain = new TestChain(new Set(), 0, begin)
  for (let block = 0; block < 10; block++)
    chain.block(block < 4 ? [transfer(gold, zero, ann, 10n)] : [], { time: begin + hour * block + Math.min(block, 1) })
  await start()
  await append(chain, 0, 6, 5)
  for (let place = 0; place < 10; place++)
    await service.run(
      TokenPrices.use((port) =>
        port.recordHour(
          chainId,
          begin / hour + place,
          [{ address: gold, price: BigInt(place + 1) }],
          begin / hour + place + 1,
        ),
      ),
    )
  let next = 7
  for (const path of [
    `${at}/address/${ann}/portfolio/history?interval=1h`,
    `${prefix("all")}/address/${ann}/portfolio/history?interval=1h`,
    `${at}/erc20/${gold}/price/history?`,
  ]) {
    const final = next - 2
    behind.set("newest", () => append(chain, next, next, next - 1).then(() => next++))
    const { status, body } = await service.get(`${path}&finality=finalized&sort=asc`)
    const hours = body.items.map(({ timestamp }: Json) => (Date.parse(timestamp) / 1000 - begin) / hour)
    expect([path, status, hours]).toEqual([path, 200, Array.from({ length: final + 1 }, (_, index) => index)])
  }
  expect(behind.size).toBe(0)
})

describe("a reorg between two statements", () => {
  const day = 24 * hour
  const timeOf = (block: number) => begin + 600 * block
  const lastTime = timeOf(5)
  /** Blocks 0 to 4 give ann something. The fifth does so too; in its place comes another. */
  const chainOf = (fifth: ReadonlyArray<TestEvent>, time = lastTime, salt = "") => {
    const chain = new TestChain(new Set(), 0, begin)
    for (let block = 0; block < 5; block++)
      chain.block([transfer(gold, zero, ann, 10n ** BigInt(block))], { time: timeOf(block) })
    return chain.block(fifth, { time, salt })
  }
  const first = chainOf([transfer(gold, zero, ann, 100_000n)])

  /** The answer while the fifth block is replaced behind the read of that name, and the same once it is. */
  const whileReplaced = async (name: string, path: string, other: TestChain) => {
    behind.set(name, async () => {
      await service.run(writer.rollback(5))
      await append(other, 5, 5, 2)
    })
    const answerOf = async () => {
      const response = await service.fetchAnew(path)
      const body = JSON.parse(await response.text(), (name, value) => (name === "updated_at" ? "now" : value))
      const headers = ["x-as-of-hash", "x-at-block", "x-from-block"].map((name) => response.headers.get(name))
      return { status: response.status, body, headers }
    }
    const meanwhile = await answerOf()
    expect(behind.size).toBe(0)
    return { meanwhile, since: await answerOf() }
  }

  const anns = chainOf([transfer(gold, ann, bob, 7n)], lastTime + 1, "ann's")
  const bobs = chainOf([transfer(gold, zero, bob, 7n)], lastTime + 1, "bob's")
  /** Of another day. */
  const late = chainOf([transfer(gold, ann, bob, 7n)], lastTime + day, "late")
  const block = `${at}/address/${ann}/portfolio/history?interval=block&limit=2`
  const date = new Date(1000 * begin).toISOString().slice(0, 10)
  test.each<[what: string, read: string, path: string, other: TestChain]>([
    ["days of each token", "around", `/v1/43114/address/${ann}/portfolio_v2/?days=2`, anns],
    ["blocks that touched an address", "touched", `${block}&sort=desc`, bobs],
    ["a difference up to a time", "around", `${at}/erc20/${gold}/holders/diff?timestampTo=${lastTime}`, late],
    ["a difference from a time on", "around", `${at}/erc20/${gold}/holders/diff?timestampFrom=${lastTime}`, late],
    ["all that is held at a time", "around", `/v1/43114/address/${ann}/historical_balances/?date=${date}`, late],
  ])("%s", async (_, read, path, other) => {
    await start()
    await append(first, 0, 5, 2)
    const { meanwhile, since } = await whileReplaced(read, path, other)
    expect(meanwhile).toEqual(since)
    expect(meanwhile.status).toBe(200)
  })

  /** Of the same time. */
  const again = chainOf([transfer(gold, ann, bob, 7n)], lastTime, "again")
  test.each<[what: string, read: string, path: string]>([
    ["days of each token", "around", `/v1/43114/address/${ann}/portfolio_v2/?days=2`],
    ["blocks that touched an address", "touched", `${block}&sort=desc`],
    ["a difference up to a time", "around", `${at}/erc20/${gold}/holders/diff?timestampTo=${lastTime}`],
    ["holders at a time", "around", `${at}/erc20/${gold}/holders?timestamp=${lastTime}`],
    ["all that is held at a time", "around", `/v1/43114/address/${ann}/historical_balances/?date=${date}`],
  ])("%s: where it comes at each try, who sent no cursor is told to ask again", async (_, read, path) => {
    await start()
    await append(first, 0, 5, 2)
    let isFirst = true
    const replace = async () => {
      behind.set(read, replace)
      await service.run(writer.rollback(5))
      isFirst = !isFirst
      await append(isFirst ? first : again, 5, 5, 2)
    }
    behind.set(read, replace)
    const response = await service.fetchAnew(path)
    const { code, error_code }: Json = await response.json()
    expect([response.status, code ?? error_code]).toEqual([503, code === undefined ? 503 : "UNAVAILABLE"])
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  test("a later page, of blocks behind its place", async () => {
    await start()
    await append(first, 0, 5, 2)
    let path = `${block}&sort=asc`
    for (let page = 0; page < 2; page++) path = (await service.get(path)).body.link.next
    const { meanwhile, since } = await whileReplaced("touched", path, bobs)
    expect(meanwhile).toEqual(since)
    expect(meanwhile.status).toBe(200)
  })
})

test("the newest day closes with the very block that the answer is of, also where others of its second come behind each read", async () => {
  const chain = new TestChain(new Set(), 0, begin)
  for (let block = 0; block < 40; block++) chain.block([transfer(gold, zero, ann, 1n)], { time: begin + hour })
  await start()
  await append(chain, 0, 3, 0)
  let next = 4
  const another = async () => {
    behind.set("around", another)
    await append(chain, next, next, 0)
    next++
  }
  behind.set("around", another)
  const response = await service.fetch(`/v1/43114/address/${ann}/portfolio_v2/?days=1`)
  const { data }: Json = await response.json()
  expect([response.status, response.headers.get("x-as-of-block")]).toEqual([200, "43114:3"])
  expect(data.items[0].holdings[0].close.balance).toBe("4")
  expect(next).toBe(5)
})
