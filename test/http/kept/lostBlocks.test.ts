/** Kept answers of blocks that a ledger has lost: every block that anything has shown is held against it. */
import { expect, test } from "bun:test"
import { makeAtHand } from "../../../src/adapters/http/kept/atHand.ts"
import { makeKeptAnswers } from "../../../src/adapters/http/kept/keptAnswers.ts"
import { makeNewestPoints, type Standing } from "../../../src/adapters/http/kept/newestPoints.ts"
import { placesOf } from "../../../src/adapters/http/kept/unmoved.ts"
import type { AsOf } from "../../../src/model/block.ts"
import { ChainId, Hash } from "../../../src/model/primitives.ts"
import type { Touched } from "../../../src/ports/Freshness.ts"
import { settled } from "../../support/failure.ts"
import { gold } from "../world.ts"

const chainId = ChainId.make("43114")

/** Block so many of a fork, with as many moves. */
const block = (number: number, fork = "aa", moves = number): AsOf => ({
  chainId,
  blockNumber: 5000 + number,
  hash: Hash.make(`0x${fork.repeat(30)}${String(number).padStart(4, "0")}`),
  time: 1,
  finality: "latest",
  nodeHead: 5000 + number,
  firstBlock: 0,
  revision: moves,
  figures: moves,
  rewrites: 0,
})

/** A ledger whose blocks touch nothing of the contract that is asked about. */
const open = () => {
  let blocks: ReadonlyArray<AsOf> = []
  const asked: Array<ReadonlyArray<number>> = []
  let [looks, backs] = [0, 0]
  /** What is asked of the store waits for it, where it is given. The answer to what was touched is of the blocks that it gives, else of those when it was asked. */
  let look: Promise<void> | undefined
  let answer: Promise<ReadonlyArray<AsOf> | undefined> | undefined
  const kept = makeKeptAnswers(100_000)
  const told = (of: typeof blocks, ...shown: ReadonlyArray<Standing>): Touched | undefined =>
    shown.every(({ hash }) => of.some((it) => it.hash === hash)) ? { point: of.at(-1)!, tokens: new Map() } : undefined
  const points = makeNewestPoints({
    newest: async () => {
      looks++
      const found = blocks.at(-1)
      await look
      return found
    },
    touched: async (since, shown) => {
      asked.push([since, ...shown].map(({ blockNumber }) => blockNumber - 5000))
      const then = blocks
      return told((await answer) ?? then, since, ...shown)
    },
    wentBack: () => {
      backs++
      kept.forgetAll()
    },
  })
  const atHand = makeAtHand(points, kept)
  /** An answer of figures that is begun now; it is made at that point. */
  const begin = () => {
    const { made, end } = atHand.begin("gold", [chainId])
    return (at: AsOf) => {
      made({ endpoint: "x", points: [at], headers: {}, text: "t", digest: "x", figures: placesOf({ token: gold }) })
      end()
    }
  }
  return {
    points,
    asked,
    looks: () => looks,
    backs: () => backs,
    stands: (...now: ReadonlyArray<AsOf>) => {
      blocks = now
    },
    waits: (forLook: typeof look, forAnswer?: typeof answer) => {
      ;[look, answer] = [forLook, forAnswer]
    },
    /** Somebody looks where it stands, and it is learned what moved. */
    look: async () => {
      await points.read(chainId)
      await points.learned(chainId)
    },
    begin,
    /** Something shows a block, and an answer is made there. */
    keepAt: (at: AsOf) => {
      points.see(at)
      begin()(at)
    },
    found: async () => (await atHand.find("gold"))?.points[0]?.blockNumber,
  }
}

test("of several blocks that answers alone had shown each is held against the ledger, in one question", async () => {
  for (const lost of [1, 2, undefined]) {
    const { points, asked, stands, look, keepAt, found } = open()
    const forkOf = (number: number) => (lost !== undefined && number >= lost ? "bb" : "aa")
    const [one, two, three, four] = [1, 2, 3, 4].map((number) => block(number, forkOf(number)))
    stands(block(0))
    await points.read(chainId)
    keepAt(block(1))
    points.see(block(2))
    stands(block(0), one!, two!, three!, four!)
    points.see(three!)
    await look()
    // Where one of them is lost, nothing is known of what any of them moved.
    expect([lost, await found()]).toEqual([lost, lost === undefined ? four!.blockNumber : undefined])
    expect(asked).toEqual([[0, 1, 2, 3, 4]])
  }
})

