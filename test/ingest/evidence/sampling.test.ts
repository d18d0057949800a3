/** What is looked at twice, what is kept of the rest, and what follows from a node's leaving logs out. */
import { describe, expect, test } from "bun:test"
import { randomOf } from "../../../demo/chain/random.ts"
import { beyond, differencesOf, together } from "../../../src/domain/ingest/evidence/compareRange.ts"
import { doubtOf } from "../../../src/domain/ingest/evidence/doubt.ts"
import {
  blocksBetween,
  confirm,
  distrust,
  isRangeDue,
  isRested,
  makeEvidence,
  noteTold,
  noteUse,
  recordOf,
} from "../../../src/domain/ingest/evidence/Evidence.ts"
import { isSame, keepTold, type Told, toldOf } from "../../../src/domain/ingest/evidence/told.ts"
import { makeLostTokens } from "../../../src/domain/ingest/status/LostTokens.ts"
import { mayBeCut } from "../../../src/domain/ingest/verify/cutAnswers.ts"
import { makeChainTraits } from "../../../src/domain/ingest/verify/verifier.ts"
import type { Log } from "../../../src/model/block.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { address, hash } from "../../support/chain/testChain.ts"

const log = (blockNumber: number, logIndex: number, token = 1): Log => ({
  address: address(token),
  topics: [hash("Transfer")],
  data: "0x",
  blockNumber,
  blockHash: hash(`block ${blockNumber}`),
  logIndex,
  txHash: hash(`tx ${blockNumber} ${logIndex}`),
})
const logsOf = (from: number, to: number, perBlock: number): ReadonlyArray<Log> =>
  Array.from({ length: (to - from + 1) * perBlock }, (_, place) =>
    log(from + Math.floor(place / perBlock), place % perBlock),
  )

describe("ranges that are compared", () => {
  const dueAmong = (ranges: number, seed: number, change = (_: ReturnType<typeof recordOf>) => {}) => {
    const [record, random] = [recordOf(makeEvidence(), 0), randomOf(seed)]
    change(record)
    return Array.from({ length: ranges }, () => isRangeDue(record, random.below(1000) / 1000, false))
  }

  test("are the first eight, then one of each thirty-two: never more than 62 between two", () => {
    for (let seed = 0; seed < 20; seed++) {
      const due = dueAmong(32 * 20, seed)
      expect(due.slice(0, 8)).toEqual(Array(8).fill(true))
      for (let stratum = 1; stratum < 20; stratum++) {
        expect(due.slice(32 * stratum, 32 * stratum + 32).filter(Boolean)).toHaveLength(1)
      }
    }
    const places = Array.from({ length: 20 }, (_, seed) => dueAmong(64, seed).lastIndexOf(true))
    expect(new Set(places).size).toBeGreaterThan(5)
  })

  test("are all of a node that left logs out, until 64 agreed in a row; then one of eight", () => {
    const evidence = makeEvidence()
    const record = recordOf(evidence, 0)
    distrust(evidence, 0, "it left logs out")
    for (let range = 0; range < 64; range++) {
      expect(isRangeDue(record, 0.5, false)).toBe(true)
      confirm(record)
    }
    expect(record.isDistrusted).toBe(false)
    const later = Array.from({ length: 80 }, () => isRangeDue(record, 0.5, false))
    expect(later.filter(Boolean)).toHaveLength(10)
  })

  test("are one in four of those without any log", () => {
    const [record, random] = [recordOf(makeEvidence(), 0), randomOf(3)]
    const due = Array.from({ length: 2000 }, () => isRangeDue(record, random.below(1000) / 1000, true))
    expect(due.filter(Boolean).length).toBeGreaterThan(400)
    expect(due.filter(Boolean).length).toBeLessThan(700)
  })

  test("are not asked of a node that was of no use, for twice as long each time", () => {
    const record = recordOf(makeEvidence(), 1)
    for (const rest of [2, 4, 8]) {
      noteUse(record, false)
      expect(Array.from({ length: rest }, () => isRested(record))).toEqual([...Array(rest - 1).fill(false), true])
    }
    noteUse(record, true)
    expect(isRested(record)).toBe(true)
  })
})

