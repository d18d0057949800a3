/** What is known of contracts that moved, against every move written down. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { makeUnmoved } from "../../../src/adapters/http/kept/unmoved.ts"
import type { AsOf } from "../../../src/model/block.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { address } from "../../support/chain/testChain.ts"

const point = (figures: number) => ({ chainId: ChainId.make("1"), figures }) as AsOf

test("a contract is never taken for unmoved that moved, however many have moved since; who moved lately is known", () => {
  const step = fc.record({ first: fc.nat(9000), count: fc.integer({ min: 0, max: 3000 }) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const unmoved = makeUnmoved()
      const last = new Map<number, number>()
      unmoved.wentOn(undefined, point(1))
      steps.forEach(({ first, count }, index) => {
        const numbers = Array.from({ length: count }, (_, at) => first + at)
        unmoved.wentOn(point(index + 1), point(index + 2), new Set(numbers.map(address)))
        for (const number of numbers) last.set(number, index + 2)
      })
      const now = steps.length + 1
      for (let number = 0; number < 12_000; number += 7) {
        for (let figures = 0; figures <= now + 1; figures++) {
          const isSame = figures >= 1 && figures <= now && (last.get(number) ?? 0) <= figures
          if (unmoved.isSame(address(number), point(figures)))
            expect([number, figures, isSame]).toEqual([number, figures, true])
          // The newest step is always known, and all of them while few contracts moved.
          if (figures === now || last.size <= 4096) expect(unmoved.isSame(address(number), point(figures))).toBe(isSame)
        }
      }
    }),
    { numRuns: 8 },
  )
})
