/** What a token's record becomes by what asking for its logs has come to: what is known to be lacking stays known until it is asked of again. */
import { describe, expect, test } from "bun:test"
import { explained } from "../../src/domain/audit/explained.ts"
import { judge } from "../../src/domain/audit/judging/judge.ts"
import type { HealAnswer } from "../../src/domain/audit/missing/healContract.ts"
import { fewer } from "../../src/domain/audit/missing/heard.ts"
import type { AsOf, Log } from "../../src/model/block.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { AuditRecord, AuditSample } from "../../src/ports/AuditStore.ts"
import { address } from "../support/chain/testChain.ts"

const at = { chainId: ChainId.make("1"), blockNumber: 9000, firstBlock: 0 } as AsOf
const finalBlock = 8900
const heard = { whole: ["https://node.test"], others: [] }
const logAt = (blockNumber: number) => ({ blockNumber }) as Log

/** Every range is of blocks that were asked of, through. */
const answerOf = (more: Partial<HealAnswer>): HealAnswer => ({
  ...{ isThrough: true, given: 1, surplus: 0, heard, calls: 1, healed: 0, lacking: [], disproved: [] },
  ...(more.asked && { reached: more.asked }),
  ...more,
})
const record = (more: Partial<AuditRecord>): AuditRecord => ({
  ...{ state: "drift", blockNumber: 9000, time: 1, compared: 3, watched: [] },
  ...more,
})
const after = (before: AuditRecord, answer: Partial<HealAnswer>, isStale = false) =>
  explained(before, { answer: answerOf(answer), at, finalBlock, isStale })

const wasOff = "its figures are its contract's own, its history is in doubt from block"

