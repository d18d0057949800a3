/** What waiting for blocks costs the store: the looks of all who wait together. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { setImmediate } from "node:timers/promises"
import { Context, Effect, Layer } from "effect"
import { lookAt } from "../../../src/adapters/http/newEnough/looks.ts"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { steadyMillis } from "../../../src/model/time/steadyClock.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { noChoice, ReadServers } from "../../../src/ports/ReadServers.ts"
import { TestChain, transfer } from "../../support/chain/testChain.ts"
import { prefix, startService, type TestService } from "../support.ts"
import { ann, gold, zero } from "../world.ts"

let looks: Array<ChainId> = []
let [going, mostAtOnce] = [0, 0]
/** Looks end behind it. */
let gate: Promise<unknown> | undefined
let began: () => void = () => {}
const freshness = Layer.effect(
  Freshness,
  Freshness.use((own) =>
    Effect.succeed({
      ...own,
      newest: (chainId) =>
        Effect.gen(function* () {
          looks.push(chainId)
          going++
          mostAtOnce = Math.max(mostAtOnce, going)
          began()
          yield* Effect.promise(async () => gate ?? setImmediate())
          going--
          return yield* own.newest(chainId)
        }),
    } satisfies typeof own),
  ),
)

const ids = ["1", "10", "43114"] as const
const chain = () => new TestChain().block([transfer(gold, zero, ann, 1n)]).block([transfer(gold, zero, ann, 1n)])
let service: TestService
const writers = new Map<string, LedgerWriter>()
const append = (id: string, from: number, to: number) =>
  service.run(writers.get(id)!.append(chain().segment(from, to, { finalizedBlock: 0 })))
beforeEach(async () => {
  const storeLayer = freshness.pipe(Layer.provideMerge(MemoryStore.layer))
  service = await startService({ storeLayer, shares: { cheap: { turns: 100, perCaller: 100 } } })
  for (const id of ids) {
    writers.set(id, await service.open(id))
    await append(id, 0, 0)
  }
  looks = []
  ;[going, mostAtOnce, gate, began] = [0, 0, undefined, () => {}]
})
afterEach(() => service.close())

const ask = async (id: string, block: number, signal?: AbortSignal) => {
  const init = { headers: { "x-min-block": `${id}:${block}` }, ...(signal && { signal }) }
  return (await service.fetch(`${prefix(id)}/erc20`, init)).status
}

test("many who wait for chains cost one look a pause and chain, one at a time", async () => {
  const asked = ids.flatMap((id) => Array.from({ length: 20 }, () => ask(id, 1)))
  expect(new Set(await Promise.all(asked))).toEqual(new Set([503]))
  for (const id of ids) {
    const ofIt = looks.filter((it) => it === ChainId.make(id)).length
    expect(ofIt).toBeGreaterThan(1)
    // A second has 25 pauses.
    expect(ofIt).toBeLessThan(30)
  }
  expect(mostAtOnce).toBe(1)
})

test("all of them are answered when the block comes, and who wants a later one waits on", async () => {
  const asked = [...Array.from({ length: 20 }, () => ask("1", 1)), ask("1", 2)]
  const { promise: looked, resolve } = Promise.withResolvers<void>()
  began = resolve
  await looked
  await append("1", 1, 1)
  expect(await Promise.all(asked)).toEqual([...Array.from({ length: 20 }, () => 200), 503])
})

test("who asked first may leave: the others have its look", async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const { promise: looked, resolve } = Promise.withResolvers<void>()
  gate = opened
  began = resolve
  const leaving = new AbortController()
  const first = ask("1", 1, leaving.signal)
  await looked
  const others = [ask("1", 1), ask("1", 1)]
  leaving.abort()
  await first
  await append("1", 1, 1)
  open()
  expect(await Promise.all(others)).toEqual([200, 200])
  expect(looks).toHaveLength(1)
})

test("each server is looked at by itself, and a look tells when it began", async () => {
  const Chosen = Context.Reference<number | undefined>("test/Chosen", { defaultValue: () => undefined })
  const chainId = ChainId.make("1")
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const { promise: bothLooked, resolve: looked } = Promise.withResolvers<void>()
  const lookedAt: Array<number | undefined> = []
  const own = await service.run(Freshness)
  const counted: typeof own = {
    ...own,
    newest: (id) =>
      Effect.gen(function* () {
        lookedAt.push(yield* Chosen)
        if (lookedAt.length === 2) looked()
        yield* Effect.promise(() => opened)
        return yield* own.newest(id)
      }),
  }
  const look = (place: number) =>
    lookAt(chainId).pipe(
      Effect.provideService(Freshness, counted),
      Effect.provideService(ReadServers, { ...noChoice, chosen: Chosen }),
      Effect.provideService(Chosen, place),
      Effect.runPromise,
    )
  const firsts = [look(0), look(1)]
  await bothLooked
  const asked = await Effect.runPromise(steadyMillis)
  const seconds = [look(0), look(1)]
  open()
  const found = await Promise.all([...firsts, ...seconds])
  expect(lookedAt).toEqual([0, 1])
  expect(found.map(({ point }) => point?.blockNumber)).toEqual([0, 0, 0, 0])
  for (const { beganAt } of found) expect(beganAt).toBeLessThanOrEqual(asked)
})
