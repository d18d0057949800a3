/** What the log says while every read fails: a line with its stack a minute, and how many more there were. */
import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../../src/model/errors.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { always } from "../../support/always.ts"
import { prefix, startService } from "../support.ts"

const failing = async (read: Effect.Effect<never, StoreUnavailable>) => {
  const stores = Layer.merge(Layer.succeed(TokenStore, always(read)), Layer.succeed(SupplyStore, always(read)))
  const service = await startService({ replace: Layer.merge(stores, TestClock.layer()) })
  const ask = async (times: number) => {
    for (let asked = 0; asked < times; asked++) {
      await service.fetch(`${prefix("43114")}/erc20?limit=${1 + (asked % 9)}`)
      await service.fetch(`${prefix("43114")}/erc721`)
    }
  }
  return { service, ask }
}

const unreachable = () => Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" })

test.each([
  ["the store is unavailable", Effect.suspend(() => Effect.fail(new StoreUnavailable({ cause: unreachable() })))],
  [
    "failed to answer",
    Effect.suspend(() => Effect.die(new TypeError(`no number: ${Math.random()}\n    at evil${Math.random()} (x.ts)`))),
  ],
])("%s: 200 failed reads are one line, and a minute later one more that counts them", async (words, read) => {
  const { service, ask } = await failing(read)
  await ask(100)
  expect(service.logs.filter((line) => line.includes(words)).length).toBe(1)
  expect(service.logs.filter((line) => line.includes("    at ")).length).toBe(1)
  await service.run(TestClock.adjust(60_000))
  await ask(100)
  const lines = service.logs.filter((line) => line.includes(words))
  expect(lines.length).toBe(2)
  expect(lines[1]).toContain("(and 199 more of this kind since the last line)")
  await service.close()
})

test("another kind has a line of its own at once", async () => {
  let failures = 0
  const read = Effect.suspend((): Effect.Effect<never, StoreUnavailable> => {
    const cause = failures++ % 2 === 0 ? unreachable() : Object.assign(new Error("shutting down"), { code: "57P01" })
    return Effect.fail(new StoreUnavailable({ cause }))
  })
  const { service, ask } = await failing(read)
  await ask(50)
  expect(service.logs.map((line) => /ECONNREFUSED|shutting down/.exec(line)?.[0])).toEqual([
    "ECONNREFUSED",
    "shutting down",
  ])
  await service.close()
})
