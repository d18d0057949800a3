/** What is kept of the newest events is bounded, and used only where it is the very ledger that the position speaks of. */
import { expect, test } from "bun:test"
import { advance } from "../../src/domain/events/advance.ts"
import { mostKept, mostTold, RecentEvents, type Stood } from "../../src/domain/events/recent.ts"
import { EventsGone } from "../../src/model/errors.ts"
import type { LedgerEvent } from "../../src/model/events/event.ts"
import { endOfBlock } from "../../src/model/events/place.ts"
import { hashPrefix } from "../../src/model/events/position.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { address, hash } from "../support/chain/testChain.ts"

const stoodAt = (block: number): Stood =>
  ({
    position: {
      chainId: ChainId.make("43114"),
      settings: "abcdef",
      birth: "abcdef",
      corrections: 2,
      at: endOfBlock(block),
      hash: hashPrefix(hash(`${block}`)),
      final: 0,
    },
    mark: { asOf: { blockNumber: block }, corrections: 2, finalizedBlock: 0 },
  }) as unknown as Stood
const rowOf = (block: number): LedgerEvent =>
  ({
    kind: "transfer",
    standard: "erc20",
    at: { block, logIndex: 0, place: 1 },
    blockHash: hash(`${block}`),
    tokens: [address(0x70)],
  }) as unknown as LedgerEvent

const kept = (blocks: number, hasRow: (block: number) => boolean = () => true): RecentEvents => {
  const recent = new RecentEvents()
  recent.begin(endOfBlock(0))
  for (let block = 1; block <= blocks; block++)
    recent.add(hasRow(block) ? [rowOf(block)] : [], stoodAt(block - 1), stoodAt(block), mostKept.quiet)
  return recent
}
const blocksFrom = (recent: RecentEvents, from: Stood["position"], now: number) =>
  recent.slice(from, stoodAt(now), {})?.events.map(({ at }) => at.block)

test("tells what lies behind a position, of blocks with and without rows", () => {
  const recent = kept(6, (block) => block !== 4)
  expect(blocksFrom(recent, stoodAt(2).position, 6)).toEqual([3, 5, 6])
  expect(blocksFrom(recent, stoodAt(4).position, 6)).toEqual([5, 6])
  expect(blocksFrom(recent, stoodAt(6).position, 6)).toEqual([])
})

test("does not answer for another ledger, another branch, another correction or a place that is not kept", () => {
  const recent = kept(6)
  const { position } = stoodAt(3)
  expect(blocksFrom(recent, position, 6)).toEqual([4, 5, 6])
  for (const other of [
    { birth: "000000" },
    { settings: "000000" },
    { corrections: 1 },
    { told: 1 },
    { hash: hashPrefix(hash("other")) },
    { at: endOfBlock(7) },
    { at: endOfBlock(-1) },
  ])
    expect(blocksFrom(recent, { ...position, ...other }, 6)).toBeUndefined()
})

test("tells so many at once, in parts that join without a gap", () => {
  const recent = new RecentEvents()
  recent.begin(endOfBlock(0))
  const rows = [1, 2, 3].map((block) =>
    Array.from({ length: 900 }, (_, logIndex) => ({ ...rowOf(block), at: { block, logIndex, place: 1 } })),
  )
  for (const [at, own] of rows.entries()) recent.add(own, stoodAt(at), stoodAt(at + 1), mostKept.crowd)
  const told: Array<LedgerEvent> = []
  const lengths: Array<number> = []
  let { position } = stoodAt(0)
  for (let more = true; more; ) {
    const slice = recent.slice(position, stoodAt(3), {})!
    lengths.push(slice.events.length)
    told.push(...slice.events)
    const { settings, birth } = position
    const moved = advance({ ...slice, mark: { ...slice.mark, settings, birth } }, position, false)
    if (moved instanceof EventsGone) throw moved
    position = moved.position
    more = moved.hasMore
  }
  expect(lengths).toEqual([mostTold, mostTold, 700])
  expect(told).toEqual(rows.flat())
  expect(position.at).toEqual(endOfBlock(3))
})

test("is bounded, also where no block has a row", () => {
  for (const hasRow of [() => true, () => false]) {
    const recent = kept(3 * mostKept.quiet, hasRow)
    expect(blocksFrom(recent, stoodAt(100).position, 3 * mostKept.quiet)).toBeUndefined()
    expect(blocksFrom(recent, stoodAt(3 * mostKept.quiet - 100).position, 3 * mostKept.quiet)).toHaveLength(
      hasRow() ? 100 : 0,
    )
  }
})

test("goes back to what was read of the time before", () => {
  const recent = kept(3)
  recent.begin(endOfBlock(3))
  recent.add([rowOf(4)], stoodAt(3), stoodAt(4), mostKept.quiet)
  expect(blocksFrom(recent, stoodAt(1).position, 4)).toBeUndefined()
  expect(recent.roomBefore(stoodAt(1).position)).toBeGreaterThan(0)
  recent.prepend({ block: 1, logIndex: 0, place: 0 }, [rowOf(1), rowOf(2), rowOf(3)], hash("1"))
  expect(blocksFrom(recent, stoodAt(1).position, 4)).toEqual([2, 3, 4])
  recent.isTooFar({ ...stoodAt(-1).position, at: endOfBlock(-1) })
  expect(recent.roomBefore({ ...stoodAt(0).position, at: endOfBlock(-1) })).toBe(0)
})
