/** Many who come back at once from places of their own: each ends exact, and what they missed is read for all of them together. */
import { afterAll, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { EventStore } from "../../src/ports/EventStore.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"
import { prefix, startService, type TestService } from "../http/support.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { type Told, takeEvents } from "../support/eventStream.ts"

const [zero, gold, ann, bob] = [address(0), address(0x70), address(0xa1), address(0xb2)]
const path = `${prefix("43114")}/events`
const crowd = 60

let reads = 0
/** Each read takes its time, as a server's does: the chain grows meanwhile. */
const counted = Layer.effect(
  EventStore,
  Effect.map(EventStore, (store) => ({
    ...store,
    read: (query) =>
      Effect.andThen(
        Effect.suspend(() => {
          reads++
          return Effect.sleep(10)
        }),
        store.read(query),
      ),
  })),
)

let service: TestService
let writer: LedgerWriter
const chain = new TestChain()
let salts = 0
const grow = async () => {
  const party = salts % 2 === 0 ? ann : bob
  chain.block([transfer(gold, zero, party, BigInt(++salts)), transfer(gold, zero, party, 7n)], { salt: `${salts}` })
  const finalizedBlock = Math.max(0, chain.nextBlock - 40)
  await service.run(writer.append(chain.segment(chain.nextBlock - 1, undefined, { finalizedBlock })))
}
const takeBack = async (blocks: number) => {
  chain.truncate(chain.nextBlock - blocks)
  await service.run(writer.rollback(chain.nextBlock))
}
const rowsOf = (told: ReadonlyArray<Told>) => told.filter(({ type }) => type !== "heartbeat" && type !== "finalized")
const take = (query: string, enough: (told: ReadonlyArray<Told>) => boolean) =>
  takeEvents(`${path}${query}`, enough, (url, init) => service.fetch(url, init))

afterAll(async () => {
  service.app.endStreams()
  await service.close()
})

test("a crowd that comes back ends exact, while the chain grows and is taken back, by few reads", async () => {
  service = await startService({
    storeLayer: Layer.provideMerge(counted, MemoryStore.layer),
    heartbeatMs: 50,
    eventStreams: 1000,
  })
  writer = await service.open("43114")
  for (let block = 0; block < 50; block++) await grow()
  const all = rowsOf((await take("?after=beginning", (told) => rowsOf(told).length === 101)).told)
  // Somebody stands at the head all the while.
  const watcher = await service.fetch(path)
  for (const deadline = Date.now() + 60_000; !(await metric("live", 1)); await Bun.sleep(5))
    if (Date.now() > deadline) throw new Error("nobody stands at the head")
  reads = 0
  let isOver = false
  let isTakenBack = false
  const growing = (async () => {
    for (let round = 0; !isOver; round++) {
      if (round === 12) await takeBack(4)
      await grow()
      isTakenBack ||= round === 12
      await Bun.sleep(10)
    }
  })()
  const newest = () => chain.blocks.at(-1)!.header.number
  const come = async (place: number) => {
    const known = all.slice(0, all.length - (place % 50))
    const rows = new Set(known.map(({ data }) => `${data.id}`))
    let end = 0
    const { told } = await take(`?after=${known.at(-1)!.position}`, (all) => {
      const heard = rowsOf(all)
      if (end === 0 && isTakenBack && heard.length > 0) end = newest()
      const { block, hash } = heard.at(-1)?.data ?? {}
      // Of a block that stands: before it came what was taken back.
      return end > 0 && Number(block) > end && chain.blocks.find(({ header }) => header.hash === hash) !== undefined
    })
    for (const { type, data } of rowsOf(told)) {
      const id = `${data.id}`
      expect([id, rows.has(id)]).toEqual([id, type === "retract"])
      if (type === "retract") rows.delete(id)
      else rows.add(id)
    }
    return { rows, upTo: Number(rowsOf(told).at(-1)!.data.block) }
  }
  const ends = await Promise.all(Array.from({ length: crowd }, (_, place) => come(place)))
  isOver = true
  await growing
  // A few before it is a crowd, and after the reorg those who had not come so far.
  // Alone each of them would read at every block.
  expect(reads).toBeLessThan(2 * crowd)
  const truth = rowsOf((await take("?after=beginning", (told) => Number(told.at(-1)?.data.block) >= newest())).told)
  for (const { rows, upTo } of ends) {
    // The last block may have been cut where the stream was left.
    const below = (id: string) => Number(id.split("-")[1]) < upTo
    expect([...rows].filter(below)).toEqual(truth.map(({ data }) => `${data.id}`).filter(below))
  }
  await watcher.body!.cancel()
})

const metric = async (standing: string, least: number) => {
  const text = await (await service.fetch("/metrics")).text()
  return Number(new RegExp(`cowry_event_subscribers{standing="${standing}"} (\\d+)`).exec(text)?.[1] ?? 0) >= least
}
