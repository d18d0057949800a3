/** Keeping notes: each chain's once, again when they change or have stood long, and as soon as a chain can take them. */
import { beforeEach, expect, test } from "bun:test"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { keepNotes } from "../../src/domain/enrich/trust.ts"
import { StoreUnavailable } from "../../src/model/errors.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { AddressedNote } from "../../src/model/tokenNote.ts"
import { Networks } from "../../src/ports/Networks.ts"
import { type ChainNotes, TokenLists } from "../../src/ports/TokenLists.ts"
import { type Recorded, TokenNotes } from "../../src/ports/TokenNotes.ts"
import { address } from "../support/chain/testChain.ts"

const noteOf = (number: number): AddressedNote => ({ address: address(number), trusted: true, texts: {} })

let said: ChainNotes
let answer: (chainId: string) => Recorded | "fails"
let open: (chainId: string) => boolean
let opening: object
let recorded: Array<string>
let logs: Array<string>
beforeEach(() => {
  said = new Map([[ChainId.make("1"), [noteOf(1)]]])
  answer = () => "all"
  open = () => true
  opening = {}
  recorded = []
  logs = []
})

const world = Layer.mergeAll(
  Layer.succeed(Networks, {
    chains: ["1", "10"].map((id) => ({ chainId: ChainId.make(id), network: "mainnet", ecosystems: [] })),
  }),
  Layer.succeed(TokenLists, { read: Effect.sync(() => said) }),
  Layer.succeed(TokenNotes, {
    record: (chainId, notes) =>
      Effect.suspend(() => {
        recorded.push(`${chainId}:${notes.map((note) => Number(note.address)).join()}`)
        const result = answer(chainId)
        return result === "fails" ? Effect.fail(new StoreUnavailable({ cause: "down" })) : Effect.succeed(result)
      }),
  }),
  Logger.layer([Logger.make(({ message }) => logs.push(String([message].flat()[0])))]),
)

/** Runs it beside `steps`, which move the clock. */
const during = <A>(steps: Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(keepNotes((chainId) => (open(chainId) ? opening : undefined)))
      yield* TestClock.adjust(0)
      const result = yield* steps
      yield* Fiber.interrupt(fiber)
      return result
    }).pipe(Effect.provide([world, TestClock.layer()])),
  )
const taken = Effect.sync(() => recorded.splice(0))

test("once, then when they change: a chain of which nothing is said has no notes", async () => {
  const seen = await during(
    Effect.gen(function* () {
      const first = yield* taken
      yield* TestClock.adjust(60_000)
      const quiet = yield* taken
      said = new Map([[ChainId.make("10"), [noteOf(3)]]])
      yield* TestClock.adjust(5000)
      return [first, quiet, yield* taken]
    }),
  )
  expect(seen).toEqual([["1:1", "10:"], [], ["1:", "10:3"]])
})

test("all of them again after ten minutes", async () => {
  const seen = await during(
    Effect.gen(function* () {
      yield* TestClock.adjust(599_000)
      const before = yield* taken
      yield* TestClock.adjust(6000)
      return [before, yield* taken]
    }),
  )
  expect(seen).toEqual([
    ["1:1", "10:"],
    ["1:1", "10:"],
  ])
})

test("a chain with tokens at work is tried again until all is recorded", async () => {
  const answers: Array<Recorded> = ["partly", "partly", "all"]
  answer = (chainId) => (chainId === "1" ? (answers.shift() ?? "all") : "all")
  await during(TestClock.adjust(60_000))
  expect(recorded).toEqual(["1:1", "10:", "1:1", "1:1"])
})

test("a chain without a ledger is tried every second, and until it has had one for five: tokens are born meanwhile", async () => {
  const answers: Array<Recorded> = ["absent", "absent", "all", "partly"]
  answer = (chainId) => (chainId === "1" ? (answers.shift() ?? "all") : "all")
  const seen = await during(
    Effect.gen(function* () {
      yield* TestClock.adjust(1000)
      const without = yield* taken
      yield* TestClock.adjust(5000)
      const young = yield* taken
      yield* TestClock.adjust(60_000)
      return [without, young, yield* taken]
    }),
  )
  expect(seen).toEqual([["1:1", "10:", "1:1"], ["1:1", "1:1", "1:1", "1:1", "1:1"], []])
})

test("a chain whose ledger is open elsewhere is left alone: its notes are recorded once it is open here, and as often as it is again", async () => {
  open = (chainId) => chainId === "10"
  const seen = await during(
    Effect.gen(function* () {
      yield* TestClock.adjust(30_000)
      const elsewhere = yield* taken
      open = () => true
      yield* TestClock.adjust(20_000)
      const here = yield* taken
      open = () => false
      yield* TestClock.adjust(700_000)
      return [elsewhere, [...new Set(here)], yield* taken]
    }),
  )
  expect(seen).toEqual([["10:"], ["1:1"], []])
})

test("a ledger that was lost and opened again between two looks, as behind a resync, has its notes recorded at once", async () => {
  const seen = await during(
    Effect.gen(function* () {
      yield* TestClock.adjust(60_000)
      yield* taken
      opening = {}
      yield* TestClock.adjust(5000)
      const again = yield* taken
      yield* TestClock.adjust(60_000)
      return [again, yield* taken]
    }),
  )
  expect(seen).toEqual([["1:1", "10:"], []])
})

test("a chain whose store fails is told of once, tried again, and holds up no other", async () => {
  answer = (chainId) => (chainId === "1" ? "fails" : "all")
  await during(
    Effect.gen(function* () {
      yield* TestClock.adjust(10_000)
      answer = () => "all"
      yield* TestClock.adjust(10_000)
    }),
  )
  expect(recorded).toEqual(["1:1", "10:", "1:1", "1:1", "1:1"])
  expect(logs).toEqual(["token lists cannot be recorded at the moment; what was recorded stays"])
})