describe("a token whose figures are equal and of which logs are lacking", () => {
  const lacks150 = record({ differed: { from: 150, to: 8990 } })
  const blocks = { from: 150, to: 150 }

  test("stays in drift where some came in of a range that leaves out blocks in doubt", () => {
    const found = after(lacks150, { asked: { from: 100, to: 200 }, blocks, healed: 1 })
    expect(found).toMatchObject({ state: "drift", differed: { from: 150, to: 8990 }, healed: blocks })
    expect(found.reason).toStartWith(`${wasOff} 150 on; 1 rows of blocks 150 to 150`)
    // All of them are asked of later, and nothing else is lacking.
    const whole = after(found, { asked: { from: 0, to: 9000 } })
    expect(whole).toMatchObject({ state: "exact", reason: expect.stringContaining("its history is right") })
    expect(whole.differed).toBeUndefined()
  })

  test("is exact where they came in, and all blocks in doubt were asked of, but for those that may change", () => {
    const found = after(lacks150, { asked: { from: 100, to: finalBlock }, blocks, healed: 1 })
    expect(found).toMatchObject({ state: "exact", reason: expect.stringContaining("its history is right") })
    expect(found.differed).toBeUndefined()
  })

  test("is exact once the last of them is in, of which only some came in at first", () => {
    const reached = { from: 0, to: 9000 }
    const part = after(lacks150, { reached, blocks, healed: 1, lacking: [logAt(5000)], doubt: "nobody shows it" })
    expect(part).toMatchObject({ state: "drift", differed: { from: 5000, to: 9000 } })
    const whole = after(part, { asked: reached, blocks: { from: 5000, to: 5000 }, healed: 1 })
    expect(whole).toMatchObject({ state: "exact", reason: expect.stringContaining("its history is right") })
    expect(whole.differed).toBeUndefined()
  })

  test("stays in drift where nodes give nothing more in blocks that are not in doubt", () => {
    const lacks5000 = record({ differed: { from: 5000, to: 8990 } })
    const found = after(lacks5000, { asked: { from: 100, to: 200 } })
    expect(found).toMatchObject({ state: "drift", differed: { from: 5000, to: 8990 } })
    // What came in long ago does not explain them.
    const agreed = after({ ...lacks5000, healed: blocks }, { asked: { from: 100, to: 9000 } })
    expect(agreed).toMatchObject({ state: "exact", differed: { from: 5000, to: 8990 } })
    const reorganised = record({ differed: { from: 5000, to: 8000 } })
    expect(after(reorganised, { asked: { from: 100, to: 8000 } })).toMatchObject({ state: "exact" })
  })

  describe("beside a node that left it out for good", () => {
    const all = { from: 0, to: 9000 }
    const besideOther = (why: string) => ({ ...heard, others: [{ node: "https://other.test", why }] })
    const withOther = besideOther(fewer)
    /** By a look at what is known to be lost, which is of that block alone. */
    const cameIn = after(lacks150, { asked: blocks, blocks, healed: 1, heard: withOther })

    test("is exact once a look at all blocks finds nothing more", () => {
      expect(cameIn).toMatchObject({ state: "drift", differed: { from: 150, to: 8990 } })
      // Of a block that may be replaced nobody knows yet.
      const newest = { lacking: [logAt(8950)], doubt: "nobody shows it" }
      const found = after(cameIn, { reached: all, heard: withOther, ...newest })
      const whole = after(found, { asked: all, heard: withOther })
      expect(whole).toMatchObject({ state: "exact", reason: expect.stringContaining("its history is right") })
      expect(whole.differed).toBeUndefined()
    })

    test("is exact once a look at all blocks takes the rest in", () => {
      const rest = { from: 5000, to: 5000 }
      const whole = after(cameIn, { asked: all, blocks: rest, healed: 1, heard: withOther })
      expect(whole).toMatchObject({ state: "exact", healed: { from: 150, to: 5000 } })
      expect(whole.differed).toBeUndefined()
    })

    test("stays in drift where a node is silent, none gives all, or not all blocks were asked of", () => {
      for (const answer of [
        { asked: all, heard: besideOther("could not be asked: 502") },
        { asked: all, heard: { ...withOther, whole: [] } },
        { asked: all, heard: withOther, unanswered: "502" },
        { asked: all, heard: withOther, surplus: 1 },
        { asked: { from: 151, to: 9000 }, heard: withOther },
        { asked: { from: 0, to: 8000 }, heard: withOther },
      ]) {
        expect(after(cameIn, answer)).toMatchObject({ state: "drift", differed: { from: 150, to: 8990 } })
      }
    })

    test("stays in drift while a node is silent that may have given what no look has taken in", () => {
      const silent = besideOther("could not be asked: 502")
      // Of two the first came in, and the look at all blocks takes in a third.
      const two = after(record({ state: "exact" }), {
        ...{ reached: all, heard: withOther, lacking: [logAt(500), logAt(700)], doubt: "nobody shows it" },
      })
      const first = { from: 500, to: 500 }
      const cameFirst = after(two, { asked: first, blocks: first, healed: 1, heard: withOther })
      const third = { asked: all, blocks: { from: 950, to: 950 }, healed: 1 }
      const lacks700 = { state: "drift", differed: { from: 500 } } as const
      expect(after(cameFirst, { ...third, heard: silent })).toMatchObject(lacks700)
      expect(after(cameFirst, { ...third, heard: { ...withOther, whole: [] } })).toMatchObject(lacks700)
      // Or that very look takes the first in.
      const found = after(two, { asked: all, blocks: first, healed: 1, heard: silent })
      expect(found).toMatchObject(lacks700)
      const beside = { lacking: [logAt(5000)], doubt: "nobody shows it" }
      expect(after(two, { reached: all, blocks: first, healed: 1, heard: silent, ...beside })).toMatchObject(lacks700)
      for (const rest of [{}, { blocks: { from: 700, to: 700 }, healed: 1 }]) {
        const whole = after(found, { asked: all, heard: withOther, ...rest })
        expect(whole).toMatchObject({ state: "exact", reason: expect.stringContaining("its history is right") })
        expect(whole.differed).toBeUndefined()
      }
    })

    test("stays in drift where what came in lies on both sides of it; once it came in itself that is known", () => {
      const lacks500 = record({ differed: { from: 500, to: 8990 } })
      const around = { from: 100, to: 900 }
      const aside = after(lacks500, { asked: around, blocks: around, healed: 2, heard: withOther })
      expect(after(aside, { asked: all, heard: withOther })).toMatchObject({ state: "drift", differed: { from: 500 } })
      const atOnce = after(lacks500, { asked: all, blocks: around, healed: 2, heard: withOther })
      expect(atOnce).toMatchObject({ state: "drift", differed: { from: 500 } })
      const rest = { asked: all, blocks: { from: 950, to: 950 }, healed: 1, heard: withOther }
      expect(after(aside, rest)).toMatchObject({ state: "drift", differed: { from: 500 } })
      // No move of what is in doubt up to another one either.
      const lacking = { lacking: [logAt(5000)], doubt: "nobody shows it" }
      for (const found of [
        after(aside, { reached: all, heard: withOther, ...lacking }),
        after(lacks500, { reached: all, blocks: around, healed: 2, heard: withOther, ...lacking }),
      ]) {
        expect(found).toMatchObject({ state: "drift", differed: { from: 500 } })
      }

      const [first, before] = [
        { from: 500, to: 500 },
        { asked: around, blocks: around, healed: 2, heard: withOther },
      ]
      const itself = { asked: first, blocks: first, healed: 1, heard: withOther }
      for (const found of [after(aside, itself), after(after(lacks500, itself), before)]) {
        expect(found).toMatchObject({ state: "drift", differed: { from: 500 }, healed: first })
        expect(after(found, { asked: all, heard: withOther })).toMatchObject({ state: "exact" })
      }
    })

    test("stays in drift where it never came in: who gave it may be the one that gives fewer now", () => {
      expect(after(lacks150, { asked: all, heard: withOther })).toMatchObject({ state: "drift" })
    })

    test("stays in drift while another is lacking, whoever gave that gives it no more, and rows beside it came in", () => {
      const lacking = { lacking: [logAt(5000)], doubt: "nobody shows it" }
      const twoCame = { blocks: { from: 150, to: 7000 }, healed: 2 }
      for (const found of [
        // Of the same look, of a later one, and of one that takes others in on both sides of it.
        after(lacks150, { reached: { from: 100, to: 6000 }, blocks, healed: 1, ...lacking }),
        after(cameIn, { reached: all, ...lacking }),
        after(lacks150, { reached: { from: 100, to: 7000 }, ...twoCame, ...lacking }),
        after(lacks150, { reached: all, ...twoCame, ...lacking }),
      ]) {
        expect(found).toMatchObject({ state: "drift", differed: { from: 5000 } })
        expect(after(found, { asked: all, heard: withOther })).toMatchObject({ state: "drift" })
        const whole = after(found, { asked: all, blocks: { from: 5000, to: 5000 }, healed: 1 })
        expect(whole).toMatchObject({ state: "exact", reason: expect.stringContaining("its history is right") })
        expect(whole.differed).toBeUndefined()
      }
      // Another one of the same block.
      const half = after(lacks150, { reached: all, blocks, healed: 1, lacking: [logAt(150)], doubt: "nobody shows it" })
      expect(after(half, { asked: all, heard: withOther })).toMatchObject({ state: "drift" })
    })
  })
})

