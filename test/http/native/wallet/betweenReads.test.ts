/** What happens to a ledger between the statements of one answer: blocks that are stored take nothing out of it. */
import { afterEach, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryStore from "../../../../src/adapters/memory/MemoryStore.ts"
import { ChainId } from "../../../../src/model/primitives.ts"
import { BlockTimes } from "../../../../src/ports/BlockTimes.ts"
import type { LedgerWriter } from "../../../../src/ports/Ledger.ts"
import { TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type Json, prefix, startService, type TestService } from "../../support.ts"
import { ann, gold, zero } from "../../world.ts"

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
    Effect.succeed({ ...own, newest: (...asked) => then("newest", own.newest(...asked)) } satisfies typeof own),
  ),
)

let service: TestService
let writer: LedgerWriter
const start = async () => {
  service = await startService({ storeLayer: blockTimes.pipe(Layer.provideMerge(MemoryStore.layer)) })
  writer = await service.open(chainId)
}
const append = (chain: TestChain, from: number, to: number, finalizedBlock: number) =>
  service.run(writer.append(chain.segment(from, to, { finalizedBlock })))
afterEach(async () => {
  behind = new Map()
  await service.close()
})

test("final hours are there while finality moves on", async () => {
  /** Blocks 0 to 9, one an hour. No row tells the times of the newest ones: their headers alone do. */
  const chain = new TestChain(new Set(), 0, begin)
  for (let block = 0; block < 10; block++)
    chain.block(block < 4 ? [transfer(gold, zero, ann, 10n)] : [], { time: begin + hour * block })
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
