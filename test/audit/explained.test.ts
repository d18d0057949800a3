/** What a token's record becomes by what asking for its logs has come to: what is known to be lacking stays known until it is asked of again. */
import { describe, expect, test } from "bun:test"
import { explained } from "../../src/domain/audit/explained.ts"
import { judge } from "../../src/domain/audit/judge.ts"
import type { HealAnswer } from "../../src/domain/audit/missing/healContract.ts"
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
