/** One budget for the caches of all chains. */
import { expect, test } from "bun:test"
import { CacheBudget } from "../../../src/adapters/postgres/ledger/balances/cacheBudget.ts"
import { Pairs, pairsIn } from "../../../src/adapters/postgres/ledger/balances/pairs.ts"
import { address } from "../../support/chain/testChain.ts"

const bytes = 6_800_000
const all = pairsIn(bytes)
const filled = (count: number): Pairs => {
  const pairs = new Pairs()
  for (let at = 0; at < count; at++) pairs.setStored(pairs.indexOf(1, address(at)), at, 1, 1n)
  return pairs
}

test("a chain alone may fill the whole budget", () => {
  const budget = new CacheBudget(bytes)
  const only = filled(0)
  budget.join(only)
  expect(budget.allowance(only)).toBe(all)
})

test("a chain may have what the others leave, never less than an equal share", () => {
  const budget = new CacheBudget(bytes)
  const [busy, quiet, hungry] = [filled(0), filled(1000), filled(90_000)]
  for (const pairs of [busy, quiet]) budget.join(pairs)
  expect(budget.allowance(busy)).toBe(all - 1000)
  budget.join(hungry)
  expect(budget.allowance(busy)).toBe(Math.floor(all / 3))
  expect(budget.allowance(hungry)).toBe(all - 1000)
})

test("a chain that is closed gives its share back", () => {
  const budget = new CacheBudget(bytes)
  const [stays, goes] = [filled(0), filled(90_000)]
  for (const pairs of [stays, goes]) budget.join(pairs)
  budget.leave(goes)
  expect(budget.allowance(stays)).toBe(all)
})
