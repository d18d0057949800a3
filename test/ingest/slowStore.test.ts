/** A store that is too slow for what a backfill commits gives it up: fewer rows at a time are stored, until it is faster. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect, Logger } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { weightOf } from "../../src/domain/ingest/decode/chunk.ts"
import { makeCommitSize } from "../../src/domain/ingest/state/commitSize.ts"
import { zeroAddress } from "../../src/model/primitives.ts"
import { LedgerUnavailable, type LedgerWriter } from "../../src/ports/Ledger.ts"
import { contentOf } from "../contracts/content.ts"
import { openStore, type TestStore } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { FakeNode } from "../support/nodes/fakeNode.ts"
import { chainId, comparable, inWorld, truthOf } from "./world.ts"

const [token, alice] = [address(0x70), address(0xa)]
const chainOf = (blocks: number) => {
  const chain = new TestChain()
  for (let made = 0; made < blocks; made++)
    chain.block(Array.from({ length: 10 }, () => transfer(token, zeroAddress, alice, 1n)))
  return chain
}

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
})
afterEach(() => store.close())

const deadlineMs = 90_000

/** Takes so long for each row of a commit, and ends the writer with one that takes longer than the deadline. */
const slowWriter =
  (msOfRow: () => number, commits: Array<number>) =>
  (writer: LedgerWriter): LedgerWriter => {
    let held = 0
    return {
      ...writer,
      extend: (segment) =>
        Effect.tap(writer.extend(segment), () =>
          Effect.sync(() => {
            held += weightOf(segment)
          }),
        ),
      commit: Effect.suspend(() => {
        const rows = held
        const tookMs = msOfRow() * rows
        held = 0
        if (rows === 0) return writer.commit
        if (tookMs <= deadlineMs) {
          commits.push(rows)
          return Effect.andThen(Effect.sleep(tookMs), writer.commit)
        }
        const late = new LedgerUnavailable({ cause: new Error("given up"), isLate: true })
        return Effect.sleep(deadlineMs).pipe(
          Effect.andThen(writer.discard),
          Effect.andThen(Effect.sync(() => commits.push(-rows))),
          Effect.andThen(Effect.fail(late)),
        )
      }),
    }
  }

test("what is too much for the store in its time is stored in smaller parts, larger ones once it is faster", async () => {
  const chain = chainOf(2000)
  // Twenty blocks of ten rows, each in 30 ms: all of them within the first seconds.
  const node = new FakeNode(chain, { mostBlocks: 20 })
  const { logs } = node
  node.logs = (from, to) => Effect.delay(logs.call(node, from, to), 20)
  /** Rows of what was stored; below zero: of what was given up. */
  const commits: Array<number> = []
  const stored = () => commits.filter((rows) => rows > 0)
  const wrapWriter = slowWriter(() => (stored().length < 3 ? 30 : 0), commits)
  await inWorld({ node, store, settings: { rpcConcurrency: 1 }, wrapWriter }, (world) =>
    Effect.gen(function* () {
      yield* world.until(() => commits.length > 5)
      expect(stored()).not.toBeEmpty()
      yield* world.caughtUp(chain)
    }),
  )
  const firstStored = commits.findIndex((rows) => rows > 0)
  const givenUp = commits.slice(0, firstStored).map((rows) => -rows)
  expect(givenUp.length).toBeGreaterThan(1)
  // Half of what was too much, and no more than a range beside it.
  const isHalf = (rows: number, before: number) => rows <= before / 2 + 200 && rows >= before / 2 - 200
  for (const [index, rows] of [...givenUp, commits[firstStored]!].entries())
    if (index > 0) expect([rows, isHalf(rows, givenUp[index - 1]!)]).toEqual([rows, true])
  // From there on none is given up. The first one that took no minute let the next be twice as large.
  expect(commits.slice(firstStored)).toEqual(stored())
  const [first, second, third, fourth, fifth] = stored()
  for (const rows of [second!, third!, fourth!]) expect(Math.abs(rows - first!)).toBeLessThanOrEqual(200)
  expect(fifth!).toBeGreaterThan(1.5 * fourth!)
  expect(comparable(await contentOf(store, chainId, chain))).toEqual(await truthOf(chain))
})

test("the log says so once; of small commits nothing is concluded, and there is a least size", async () => {
  const said: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => said.push(String(message)))])
  const size = makeCommitSize(chainId)
  const tooMany = (rows: number) => Effect.runPromise(Effect.provide(size.tooMany(rows), logger))
  expect(size.most(3_000_000)).toBe(3_000_000)
  await tooMany(800_000)
  expect([size.most(3_000_000), size.most(30_000)]).toEqual([400_000, 30_000])
  size.stored(100_000, 10)
  size.stored(400_000, 60_000)
  expect(size.most(3_000_000)).toBe(400_000)
  size.stored(400_000, 50_000)
  expect(size.most(3_000_000)).toBe(800_000)
  await tooMany(3)
  expect(size.most(3_000_000)).toBe(1000)
  expect(said).toHaveLength(1)
  expect(said[0]).toContain("gave up an append of 800,000 rows")
})
