/** How often a chain's head is worth a look, and which of its blocks were announced just now. */
import { expect, test } from "bun:test"
import { makePace } from "../../../src/domain/ingest/status/pace.ts"

/** Heads of a chain of so many blocks a second, looked at every `everyMs` for `seconds`. */
const paceOf = (blocksPerSecond: number, everyMs: number, seconds: number, pollMs = 1000) => {
  const pace = makePace(pollMs)
  for (let at = 0; at <= seconds * 1000; at += everyMs) pace.heard(Math.floor((at * blocksPerSecond) / 1000), at, -1)
  return pace
}

test("a chain that is slower than POLL_MS is looked at every POLL_MS", () => {
  expect(makePace(1000).intervalMs()).toBe(1000)
  expect(paceOf(1 / 12, 1000, 60).blockMs()).toBeUndefined()
  expect(paceOf(1 / 12, 1000, 60).intervalMs()).toBe(1000)
  expect(paceOf(1, 1000, 60).intervalMs()).toBe(1000)
  // Three blocks at once are no pace yet.
  expect(paceOf(3, 1000, 1).intervalMs()).toBe(1000)
})

test("a faster one nearly as often as its blocks come, never more often than every 50 ms", () => {
  expect(paceOf(4, 1000, 20).intervalMs()).toBeCloseTo(375, -1)
  expect(paceOf(20, 1000, 20).intervalMs()).toBeCloseTo(75, -1)
  expect(paceOf(100, 1000, 20).blockMs()).toBe(10)
  for (const blocksPerSecond of [50, 100, 10_000]) expect(paceOf(blocksPerSecond, 1000, 20).intervalMs()).toBe(50)
  expect(paceOf(20, 50, 20, 60).intervalMs()).toBe(60)
})

test("what it did more than ten seconds ago, or before its head fell, tells nothing of its pace", () => {
  const pace = paceOf(50, 1000, 20)
  pace.heard(1000, 40_000, -1)
  pace.heard(1001, 41_000, -1)
  expect(pace.intervalMs()).toBe(1000)
  const fallen = paceOf(50, 1000, 20)
  for (const at of [20_500, 20_700, 21_000]) fallen.heard(700, at, -1)
  expect(fallen.intervalMs()).toBe(1000)
  expect(fallen.isNear(699, 21_000)).toBe(false)
})

test("a head that falls is another node's until it was seen three times in a row", () => {
  const pace = paceOf(50, 1000, 20)
  const told = [700, 1010, 700, 700, 1020, 700, 700, 700, 701].map((head, look) => pace.heard(head, 20_100 + look, 400))
  expect(told).toEqual([false, true, false, false, true, false, false, true, true])
  expect([pace.isNear(701, 20_110), pace.isNear(700, 20_110)]).toEqual([true, false])
})

test("a head below the ledger is no sign that what comes next was announced just now, however often it is seen", () => {
  const pace = makePace(1000)
  const told = [500, 500, 500, 500].map((head, look) => pace.heard(head, look, 100_000))
  expect(told).toEqual([false, false, true, true])
  pace.heard(10_000_000, 5, 100_000)
  expect(pace.isNear(100_001, 5)).toBe(false)
})

test("a block is near when it is known not to have been announced ten seconds ago", () => {
  const pace = paceOf(50, 1000, 20)
  expect(pace.isNear(1001, 20_000)).toBe(true)
  expect(pace.isNear(501, 20_000)).toBe(true)
  expect(pace.isNear(500, 20_000)).toBe(false)
  expect(pace.isNear(501, 20_001)).toBe(false)
  // At the first look nobody knows since when it is there.
  const begun = makePace(1000)
  begun.heard(5000, 0, -1)
  expect(begun.isNear(5000, 0)).toBe(false)
  expect(begun.isNear(5001, 0)).toBe(true)
})