test("of blocks with logs one in 128 is held against its receipts on average, one in four where there is nobody else to ask, fewer where there are none to be had", () => {
  const random = randomOf(9)
  const mean = (isDistrusted: boolean, unread = 0) => {
    const evidence = Object.assign(makeEvidence(), { unread })
    const between = Array.from({ length: 4000 }, () => blocksBetween(evidence, isDistrusted, random.below(1000) / 1000))
    return between.reduce((sum, each) => sum + each, 0) / between.length
  }
  expect(mean(false)).toBeGreaterThan(120)
  expect(mean(false)).toBeLessThan(136)
  expect(mean(true)).toBeLessThan(5)
  expect(mean(false, 3)).toBeGreaterThan(900)
})

describe("two answers", () => {
  test("differ exactly in what was left out of one of them", () => {
    const random = randomOf(4)
    for (let round = 0; round < 200; round++) {
      const all = logsOf(10, 40, 1 + random.below(4))
      const own = all.filter(() => !random.chance(0.1))
      const others = all.filter(() => !random.chance(0.1))
      const found = differencesOf(own, others)
      expect(found.flatMap(({ more }) => more)).toEqual([...beyond(others, own)])
      const numbers = [...beyond(others, own), ...beyond(own, others)].map(({ blockNumber }) => blockNumber)
      expect(found.map(({ number }) => number)).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    }
  })

  test("that count logs in different ways are the same; a log that comes twice is one too many", () => {
    const counted = [log(1, 0), { ...log(1, 1), logIndex: 7 }]
    expect(differencesOf([log(1, 0), log(1, 1)], counted)).toEqual([])
    const twice = [log(1, 0), { ...log(1, 0), logIndex: 1 }]
    expect(differencesOf([log(1, 0)], twice).map(({ more }) => more)).toEqual([[twice[1]!]])
    expect([together([log(1, 0)], [log(1, 1)])?.length, together([log(1, 0)], [twice[0]!])]).toEqual([2, undefined])
  })
})

