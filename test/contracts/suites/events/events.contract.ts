/** EventStore, and what the hub makes of it: whoever folds what it is told has the ledger's rows, wherever it broke off and came back. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import * as EventHub from "../../../../src/domain/events/EventHub.ts"
import type { Part } from "../../../../src/domain/events/subscription.ts"
import type { Delivery } from "../../../../src/model/events/event.ts"
import type { EventFilter } from "../../../../src/model/events/filter.ts"
import { type ChainPosition, positionsOf, positionText } from "../../../../src/model/events/position.ts"
import type { ChainId } from "../../../../src/model/primitives.ts"
import { EventStore } from "../../../../src/ports/EventStore.ts"
import { Networks } from "../../../../src/ports/Networks.ts"
import { noChoice, ReadServers } from "../../../../src/ports/ReadServers.ts"
import { TransferStore } from "../../../../src/ports/TransferStore.ts"
import { anyBlock, anyChain, anyChainSettings } from "../../../support/chain/anyEvents.ts"
import { address, transfer } from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"

/** Blocks behind the head that are not final. */
const depth = 6

const blocks = (minLength: number, maxLength: number) => fc.array(anyBlock, { minLength, maxLength })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ append: blocks(1, 4) }) },
  { weight: 3, arbitrary: fc.record({ rollback: fc.integer({ min: 1, max: depth }) }) },
  { weight: 1, arbitrary: fc.constant("heal" as const) },
  { weight: 1, arbitrary: fc.constant("keep" as const) },
)
/** One in four logs is left out until it is healed. */
const losses = fc.infiniteStream(fc.integer({ min: 0, max: 3 }).map((it) => it === 0))
/** How many deliveries a consumer takes before it breaks off, each time. */
const takes = fc.infiniteStream(fc.oneof(fc.constant(0), fc.nat(6), fc.constant(1000)))

const mixed = address(0x73)
const filters: ReadonlyArray<EventFilter> = [
  {},
  { kinds: ["transfer"], standard: ["erc721", "erc1155"] },
  { tokenAddress: [mixed] },
  { address: [address(1), address(2 ** 40 + 0xa1)] },
  { kinds: ["swap", "token"] },
]

type Data = Record<string, unknown>

class Consumer {
  readonly rows = new Map<string, Data>()
  /** As a client keeps it: a text. */
  position: string | undefined
  readonly told: Array<string> = []

  constructor(
    readonly filter: EventFilter,
    readonly onlyFinal: boolean,
  ) {}

  take({ type, data, position }: Delivery): void {
    this.position = positionText(position)
    this.told.push(`${type} ${(data as Data).id}`)
    const row = data as Data
    const id = row.id as string
    if (type === "retract") {
      if (this.onlyFinal) throw new Error(`a final row was retracted: ${id}`)
      if (!this.rows.delete(id)) throw new Error(`retracted, but not there: ${id}`)
    } else if (type !== "finalized") {
      if (this.rows.has(id)) throw new Error(`told twice: ${id}`)
      this.rows.set(id, row)
    }
  }
}

/** A heal may show that a contract began earlier: what is final stays where it was told. */
const nameOf =
  (onlyFinal: boolean) =>
  ([id, row]: [string, Data]): string =>
    onlyFinal && "address" in row ? `${row.standard} ${row.address}` : id

