/** Counting the transfers of busy accounts: who is found by samples, when counting begins, and that a ledger far from its head is left alone. */
import { expect, test } from "bun:test"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeBusyAccounts } from "../../src/domain/enrich/busyAccounts.ts"
import { markAccounts, markWindow } from "../../src/domain/enrich/marks.ts"
import type { FollowedLedger } from "../../src/domain/ingest/status/FollowedLedger.ts"
import { QueryTooSlow } from "../../src/model/errors.ts"
import { chainIdOfNumber } from "../../src/model/primitives.ts"
import { AccountMarks, type MarkSample, type MarkWindow } from "../../src/ports/AccountMarks.ts"
import { address } from "../support/chain/testChain.ts"

const chainId = chainIdOfNumber(1)
const account = (number: number) => ({ standard: "erc20", address: address(number) }) as const
/** Blocks that were not seen. */
const anywhere = { from: 0, to: 0 }
const of = (number: number, rows: number) => ({ ...account(number), rows })

test("an account is given once its samples say that it has enough, and again when they say that it has the rest", () => {
  const busy = makeBusyAccounts({ least: 100, share: 10, most: 1000 })
  expect(busy.see([of(1, 6), of(2, 1)], anywhere)).toEqual([])
  expect(busy.see([of(1, 4), of(2, 9), of(3, 9)], anywhere)).toEqual([account(1), account(2)])
  busy.learned(account(1), 40)
  expect(busy.see([of(1, 5)], anywhere)).toEqual([])
  expect(busy.see([of(1, 1)], anywhere)).toEqual([account(1)])
  // The standards of an account are accounts of their own.
  expect(busy.see([{ ...of(2, 9), standard: "erc721" }], anywhere)).toEqual([])
})

test("of very many accounts those stay who were seen most", () => {
  const busy = makeBusyAccounts({ least: 100, share: 1, most: 50 })
  for (let round = 0; round < 30; round++) {
    const others = Array.from({ length: 40 }, (_, number) => of(1000 + 40 * round + number, 1))
    const found = busy.see([of(1, 20), ...others], anywhere)
    if (found.length > 0) return expect(found).toEqual([account(1)])
  }
  expect.unreachable()
})

/** A ledger of `end` final blocks with ten rows each, all of account 1; of another one from block 9,000 on. `failing`: an account that cannot be counted. */
const fake = (end: number, failing?: number) => {
  const story: Array<string> = []
  let next = 0
  const port = AccountMarks.of({
    next: (_, blocks) =>
      Effect.sync((): MarkWindow | undefined => {
        const window = { generation: "1", rollbacks: 0, from: next, to: Math.min(next + blocks, end), end }
        return next >= end ? undefined : { ...window, isFirst: next === 0 }
      }),
    sample: (_, from, blocks) =>
      Effect.sync((): MarkSample => {
        story.push("sample")
        return { rows: 10 * blocks, accounts: [of(1, 10 * blocks), ...(from > 9000 ? [of(2, 5 * blocks)] : [])] }
      }),
    begin: (_, { from }, { address: who }, least) =>
      Effect.suspend(() => {
        if (Number(who) === failing) return Effect.fail(new QueryTooSlow({ message: "too many" }))
        story.push(`begin ${Number(who)} at ${from}`)
        return Effect.succeed(who === address(2) ? Math.min(least, 10) : least)
      }),
    count: (_, { from, to }) =>
      Effect.sync(() => {
        story.push(`count ${from} to ${to}`)
        next = to
      }),
  })
  return { story, layer: Layer.succeed(AccountMarks, port), count: () => next }
}

const after = (
  effect: Effect.Effect<unknown, unknown, AccountMarks>,
  seconds: number,
  layer: ReturnType<typeof fake>["layer"],
) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust(seconds * 1000)
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(layer), Effect.provide(TestClock.layer()), Effect.runPromise)

test("who is busy is looked for in all final blocks before the first is counted", async () => {
  const { story, layer } = fake(20_000)
  const busy = makeBusyAccounts({ least: 2000, share: 32, most: 100 })
  await after(markWindow(chainId, busy, { blocks: 500, least: 2000 }), 10, layer)
  const begun = story.indexOf("begin 1 at 0")
  expect(story.slice(0, begun).every((it) => it === "sample")).toBe(true)
  expect(story.slice(begun)).toEqual(["begin 1 at 0", "begin 2 at 0", "count 0 to 500"])
})

test("what was looked through before counting is not seen a second time with its windows", async () => {
  const { story, layer, count } = fake(20_000)
  // One look at every 32nd block finds half of the rows that make it busy; two looks would find them all.
  const busy = makeBusyAccounts({ least: 2 * 20_000 * 10, share: 32, most: 100 })
  const all = Effect.gen(function* () {
    for (let more = 0; more < 100; more++) yield* markWindow(chainId, busy, { blocks: 500, least: 2000 })
  })
  await after(all, 600, layer)
  expect(count()).toBe(20_000)
  expect(story.filter((it) => it.startsWith("begin"))).toEqual([])
})

test("an account that cannot be counted holds up no other", async () => {
  const { story, layer } = fake(20_000, 1)
  const busy = makeBusyAccounts({ least: 2000, share: 32, most: 100 })
  await after(markWindow(chainId, busy, { blocks: 500, least: 2000 }), 10, layer)
  expect(story.slice(-2)).toEqual(["begin 2 at 0", "count 0 to 500"])
})

test("near its head a ledger is counted whole, and again what came; far from it nothing is done", async () => {
  const ledger = (nodeHead: number) =>
    ({
      checkpoint: () => ({ nextBlock: 20_100, firstBlock: 0, finalizedBlock: 19_999, head: {} }),
      nodeHead: () => nodeHead,
    }) as unknown as FollowedLedger
  const near = fake(20_000)
  await after(markAccounts({ chainId }, ledger(20_099)), 60, near.layer)
  expect(near.count()).toBe(20_000)
  const far = fake(20_000)
  await after(markAccounts({ chainId }, ledger(90_000)), 60, far.layer)
  expect(far.story).toEqual([])
})
