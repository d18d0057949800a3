/** That blocks are final is told once, however many parts a consumer reads and wherever it is cut off. */
import { expect, test } from "bun:test"
import { advance, type Change } from "../../src/domain/events/advance.ts"
import { EventsGone } from "../../src/model/errors.ts"
import type { LedgerEvent } from "../../src/model/events/event.ts"
import { behind, comparePlaces, endOfBlock } from "../../src/model/events/place.ts"
import type { ChainPosition } from "../../src/model/events/position.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { EventSlice, LedgerMark } from "../../src/ports/EventStore.ts"
import { address, hash } from "../support/chain/testChain.ts"

const chainId = ChainId.make("43114")
const [head, finalizedBlock] = [20, 14]
const rows = Array.from(
  { length: 3 * head },
  (_, index): LedgerEvent =>
    ({
      kind: "transfer",
      standard: "erc20",
      at: { block: 1 + Math.floor(index / 3), logIndex: index % 3, place: 1 },
      txHash: hash(`tx ${index}`),
      blockHash: hash(`${1 + Math.floor(index / 3)}`),
      tokens: [address(0x70)],
      record: {},
    }) as unknown as LedgerEvent,
)
const mark = {
  asOf: { chainId, blockNumber: head, firstBlock: 0, hash: hash(`${head}`) },
  finalizedBlock,
  finalizedHash: hash(`${finalizedBlock}`),
  settings: "abcdef",
  birth: "abcdef",
  corrections: 0,
} as unknown as LedgerMark
const beginning: ChainPosition = {
  ...{ chainId, settings: "abcdef", birth: "abcdef", corrections: 0 },
  ...{ at: endOfBlock(-1), final: -1 },
}

const sliceOf = ({ at }: ChainPosition, most: number): EventSlice => {
  const found = rows.filter((row) => comparePlaces(row.at, at) >= 0)
  const events = found.slice(0, most)
  const hasMore = events.length < found.length
  const hashAt = at.block > 0 ? hash(`${at.block}`) : undefined
  const to = hasMore ? behind(events.at(-1)!.at) : endOfBlock(head)
  return { mark, events, to, hasMore, ...(hashAt && { hashAt }) } as EventSlice
}

/** `cutAt`: behind so many changes the consumer comes back with the place of the last. */
const consume = (most: number, cutAt = Number.POSITIVE_INFINITY): ReadonlyArray<Change> => {
  const told: Array<Change> = []
  let position = beginning
  let isCut = false
  for (let hasMore = true; hasMore; ) {
    const advanced = advance(sliceOf(position, most), position, false)
    if (advanced instanceof EventsGone) throw advanced
    const left: number = isCut ? advanced.changes.length : cutAt - told.length
    told.push(...advanced.changes.slice(0, left))
    const wasCut: boolean = left < advanced.changes.length
    position = wasCut ? told.at(-1)!.position : advanced.position
    isCut ||= wasCut
    hasMore = wasCut || advanced.hasMore
  }
  return told
}

const rowsAndMark = [...rows.map(({ txHash }) => txHash), `final ${finalizedBlock}`].toSorted()
const named = (changes: ReadonlyArray<Change>) =>
  changes.map((it) => (it.type === "finalized" ? `final ${it.mark.finalizedBlock}` : it.event.txHash)).toSorted()

test.each([1, 2, 7, 13, 42, 45, 1000])("in parts of %d rows", (most) => {
  expect(named(consume(most))).toEqual(rowsAndMark)
})

test("wherever the consumer is cut off", () => {
  for (const most of [5, 44, 1000])
    for (let cutAt = 1; cutAt <= rows.length; cutAt++)
      expect([most, cutAt, named(consume(most, cutAt))]).toEqual([most, cutAt, rowsAndMark])
})
