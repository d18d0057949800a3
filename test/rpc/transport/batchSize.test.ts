/** The length of requests that a node is sent, learned from how it fares. */
import { expect, test } from "bun:test"
import { makeBatchSize } from "../../../src/adapters/rpc/transport/batchSize.ts"

const minute = 60_000

test("a refusal in words halves it at once", () => {
  const size = makeBatchSize(50)
  size.refused(50, 0)
  expect(size.current).toBe(25)
  size.refused(25, 0)
  expect(size.current).toBe(13)
})

test("failures now and then, with answers to requests as long in between, leave it as it is", () => {
  const size = makeBatchSize(50)
  for (let round = 0; round < 100; round++) {
    size.failed(50, 0)
    size.failed(50, 0)
    size.answered(25, 0)
    size.answered(50, 0)
  }
  expect(size.current).toBe(50)
})

test("failures without an answer to a request as long shorten it to what was answered", () => {
  const size = makeBatchSize(50)
  for (const calls of [50, 50, 25, 13]) size.failed(calls, 0)
  size.answered(7, 0)
  expect(size.current).toBe(7)
})

test("a node that does not even answer one call does not fail for its length", () => {
  const size = makeBatchSize(50)
  for (const calls of [50, 50, 25, 13, 7, 4, 2, 1]) size.failed(calls, 0)
  size.answered(1, 0)
  expect(size.current).toBe(50)
})

test("it grows again after a while, and after twice as long each time that fails", () => {
  const size = makeBatchSize(4)
  size.refused(4, 0)
  size.refused(2, 0)
  expect(size.current).toBe(1)
  size.answered(1, minute)
  expect([size.current, size.isUnproven(2)]).toEqual([2, true])
  size.failed(2, minute)
  expect(size.current).toBe(1)
  size.answered(1, 1.9 * minute)
  expect(size.current).toBe(1)
  size.answered(1, 2.1 * minute)
  size.answered(2, 2.1 * minute)
  expect([size.current, size.isUnproven(2)]).toEqual([4, false])
})
