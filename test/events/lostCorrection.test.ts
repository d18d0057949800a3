/** What a consumer knows of is not in the database: a correction that a restore lost, or another making of the ledger. Who waits for it is told so, but for at a standby that may have it yet. */
import { expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import * as EventHub from "../../src/domain/events/EventHub.ts"
import { EventsGone } from "../../src/model/errors.ts"
import type { Delivery } from "../../src/model/events/event.ts"
import { type ChainPosition, positionsOf } from "../../src/model/events/position.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { EventStore } from "../../src/ports/EventStore.ts"
import { Ledger } from "../../src/ports/Ledger.ts"
import { Networks } from "../../src/ports/Networks.ts"
import { noChoice, type ReadServer, ReadServers } from "../../src/ports/ReadServers.ts"
import { settingsOf } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"

const chainId = ChainId.make("43114")
const query = { chainId, filter: { kinds: ["transfer"] }, onlyFinal: false } as const
const [token, ann] = [address(0x70), address(0xa1)]
const standby: ReadServer = {
  ...{ label: "standby", isPrimary: false, isStandby: true, takesWrites: false, isReached: true, isUsed: true },
}

type Knows = (told: ChainPosition) => Partial<ChainPosition>
const lostCorrection: Knows = ({ corrections }) => ({ corrections: corrections + 1, final: 4 })
const otherLedger: Knows = () => ({ birth: "abcdef", final: 5 })
const otherSettings: Knows = () => ({ birth: "abcdef", settings: "abcdef", final: 5 })

/** Six blocks with a transfer each, of which the first three are final; `servers`: what is read from. */
const open = async (servers: ReadonlyArray<ReadServer>, knows: Knows = lostCorrection) => {
  let reads = 0
  const counted = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) =>
      EventStore.of({
        ...store,
        read: (asked) =>
          Effect.suspend(() => {
            reads++
            return store.read(asked)
          }),
      }),
    ),
  )
  const runtime = ManagedRuntime.make(
    EventHub.layer.pipe(
      Layer.provide([
        counted.pipe(Layer.provide(MemoryStore.layer)),
        Layer.succeed(Networks, { chains: [] }),
        Layer.succeed(ReadServers, { ...noChoice, list: () => servers }),
      ]),
      Layer.provideMerge(MemoryStore.layer),
    ),
  )
  const chain = new TestChain()
  for (let block = 0; block < 6; block++) chain.block([transfer(token, address(0), ann, 1n)])
  const written = Ledger.use((ledger) =>
    Effect.flatMap(ledger.open(settingsOf({ chainId })), (writer) =>
      writer.append(chain.segment(0, undefined, { finalizedBlock: 2 })),
    ),
  )
  await runtime.runPromise(Effect.scoped(written))
  const next = (start: "beginning" | ChainPosition) =>
    runtime.runPromise(EventHub.EventHub.use((hub) => hub.next({ ...query, start })))
  const told = (await next("beginning"))!.position
  /** Of a consumer that was told all, and of what is not there. */
  const position: ChainPosition = { ...told, ...knows(told) }
  const beats: Array<Delivery> = []
  const subscribed = EventHub.EventHub.use((hub) =>
    hub.subscribe({
      ...{ ...query, start: position, push: () => true, room: Effect.void },
      stand: ({ heartbeat }) => void beats.push(heartbeat()),
    }),
  )
  const ended = runtime.runPromise(Effect.flip(subscribed))
  ended.catch(() => {})
  return { next, beats, ended, reads: () => reads, position, close: () => runtime.dispose() }
}

test("its stream is told from where to go on once it has waited; until then its signs of life say that it is behind", async () => {
  const primary = await open([])
  const near = await open([{ ...standby, lagMs: 5 }])
  const unknown = await open([standby])
  const far = await open([{ ...standby, lagMs: 3_600_000 }])
  try {
    for (const { ended, beats, next } of [primary, near]) {
      const gone = await ended
      expect(gone).toBeInstanceOf(EventsGone)
      expect(gone.message).toContain("forget what was told of blocks above 2, and go on with after=")
      expect(beats.length).toBeGreaterThan(0)
      for (const { data } of beats) expect(data).toMatchObject({ block: 5, finalizedBlock: 4, lagBlocks: 1 })
      const after = positionsOf(gone.after!)!.get(chainId)!
      const rest = (await next(after))!.deliveries.filter(({ type }) => type === "transfer")
      expect(rest.map(({ data }) => data)).toMatchObject([{ block: 3 }, { block: 4 }, { block: 5 }])
    }
    // As many looks as the others had.
    while (unknown.reads() < primary.reads() || far.reads() < primary.reads()) await Bun.sleep(50)
    const isOver = (it: typeof far) => Promise.race([it.ended.then(() => true), Bun.sleep(300).then(() => false)])
    expect([await isOver(unknown), await isOver(far)]).toEqual([false, false])
    expect(unknown.beats.at(-1)).toMatchObject({ data: { lagBlocks: 1 } })
  } finally {
    for (const it of [primary, near, unknown, far]) await it.close()
  }
})

test("of another making of the ledger it is told at once; a standby may have it yet, for as long as it may be behind", async () => {
  for (const knows of [otherLedger, otherSettings]) {
    const primary = await open([], knows)
    const near = await open([{ ...standby, lagMs: 5 }], knows)
    const far = await open([{ ...standby, lagMs: 3_600_000 }], knows)
    const unknown = await open([standby], knows)
    try {
      const refused = await primary.next(primary.position).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(EventsGone)
      for (const { ended } of [primary, near, unknown]) {
        const gone = await ended
        expect([gone.after, gone.message]).toEqual([undefined, expect.stringContaining("with after=beginning")])
      }
      expect([primary.beats.length, near.beats.length > 0, unknown.beats.length > 0]).toEqual([0, true, true])
      expect(near.beats.at(-1)).toMatchObject({ data: { lagBlocks: 1 } })
      expect(await near.next(near.position)).toBeUndefined()
      // As many looks as the others had.
      while (far.reads() < near.reads()) await Bun.sleep(50)
      expect(await Promise.race([far.ended.then(() => true), Bun.sleep(300).then(() => false)])).toBe(false)
    } finally {
      for (const it of [primary, near, unknown, far]) await it.close()
    }
  }
})