test("so is one that a look told of while it was asked what an earlier one had touched", async () => {
  const { points, asked, stands, keepAt, waits, found } = open()
  stands(block(0))
  await points.read(chainId)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  waits(undefined, promise)
  stands(block(0), block(1))
  await points.read(chainId)
  stands(block(0), block(1), block(2))
  await points.read(chainId)
  keepAt(block(2))
  stands(block(0), block(1), block(2, "bb"), block(3, "bb"))
  await points.read(chainId)
  resolve(undefined)
  await points.learned(chainId)
  expect(await found()).toBeUndefined()
  expect(asked).toEqual([
    [0, 1],
    [1, 2, 3],
  ])
})

test("so is one that was shown while it was asked, where the answer is of a later one", async () => {
  for (const fork of ["bb", "aa"]) {
    const { points, asked, stands, keepAt, waits, found } = open()
    stands(block(0))
    await points.read(chainId)
    const { promise, resolve } = Promise.withResolvers<ReadonlyArray<AsOf>>()
    waits(undefined, promise)
    stands(block(0), block(1))
    await points.read(chainId)
    keepAt(block(2))
    const now = [block(0), block(1), block(2, fork), block(3, fork)]
    stands(...now)
    resolve(now)
    await points.learned(chainId)
    expect([fork, await found()]).toEqual([fork, fork === "aa" ? 5003 : undefined])
    expect(asked.slice(0, 2)).toEqual([
      [0, 1],
      [3, 2, 3],
    ])
  }
})

test("a look that another one has overtaken is no loss, and the newer one stays", async () => {
  const { points, asked, backs, stands, look, keepAt, waits, found } = open()
  stands(block(0))
  await points.read(chainId)
  const touched = Promise.withResolvers<ReadonlyArray<AsOf>>()
  waits(undefined, touched.promise)
  stands(block(0), block(1))
  await points.read(chainId)
  keepAt(block(1))
  const { promise, resolve } = Promise.withResolvers<void>()
  waits(promise, touched.promise)
  const overtaken = points.read(chainId)
  await settled()
  // The look has seen the first block; what was asked before it comes of the second, and is answered first.
  stands(block(0), block(1), block(2))
  touched.resolve([block(0), block(1), block(2)])
  await points.learned(chainId)
  resolve()
  expect([(await overtaken)?.blockNumber, points.seen(chainId)?.blockNumber, backs()]).toEqual([5001, 5002, 0])
  waits(undefined)
  expect([await found(), backs(), asked.length]).toEqual([5002, 0, 1])
  await look()
  expect(asked.length).toBe(1)
})

test("an answer that was begun before a loss is kept by nobody behind it", async () => {
  const { points, backs, stands, look, begin, found } = open()
  stands(block(0), block(1))
  await points.read(chainId)
  const made = begin()
  stands(block(0), block(1, "bb"))
  await points.read(chainId)
  expect(backs()).toBe(1)
  made(block(1))
  stands(block(0), block(1, "bb"), block(2, "bb"))
  await look()
  expect(await found()).toBeUndefined()
})

test("the same count at another block is a loss, though it was shown only while the look went on", async () => {
  const { points, backs, stands, waits } = open()
  stands(block(0))
  await points.read(chainId)
  const { promise, resolve } = Promise.withResolvers<void>()
  waits(promise)
  stands(block(0), block(1, "bb"))
  const look = points.read(chainId)
  await settled()
  points.see(block(1))
  resolve()
  await look
  expect(backs()).toBe(1)
})

test("where nobody looks, eight shown blocks are looked at; of more than sixteen that nobody can hold none is known to be unmoved", async () => {
  const { points, asked, looks, stands, look, keepAt, waits, found } = open()
  const upTo = (last: number) => Array.from({ length: last + 1 }, (_, number) => block(number))
  stands(block(0))
  await points.read(chainId)
  keepAt(block(0))
  const show = (from: number, to: number) => {
    stands(...upTo(to))
    for (let number = from; number <= to; number++) for (let time = 0; time < 3; time++) points.see(block(number))
  }
  show(1, 7)
  await settled()
  expect(looks()).toBe(1)
  show(8, 8)
  await settled()
  await points.learned(chainId)
  expect([looks(), asked]).toEqual([2, [[0, 1, 2, 3, 4, 5, 6, 7, 8]]])
  expect(await found()).toBe(5008)
  const { promise, resolve } = Promise.withResolvers<void>()
  waits(promise)
  show(9, 25)
  resolve()
  await look()
  expect(await found()).toBeUndefined()
  expect(asked.length).toBe(1)
})