test("of a token that could not be compared again what came in explains the difference, not what is lacking still", () => {
  const difference = { of: "supply", ledger: "10", node: "15" } as const
  const differing = record({ difference, differed: { from: 8000, to: 8990 } })
  const came = { blocks: { from: 100, to: 100 }, healed: 1 }
  expect(after(differing, came, true).differed).toBeUndefined()
  const found = after(differing, { ...came, lacking: [logAt(5000)], doubt: "nobody shows it" }, true)
  expect(found).toMatchObject({ state: "drift", difference, differed: { from: 5000, to: 9000 } })

  // Equal at the next look: its past is not said to be right.
  const token = { address: address(0xc), standard: "erc20" } as AuditSample["token"]
  const supply = { of: "supply", token: token.address, ledger: 15n, touched: -1 } as const
  const sample: AuditSample = { token, older: false, mixed: false, burnt: 0n, figures: [supply], last: found }
  const next = judge(sample, [15n], { ...at, blockNumber: 9010, time: 2 }, false).record
  expect(next).toMatchObject({ state: "exact", reason: expect.stringContaining("from block 5000 to 9009 it differed") })

  // What is lacking comes in.
  const whole = after(next, { asked: { from: 0, to: 9010 }, blocks: { from: 5000, to: 5000 }, healed: 1 })
  expect(whole).toMatchObject({ state: "exact", reason: expect.stringContaining("its history is right") })
  expect(whole.differed).toBeUndefined()
})

test("a balance below zero that the contract says nothing of is no equal figure", () => {
  const before = record({ state: "exact", differed: { from: 100, to: 200 } })
  const supply = { of: "supply", token: address(0xc1), ledger: 10n, touched: -1 } as const
  const below = { of: "balance", token: address(0xc1), holder: address(2), ledger: -5n, touched: 3 } as const
  const token = {
    address: address(0xc1),
    standard: "erc20",
    tokenId: 1,
    bornBlock: 1,
  } as unknown as AuditSample["token"]
  const sample: AuditSample = {
    ...{ token, older: false, mixed: false, burnt: 0n, figures: [supply, below], last: before },
  }
  const found = judge(sample, [10n, undefined], { blockNumber: 9000, time: 1, firstBlock: 0 }, true).record
  const asked = after(found, { asked: { from: 0, to: 9000 } })
  expect(asked).toMatchObject({ state: "drift", differed: { from: 100, to: 200 } })
  expect(asked.reason).toStartWith(`the balance of ${address(2)} is below zero by its events: they are not true; `)
  // Once it is answered as it should be, nodes that agree settle it.
  const healed = { ...sample, figures: [supply], last: asked }
  const equal = judge(healed, [10n], { blockNumber: 9001, time: 2, firstBlock: 0 }, true).record
  expect(after(equal, { asked: { from: 0, to: 9000 } }).state).toBe("exact")
})

test("a token whose contract counts something else is in drift by the logs it lacks, as any other, and exact once they are in", () => {
  const differences = [{ of: "balance", holder: address(1), ledger: "1", node: "1000000", counts: "amounts" }] as const
  for (const difference of differences) {
    const lacking = { reached: { from: 0, to: 9000 }, lacking: [logAt(150)], doubt: "nobody shows it" }
    const found = after(record({ state: "exact", difference }), lacking)
    expect(found).toMatchObject({ state: "drift", difference, differed: { from: 150, to: 9000 } })
    expect(found.reason).toStartWith(`${wasOff} 150 on; `)
    const blocks = { from: 150, to: 150 }
    const whole = after(found, { asked: { from: 0, to: 9000 }, blocks, healed: 1 })
    expect(whole).toMatchObject({ state: "exact", difference })
    expect(whole.differed).toBeUndefined()
  }
})