describe("what was told", () => {
  test("tells a range from one that lacks a log, or has another in its place", () => {
    const range = { from: 0, to: 99 }
    const whole = logsOf(0, 99, 3)
    const told = toldOf(range, whole)
    expect(isSame(told, toldOf(range, [...whole]))).toBe(true)
    for (let place = 0; place < whole.length; place++) {
      expect(isSame(told, toldOf(range, whole.toSpliced(place, 1)))).toBe(false)
      expect(isSame(told, toldOf(range, whole.toSpliced(place, 1, log(whole[place]!.blockNumber, 77))))).toBe(false)
    }
  })

  test("is put together with its neighbours, and the sums add up", () => {
    const [kept, random]: [Array<Told>, ReturnType<typeof randomOf>] = [[], randomOf(6)]
    const order = Array.from({ length: 4000 }, (_, range) => range)
    // Four are under way at once.
    for (let at = 0; at < order.length; at += 4) {
      const four = order.slice(at, at + 4)
      while (four.length > 0) {
        const [range] = four.splice(random.below(four.length), 1) as [number]
        keepTold(kept, toldOf({ from: 10 * range, to: 10 * range + 9 }, logsOf(10 * range, 10 * range + 9, 2)))
      }
    }
    expect(kept.length).toBeLessThan(20)
    expect(kept.reduce((sum, { from, to }) => sum + to - from + 1, 0)).toBe(40_000)
    for (const told of kept) {
      expect(told.logs).toBeLessThanOrEqual(20_000)
      expect(isSame(told, toldOf(told, logsOf(told.from, told.to, 2)))).toBe(true)
    }
  })

  test("is in doubt once the node is shown to leave logs out, and that is said until it is asked again", () => {
    const [evidence, lost, chainId] = [makeEvidence(), makeLostTokens(), ChainId.make("5")]
    noteTold(recordOf(evidence, 1), toldOf({ from: 100, to: 199 }, []))
    noteTold(recordOf(evidence, 0), toldOf({ from: 0, to: 99 }, []))
    expect(doubtOf(chainId, evidence, lost)).toBeUndefined()
    distrust(evidence, 1, "http://b left logs out")
    expect(evidence.doubtful.map(({ node, told }) => [node, told.from])).toEqual([[1, 100]])
    expect(doubtOf(chainId, evidence, lost)).toBe(
      "http://b left logs out; what it told before is asked of another node again (blocks 100 to 199, 1 questions left)",
    )
    evidence.unasked = evidence.doubtful.pop()!.told
    expect(doubtOf(chainId, evidence, lost)).toContain("nobody else could be asked about blocks 100 to 199")
    evidence.unasked = undefined
    lost.tell([address(7), address(8)], { from: 110, to: 120 })
    lost.tell([address(7)], { from: 150, to: 160 })
    expect(lost.list()[0]).toEqual({ token: address(7), from: 110, to: 160 })
    expect(doubtOf(chainId, evidence, lost)).toContain("the ledger may lack logs of 2 tokens (blocks 110 to 160)")
    lost.forget(lost.list())
    expect(doubtOf(chainId, evidence, lost)).toBeUndefined()
  })

  test("of very much, is said by its blocks where it is too long ago to be asked about", () => {
    const [evidence, lost, chainId] = [makeEvidence(), makeLostTokens(), ChainId.make("5")]
    const record = recordOf(evidence, 0)
    // No two are neighbours.
    const tell = (range: number) => noteTold(record, { from: 3 * range, to: 3 * range + 1, logs: 1, sum: 0 })
    for (let range = 0; range < 65_536; range++) tell(range)
    expect(record.forgotten).toBeUndefined()
    tell(65_536)
    const oldest = 3 * 8192 - 2
    expect([record.forgotten, record.told[0]!.from]).toEqual([{ from: 0, to: oldest }, oldest + 2])
    expect(doubtOf(chainId, evidence, lost)).toBeUndefined()
    distrust(evidence, 0, "http://a left logs out")
    expect(doubtOf(chainId, evidence, lost)).toContain(
      `what it told of blocks 0 to ${oldest} is too long ago to be asked about, and logs may be missing there: run cowry audit, or cowry resync 5`,
    )
    evidence.doubtful.length = 0
    distrust(evidence, 0, "http://a left logs out")
    expect(doubtOf(chainId, evidence, lost)).toContain(`blocks 0 to ${oldest} is too long ago`)
  })

  test("lasts where more was told of a token while it was looked at, and the token is due at once", () => {
    const lost = makeLostTokens()
    lost.tell([address(7), address(8)], { from: 110, to: 120 })
    const looked = lost.due(9, 1000)
    expect(lost.due(9, 1000)).toEqual([])
    lost.tell([address(7)], { from: 110, to: 110 })
    lost.forget(looked)
    expect(lost.list()).toEqual([{ token: address(7), from: 110, to: 120 }])
    const again = lost.due(9, 1000)
    expect(again).toEqual(lost.list())
    lost.forget(again)
    expect(lost.list()).toEqual([])
  })
})

describe("an answer may be cut", () => {
  const range = { from: 1000, to: 1999 }
  const spread = (logs: number, to: number) =>
    Array.from({ length: logs }, (_, place) => log(1000 + Math.floor((place * (to - 1000)) / logs), place))

  test("where its length is a round number, or that of the longest so far", () => {
    const traits = makeChainTraits()
    expect(mayBeCut(traits, range, spread(10_000, 1999))).toBe(true)
    expect(mayBeCut(traits, range, spread(10_001, 1999))).toBe(false)
    expect(mayBeCut(traits, range, spread(10_001, 1999))).toBe(true)
    expect(mayBeCut(traits, range, spread(499, 1999))).toBe(false)
  })

  test("where it ends long before its range does", () => {
    const traits = makeChainTraits()
    expect(mayBeCut(traits, range, spread(777, 1900))).toBe(true)
    expect(mayBeCut(traits, range, spread(778, 1999))).toBe(false)
    // Few blocks tell nothing of their usual distance.
    expect(mayBeCut(traits, range, spread(20, 1200))).toBe(false)
  })
})
