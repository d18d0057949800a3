/** What is known of contracts and accounts that moved, against every move written down. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { makeUnmoved, placesOf } from "../../../src/adapters/http/kept/unmoved.ts"
import type { AsOf } from "../../../src/model/block.ts"
import { type Address, ChainId } from "../../../src/model/primitives.ts"
import { address } from "../../support/chain/testChain.ts"

const point = (figures: number) => ({ chainId: ChainId.make("1"), figures }) as AsOf
const step = fc.record({ first: fc.nat(900), count: fc.integer({ min: 0, max: 300 }), isOfAnyone: fc.boolean() })
/** Of each contract the accounts 1 to 5 may move. */
const accounts = [1, 2, 3, 4, 5].map(address)

test("who moved is never taken for unmoved, however many have moved since; hardly anyone else is taken for moved", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const unmoved = makeUnmoved()
      const first = 7
      const last = new Map<string, number>()
      const moved = (token: Address, account: Address | "any" | "", when: number) => last.set(token + account, when)
      const lastOf = (name: string): number => last.get(name) ?? first
      steps.forEach(({ first: from, count, isOfAnyone }, index) => {
        const when = first + index + 1
        const tokens = new Map<Address, ReadonlySet<Address> | undefined>()
        for (let number = from; number < from + count; number++) {
          const token = address(number)
          const own = accounts.filter((_, at) => (number + at + index) % 3 === 0)
          tokens.set(token, isOfAnyone ? undefined : new Set(own))
          moved(token, "", when)
          for (const account of isOfAnyone ? (["any"] as const) : own) moved(token, account, when)
        }
        unmoved.wentOn(point(when - 1), point(when), tokens)
      })
      const now = first + steps.length
      let wrong = 0
      let asked = 0
      for (let number = 0; number < 1200; number += 7) {
        const token = address(number)
        for (let figures = first - 1; figures <= now + 1; figures++) {
          const isKnown = figures >= first && figures <= now
          for (const account of [undefined, ...accounts]) {
            const names = account === undefined ? [token] : [token + account, `${token}any`]
            const isSame = isKnown && names.every((name) => lastOf(name) <= figures)
            const found = unmoved.isSame(placesOf({ token, ...(account && { account }) }), point(figures), point(now))
            if (found) expect([number, account, figures, isSame]).toEqual([number, account, figures, true])
            else if (isSame) wrong++
            asked++
          }
        }
      }
      expect(wrong / asked).toBeLessThan(0.15)
    }),
    { numRuns: 12 },
  )
})

test("where it is not told what moved, anything may have; from then on it is told again", () => {
  const unmoved = makeUnmoved()
  const [gold, salt] = [address(1), address(2)]
  const isSame = (token: Address, figures: number, now: number) =>
    unmoved.isSame(placesOf({ token }), point(figures), point(now))
  expect(isSame(gold, 1, 1)).toBe(false)
  unmoved.wentOn(point(1), point(2), new Map([[salt, undefined]]))
  expect([isSame(gold, 1, 2), isSame(salt, 1, 2), isSame(salt, 2, 2)]).toEqual([true, false, true])
  // What moved up to there is not told yet.
  expect([isSame(gold, 1, 3), isSame(gold, 3, 1)]).toEqual([false, false])
  unmoved.wentOn(point(2), point(3))
  expect([isSame(gold, 1, 3), isSame(gold, 2, 3)]).toEqual([false, false])
  unmoved.wentOn(point(3), point(4), new Map())
  expect([isSame(gold, 2, 4), isSame(gold, 3, 4), isSame(gold, 5, 4)]).toEqual([false, true, false])
})
