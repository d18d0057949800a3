/** Which of the largest holders are contracts: who is asked about, when, at which block, and what a node that fails costs. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Clock, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { learnCodes } from "../../src/domain/enrich/codes.ts"
import type { FollowedLedger } from "../../src/domain/ingest/status/FollowedLedger.ts"
import { type Address, chainIdOfNumber } from "../../src/model/primitives.ts"
import { AccountCodes } from "../../src/ports/AccountCodes.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { CodeStore } from "../../src/ports/CodeStore.ts"
import { WantedCodes } from "../../src/ports/WantedCodes.ts"
import { openStore, seed, type TestStore } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"

const zero = address(0)
const [coin, rare] = [address(0x9101), address(0x9102)]
const people = Array.from({ length: 30 }, (_, place) => address(0xe000 + place))
const kindOf = (holder: Address) => (["contract", "delegation", "none"] as const)[Number(BigInt(holder) % 3n)]!
const isContract = (holder: Address) => kindOf(holder) === "contract"

let store: TestStore
let chainId = chainIdOfNumber(1)
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
  const chain = new TestChain().block([
    ...people.map((to, place) => transfer(coin, zero, to, BigInt(1000 - place))),
    transfer(rare, zero, people[29]!, 1n),
  ])
  for (let block = 0; block < 300; block++) chain.block()
  chainId = await seed(store, chain)
})
afterEach(() => store.close())

interface Asked {
  readonly addresses: ReadonlyArray<Address>
  readonly blockNumber: number
}

/** Runs the work for so many seconds of its clock; `fails`: for how many questions the node does. */
const learn = (
  seconds: number,
  {
    bad = [] as ReadonlyArray<Address>,
    fails = 0,
    behind = 0,
    accountCodes = true,
    startAt = 0,
    /** By how many seconds its clock is set back once it has asked. */
    setBack = 0,
    met = [] as ReadonlyArray<Address>,
  } = {},
) => {
  const asked: Array<Asked> = []
  /** How many were asked about when each round came to the tokens with most holders. */
  const rounds: Array<number> = []
  let left = fails
  const node = Layer.succeed(AccountCodes, {
    kindsOf: (_, addresses, blockNumber) =>
      Effect.suspend(() => {
        asked.push({ addresses, blockNumber })
        return left-- > 0 || addresses.some((each) => bad.includes(each))
          ? Effect.fail(new SourceUnavailable({ message: "down" }))
          : Effect.succeed(addresses.map(kindOf))
      }),
  })
  const ledger = {
    checkpoint: () => ({ nextBlock: 301, firstBlock: 0, finalizedBlock: 150, head: {} }),
    nodeHead: () => 300 + behind,
  } as unknown as FollowedLedger
  return store.run(
    Effect.gen(function* () {
      const codes = yield* CodeStore
      const wanted = yield* WantedCodes
      yield* wanted.want(chainId, met)
      const story = Effect.gen(function* () {
        yield* TestClock.adjust(startAt * 1000)
        let shift = 0
        const clock = yield* Clock.Clock
        const wall = () => clock.currentTimeMillisUnsafe() + shift
        const shifted = { currentTimeMillisUnsafe: wall, currentTimeMillis: Effect.sync(wall) }
        const fiber = yield* learnCodes({ chainId, accountCodes }, ledger).pipe(
          Effect.provideService(Clock.Clock, Object.assign(Object.create(clock), shifted)),
          Effect.forkChild,
        )
        for (let second = 0; second < seconds; second++) {
          yield* TestClock.adjust(1000)
          if (second === 0) shift = -setBack * 1000
        }
        yield* Fiber.interrupt(fiber)
      })
      const watched = CodeStore.of({
        ...codes,
        listUnknown: (of, top) => {
          if (top.standard === "erc20" && top.skip === 0)
            rounds.push(asked.flatMap(({ addresses }) => addresses).length)
          return codes.listUnknown(of, top)
        },
      })
      const layers = Layer.mergeAll(
        node,
        Layer.succeed(CodeStore, watched),
        Layer.succeed(WantedCodes, wanted),
        TestClock.layer(),
        Logger.layer([]),
      )
      yield* story.pipe(Effect.provide(layers))
      return {
        asked,
        rounds,
        found: yield* codes.find(chainId, [...people, ...met]),
        left: yield* wanted.list(chainId, 1000),
      }
    }),
  )
}

const wanted = people.map((holder) => ({ address: holder, isContract: isContract(holder), blockNumber: 300 }))
const sorted = (codes: ReadonlyArray<{ readonly address: Address }>) =>
  codes.toSorted((a, b) => (a.address < b.address ? -1 : 1))

test("the largest come first, each is asked about once, at the newest block", async () => {
  const { asked, found } = await learn(10)
  expect(asked.map(({ addresses }) => addresses)).toEqual([people.slice(0, 20), people.slice(20)])
  expect(asked.map(({ blockNumber }) => blockNumber)).toEqual([300, 300])
  expect(sorted(found)).toEqual(wanted)
})

