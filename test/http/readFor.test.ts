/** Reads of a request are made in its caller's name: by it callers are served in rotation where reads wait for one another. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { ReadFor } from "../../src/ports/ReadFor.ts"
import { prefix, sha256, startService, store, type TestService } from "./support.ts"
import { ann, avalanche, gold } from "./world.ts"

const names: Array<string> = []
const costly: Array<boolean> = []
const heard = Layer.effect(
  HolderStore,
  HolderStore.use((own) =>
    Effect.succeed({
      ...own,
      list: (...asked) =>
        Effect.andThen(
          Effect.map(ReadFor, ({ isCostly }) => costly.push(isCostly)),
          own.list(...asked),
        ),
      findBalance: (...asked) =>
        Effect.andThen(
          Effect.map(ReadFor, ({ caller }) => names.push(caller)),
          own.findBalance(...asked),
        ),
    } satisfies typeof own),
  ),
)

let service: TestService
beforeAll(async () => {
  service = await startService({
    storeLayer: heard.pipe(Layer.provideMerge(MemoryStore.layer)),
    apiKeysSha256: [sha256("a key")],
  })
  await store(service, "43114", avalanche())
})
afterAll(() => service.close())

test("by its address, or by its key wherever that is", async () => {
  const path = `${prefix("43114")}/compat/api?module=account&action=tokenbalance&contractaddress=${gold}&address=${ann}`
  const [here, there] = ["192.0.2.1", "192.0.2.2"]
  const keyed = { headers: { apikey: "a key" } }
  // Each is another question: no answer is at hand.
  for (const [address, init] of [
    [here, {}],
    [there, {}],
    [here, keyed],
    [there, keyed],
    [here, {}],
  ] as const)
    expect((await service.fetch(`${path}&tag=${names.length}`, init, address)).status).toBe(200)
  const [first, second, third, fourth, fifth] = names
  expect([names.length, new Set(names).size, first, third]).toEqual([5, 3, fifth, fourth])
  expect(first).not.toBe(second)
  expect(names).not.toContain("")
})

test("those of a costly turn say so, so that short ones need not wait for them", async () => {
  const path = `${prefix("43114")}/erc20/${gold}/holders`
  for (const asked of ["?minBalance=1", "?limit=201&minBalance=1"])
    expect((await service.fetch(`${path}${asked}`)).status).toBe(200)
  expect(costly).toEqual([false, true])
})
