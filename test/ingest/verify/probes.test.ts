/** Which headers of a range are read beside those of blocks with logs. */
import { describe, expect, test } from "bun:test"
import { Effect, Random } from "effect"
import { numbersToRead } from "../../../src/domain/ingest/verify/probes.ts"
import type { Log } from "../../../src/model/block.ts"
import { address, hash } from "../../support/chain/testChain.ts"

const log = (blockNumber: number): Log => ({
  address: address(1),
  topics: [],
  data: "0x",
  blockNumber,
  blockHash: hash(`${blockNumber}`),
  logIndex: 0,
  txHash: hash(`tx ${blockNumber}`),
})
const read = (
  range: { readonly from: number; readonly to: number },
  blocks: ReadonlyArray<number>,
  { seed = 1, hasBlooms = true, denied = [] as ReadonlyArray<number> } = {},
) =>
  Effect.runPromise(
    numbersToRead(range, { logs: blocks.map(log), tellers: [], possiblyEmpty: [] }, { hasBlooms, denied }).pipe(
      Random.withSeed(`${seed}`),
    ),
  )
const numbers = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
const range = { from: 1000, to: 1999 }

describe("of a range are read", () => {
  test("its ends and blocks with logs, and one for fifty of them among the others", async () => {
    const withLogs = numbers(1000, 1998, 2)
    const read20 = await Promise.all(numbers(1, 20).map((seed) => read(range, withLogs, { seed })))
    const most = Math.max(...read20.map(({ length }) => length))
    expect(most).toBeGreaterThan(501)
    expect(most).toBeLessThanOrEqual(501 + 11)
    expect(read20.every((found) => withLogs.every((number) => found.includes(number)))).toBe(true)
    expect(new Set(read20.map(String)).size).toBe(20)
    expect(await read(range, withLogs, { hasBlooms: false })).toEqual([...withLogs, 1999])
  })

  test("two of a stretch without logs that is long for it, at the end too", async () => {
    const holes = [
      [numbers(1000, 1399), numbers(1600, 1999), 1400, 1599],
      [numbers(1000, 1899), [], 1900, 1999],
      [[], numbers(1100, 1999), 1000, 1099],
    ] as const
    for (const [before, after, from, to] of holes) {
      const found = await read(range, [...before, ...after])
      const inside = found.filter((number) => number > from && number < to)
      expect(inside.length).toBeGreaterThanOrEqual(2)
    }
  })

  test("sixteen where there is no log, 256 and the very block where logs were denied", async () => {
    const empty = await read(range, [])
    expect(empty.length).toBeGreaterThan(16)
    expect(empty.length).toBeLessThanOrEqual(18)
    const denied = await read(range, [], { denied: [1234] })
    expect(denied).toContain(1234)
    expect(denied.length).toBeGreaterThan(200)
  })
})