test("a node that fails is asked again, after longer each time", async () => {
  const { asked, found } = await learn(120, { fails: 4 })
  expect(asked.length).toBe(6)
  expect(sorted(found)).toEqual(wanted)
})

test("all are asked again after a week: code may have come, or a reorg have taken it", async () => {
  await learn(10)
  expect((await learn(10, { startAt: 6 * 86_400 })).asked).toEqual([])
  const { asked } = await learn(10, { startAt: 8 * 86_400 })
  expect(asked.flatMap(({ addresses }) => addresses)).toEqual(people)
})

test("of very many who are to be asked again a round takes a lot before each of its looks at tokens, and the largest wait for none but that", async () => {
  const chain = new TestChain().block(
    Array.from({ length: 50 }, (_, place) => transfer(address(0x9200 + place), zero, people[0]!, 1n)),
  )
  for (let block = 0; block < 300; block++) chain.block()
  chainId = await seed(store, chain)
  const strangers = Array.from({ length: 5000 }, (_, place) => address(0x1_0000 + place))
  const codes = strangers.map((each) => ({ address: each, isContract: false, blockNumber: 1 }))
  await store.run(CodeStore.use((s) => s.record(chainId, codes, 1)))
  const { asked, rounds } = await learn(60, { startAt: 8 * 86_400 })
  // Three looks at ERC-20s, one at ERC-721s.
  expect(rounds.slice(0, 2)).toEqual([200, 1001])
  expect(asked.flatMap(({ addresses }) => addresses).indexOf(people[0]!)).toBe(200)
})

test("nobody is asked while the ledger is far behind its node, or where it is off", async () => {
  expect((await learn(10, { behind: 5000 })).asked).toEqual([])
  expect((await learn(10, { accountCodes: false })).asked).toEqual([])
})

test("addresses of which the node tells nothing hold nobody else up, and are put aside for an hour", async () => {
  const bad = [people[3]!, people[25]!]
  const { asked, found } = await learn(120, { bad })
  expect(sorted(found)).toEqual(wanted.filter(({ address }) => !bad.includes(address)))
  // Each batch once whole, its reference, each of its addresses alone; and not again in two minutes.
  expect(asked.length).toBeLessThan(2 + 1 + 30 + 1)
  expect((await learn(5, { startAt: 3700, bad: [] })).found.length).toBe(30)
})

test("a clock that was ahead when they were asked holds nobody up for as long, nor one that is set back those put aside", async () => {
  await learn(10, { startAt: 400 * 86_400 })
  const { asked } = await learn(10, { startAt: 8 * 86_400 })
  expect(asked.flatMap(({ addresses }) => addresses)).toEqual(people)
  expect((await learn(10, { startAt: 8 * 86_400 + 60 })).asked).toEqual([])
  const bad = [people[3]!]
  const set = await learn(4000, { bad, startAt: 20 * 86_400, setBack: 43_200 })
  // Once behind its batch, and an hour later by itself: it is asked again to tell it from a node that is down.
  expect(set.asked.filter(({ addresses }) => addresses.length === 1 && addresses[0] === bad[0]).length).toBe(3)
})

test("what was told before the node went down is kept", async () => {
  const down = people.slice(20)
  const { found } = await learn(3, { bad: down })
  expect(sorted(found)).toEqual(wanted.slice(0, 20))
})

describe("whom callers met in lists", () => {
  /** They hold nothing: the largest holders do not have them. */
  const met = Array.from({ length: 50 }, (_, place) => address(0xf000 + place))
  const ofMet = met.map((holder) => ({ address: holder, isContract: isContract(holder), blockNumber: 300 }))

  test("are known some seconds later, beside the largest holders, and wait no more", async () => {
    const { asked, found, left } = await learn(5, { met })
    expect(sorted(found)).toEqual(sorted([...wanted, ...ofMet]))
    expect(left).toEqual([])
    // Together they ask no faster than the largest holders alone.
    expect(asked.length).toBe(5)
  })

  test("wait while the node is down, and it is not asked every moment", async () => {
    const { asked, left } = await learn(600, { met, fails: Number.POSITIVE_INFINITY })
    expect(left).toEqual(met)
    // Each round asks for a batch, and for three of it alone.
    expect(asked.length).toBeLessThan(100)
    expect((await learn(10)).left).toEqual([])
  })

  test("wait while the ledger is far behind", async () => {
    const { asked, left } = await learn(10, { met, behind: 5000 })
    expect([asked, left]).toEqual([[], met])
  })

  test("are asked about again after a week, as everybody is", async () => {
    await learn(10, { met })
    expect((await learn(10, { startAt: 6 * 86_400 })).asked).toEqual([])
    const { asked } = await learn(10, { startAt: 8 * 86_400 })
    expect(new Set(asked.flatMap(({ addresses }) => addresses))).toEqual(new Set([...met, ...people]))
  })

  test("one of whom the node tells nothing is taken out, and holds nobody else up", async () => {
    const bad = met[7]!
    const { found, left } = await learn(20, { met, bad: [bad] })
    expect(sorted(found)).toEqual(sorted([...wanted, ...ofMet.filter((code) => code.address !== bad)]))
    expect(left).toEqual([])
  })
})
