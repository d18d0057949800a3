/** How the length of ranges adapts to a node. */
import { describe, expect, test } from "bun:test"
import { failed, firstRangeSize, grown, type RangeSize, refused } from "../../src/domain/ranges/rangeSize.ts"

/** Plays `ranges` full ranges against a node that takes `limit` blocks and holds `logsPerBlock`; the lengths asked for. */
const play = (ranges: number, limit: number, logsPerBlock: number, suggests = false) => {
  const asked: Array<number> = []
  let size: RangeSize = firstRangeSize
  for (let range = 0; range < ranges; range++) {
    asked.push(size.blocks)
    size =
      size.blocks > limit
        ? refused(size, size.blocks, suggests ? limit : undefined)
        : grown(size, size.blocks, size.blocks * logsPerBlock)
  }
  return { asked, refusals: asked.filter((blocks) => blocks > limit).length, last: asked.at(-1)! }
}

describe("a range", () => {
  test("grows while blocks are empty, to a bound", () => {
    const { asked, last } = play(20, Number.POSITIVE_INFINITY, 0)
    expect(asked.slice(0, 4)).toEqual([100, 200, 400, 800])
    expect(last).toBe(100_000)
  })

  test("aims at four thousand logs", () => {
    expect(play(20, Number.POSITIVE_INFINITY, 10).last).toBe(400)
    expect(play(20, Number.POSITIVE_INFINITY, 300).last).toBe(13)
    expect(play(20, Number.POSITIVE_INFINITY, 20_000).last).toBe(1)
  })

  test("shrinks again where blocks become full", () => {
    const sparse = grown({ ...firstRangeSize, blocks: 2000 }, 2000, 500)
    expect(sparse.blocks).toBe(4000)
    expect(grown(sparse, 4000, 200_000).blocks).toBe(80)
  })

  test("halves at a refusal, then nears what is refused without asking for it again and again", () => {
    const { asked, refusals, last } = play(60, 1000, 0)
    expect(asked.slice(0, 5)).toEqual([100, 200, 400, 800, 1600])
    expect(refusals).toBeLessThanOrEqual(4)
    expect(last).toBeGreaterThan(880)
  })

  test("takes the node's proposal at its word", () => {
    const { asked, refusals } = play(50, 1000, 0, true)
    expect(asked.slice(4, 9)).toEqual([1600, 1000, 1000, 1000, 1000])
    expect(refusals).toBe(1)
  })

  test("puts a refusal to the test again after fifty answers", () => {
    const { asked } = play(300, 1000, 0, true)
    expect(asked.filter((blocks) => blocks > 1000).length).toBe(6)
  })

  test("is halved again and again where blocks hold more than before", () => {
    let size = grown({ ...firstRangeSize, blocks: 800 }, 800, 0)
    for (const blocks of [1600, 800, 400]) size = refused(size, blocks)
    expect(size.blocks).toBe(200)
  })

  test("of one block stays one", () => {
    const one = { ...firstRangeSize, blocks: 1 }
    expect([refused(one, 1).blocks, failed(one, 1).blocks]).toEqual([1, 1])
  })

  test("halves at a failure and is back after as many answers", () => {
    const after = failed({ ...firstRangeSize, blocks: 800 }, 800)
    expect(after.blocks).toBe(400)
    expect(grown(after, 400, 0).blocks).toBe(800)
  })

  test("does not grow by the answer to a shorter one", () => {
    expect(grown({ ...firstRangeSize, blocks: 800 }, 10, 0).blocks).toBe(800)
  })
})