export const eventsContract = (name: string, makeStore: MakeStore, numRuns: number) =>
  describe(`Events on ${name}`, () => {
    let store: TestStore
    let hub: EventHub.EventHub["Service"]
    const closes: Array<() => Promise<void>> = []
    type List = TransferStore["Service"]["list"]
    /** `around`: what happens where rows are walked. */
    const hubWith = async (around: (list: List) => List) => {
      const [events, transfers] = await store.run(
        Effect.all([EventStore.use((it) => Effect.succeed(it)), TransferStore.use((it) => Effect.succeed(it))]),
      )
      const runtime = ManagedRuntime.make(
        EventHub.layer.pipe(
          Layer.provide([
            Layer.succeed(EventStore, events),
            Layer.succeed(TransferStore, { ...transfers, list: around(transfers.list) }),
            Layer.succeed(Networks, { chains: [] }),
            Layer.succeed(ReadServers, noChoice),
          ]),
        ),
      )
      closes.push(() => runtime.dispose())
      return runtime.runPromise(EventHub.EventHub.use((it) => Effect.succeed(it)))
    }
    beforeAll(async () => {
      store = await openStore(makeStore)
      hub = await hubWith((list) => list)
    })
    afterAll(async () => {
      for (const close of closes) await close()
      await store.close()
    })

    /** Takes up to `most` deliveries; false = there were no more. */
    const follow = async (consumer: Consumer, chainId: ChainId, most: number): Promise<boolean> => {
      let left = most
      for (let rounds = 0; rounds < 500 && left > 0; rounds++) {
        const { filter, onlyFinal } = consumer
        const start =
          consumer.position === undefined ? ("beginning" as const) : positionsOf(consumer.position)!.get(chainId)!
        const part = await store.run(hub.next({ chainId, filter, onlyFinal, start }))
        if (part === undefined) return false
        for (const delivery of part.deliveries) {
          consumer.take(delivery)
          if (--left <= 0) return true
        }
        consumer.position = positionText(part.position)
        if (!part.hasMore) return false
      }
      return true
    }

    const rowsOf = async (chainId: ChainId, filter: EventFilter, onlyFinal: boolean) => {
      const consumer = new Consumer(filter, onlyFinal)
      while (await follow(consumer, chainId, 1000));
      return consumer.rows
    }

    test("consumers that break off anywhere end with the rows of the ledger, none twice, none lost", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 3, maxLength: 9 }),
          losses,
          takes,
          async (steps, isLost, taken) => {
            const chain = anyChain()
            const chainId = freshChainId()
            const writer = await store.open({ chainId, ...anyChainSettings })
            const consumers = filters.flatMap((filter) => [new Consumer(filter, false), new Consumer(filter, true)])
            const lost = new Set<string>()
            const keyOf = (row: { blockNumber: number; logIndex: number }) => `${row.blockNumber} ${row.logIndex}`
            let salt = 0
            let final = -1
            for (const next of [...steps, { append: [{ events: [], pause: 12 }] }, "heal" as const]) {
              const from = chain.nextBlock
              if (next === "heal") {
                if (lost.size === 0) continue
                const isMissing = (row: { blockNumber: number; logIndex: number }) => lost.has(keyOf(row))
                await store.run(
                  writer.heal({
                    movements: chain.blocks.flatMap(({ movements }) => movements.filter(isMissing)),
                    nfts: chain.blocks.flatMap(({ nfts }) => nfts.filter(isMissing)),
                    headers: chain.blocks.map(({ header }) => header),
                  }),
                )
                lost.clear()
              } else if (next === "keep") {
                // What is found of balances is no row.
                if (chain.blocks.length === 0) continue
                const movements = chain.blocks.flatMap(({ movements }) => movements)
                const firsts = new Map(movements.toReversed().map((movement) => [movement.token, movement]))
                const born = [...firsts.values()].map(({ token, blockNumber, logIndex, txHash }) => ({
                  ...{ standard: "erc20" as const, address: token },
                  ...{ firstBlock: blockNumber, firstLogIndex: logIndex, firstTxHash: txHash },
                }))
                await store.run(writer.letZeroAddressHold(born))
              } else if ("append" in next) {
                for (const { events, pause } of next.append) {
                  const time = (chain.blocks.at(-1)?.header.time ?? chain.genesisTime) + pause
                  chain.block(events, { time, salt: `${salt++}` })
                  const block = chain.blocks.at(-1)!
                  for (const row of [...block.movements, ...block.nfts]) if (isLost.next().value) lost.add(keyOf(row))
                }
                final = Math.max(final, chain.nextBlock - 1 - depth)
                const segment = chain.segment(from, undefined, { finalizedBlock: final })
                const isGiven = (row: { blockNumber: number; logIndex: number }) => !lost.has(keyOf(row))
                await store.run(
                  writer.append({
                    ...segment,
                    movements: segment.movements.filter(isGiven),
                    nfts: segment.nfts.filter(isGiven),
                  }),
                )
              } else {
                const to = Math.max(from - next.rollback, final + 1, 1)
                if (to >= from) continue
                chain.truncate(to)
                for (const key of lost) if (Number(key.split(" ")[0]) >= to) lost.delete(key)
                await store.run(writer.rollback(to))
              }
              for (const consumer of consumers) await follow(consumer, chainId, taken.next().value)
            }
            for (const consumer of consumers) while (await follow(consumer, chainId, 1000));
            for (const { filter, onlyFinal, rows } of consumers) {
              const wanted = await rowsOf(chainId, filter, onlyFinal)
              const name = nameOf(onlyFinal)
              expect([...rows].map(name).sort()).toEqual([...wanted].map(name).sort())
            }
            const all = await rowsOf(chainId, {}, false)
            const transfers = chain.blocks.flatMap(({ movements, nfts }) => [
              ...movements.filter(({ kind }) => kind === "transfer"),
              ...nfts,
            ])
            const told = [...all.values()].filter((row) => "from" in row)
            expect(told.length).toBe(transfers.length)
          },
        ),
        { numRuns },
      )
    })

    test("a row that is healed while a wallet's rows are walked is told once", async () => {
      const [zero, gold, ann, bob] = [address(0), address(0x70), address(0xa1), address(0xb2)]
      const chain = anyChain()
      for (let block = 0; block < 3; block++)
        chain.block([transfer(gold, zero, ann, 5n), transfer(gold, zero, bob, 7n)], { salt: `${block}` })
      const chainId = freshChainId()
      const writer = await store.open({ chainId, ...anyChainSettings })
      const segment = chain.segment(0, undefined, { finalizedBlock: chain.nextBlock - 1 })
      const [missing, ...rest] = segment.movements
      await store.run(writer.append({ ...segment, movements: rest }))
      const headers = chain.blocks.map(({ header }) => header)
      const healed = Effect.ignore(writer.heal({ movements: [missing!], nfts: [], headers }))
      const walking = await hubWith((list) => (query) => Effect.andThen(healed, list(query)))
      const filter = { address: [ann] }
      const ids: Array<unknown> = []
      let start: "beginning" | ChainPosition = "beginning"
      for (let hasMore = true; hasMore; ) {
        const part: Part = (await store.run(walking.next({ chainId, filter, onlyFinal: false, start })))!
        for (const { type, data } of part.deliveries) if (type === "transfer") ids.push((data as Data).id)
        start = part.position
        hasMore = part.hasMore
      }
      expect(ids).toHaveLength(3)
      expect(new Set(ids).size).toBe(3)
    })
  })
