/** What nodes tell of several ranges, put together. */
import { expect, test } from "bun:test"
import { findingOf } from "../../src/domain/audit/missing/finding.ts"
import { fewer, type Heard, joinHeard } from "../../src/domain/audit/missing/heard.ts"
import type { AsOf } from "../../src/model/block.ts"

const some = "https://some.test"
const besideSome = (why: string): Heard => ({
  whole: ["https://one.test", "https://other.test"],
  others: [{ node: some, why }],
})

test("a node that gives fewer of some blocks, and cannot be asked of others, is said to be both", () => {
  const [silent, less] = [besideSome("could not be asked: 502"), besideSome(fewer)]
  const both = besideSome("gives fewer, could not be asked: 502")
  for (const ranges of [
    [less, silent],
    [silent, less],
    [less, silent, less],
    [silent, less, silent],
  ]) {
    const heard = ranges.reduce(joinHeard)
    expect(heard).toEqual(both)
    const asked = { from: 0, to: 9 }
    const answer = {
      asked,
      isThrough: true,
      given: 1,
      surplus: 0,
      heard,
      calls: 2,
      healed: 0,
      lacking: [],
      disproved: [],
    }
    expect(findingOf(answer, { firstBlock: 0, blockNumber: 9 } as AsOf)).toEndWith(
      `unless nodes leave logs out; ${some} gives fewer, could not be asked: 502`,
    )
  }
})
