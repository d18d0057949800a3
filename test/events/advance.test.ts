/** How much of a heal was told is part of where a consumer stands, in the ledger that had the heal and in no other. */
import { expect, test } from "bun:test"
import { type Advance, advance, isAhead, isSameStand } from "../../src/domain/events/advance.ts"
import { Track } from "../../src/domain/events/Track.ts"
import { EventsGone } from "../../src/model/errors.ts"
import type { LedgerEvent } from "../../src/model/events/event.ts"
import { endOfBlock } from "../../src/model/events/place.ts"
import { type ChainPosition, hashPrefix, positionsOf } from "../../src/model/events/position.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { EventSlice, EventStore } from "../../src/ports/EventStore.ts"
import { address, hash } from "../support/chain/testChain.ts"

const chainId = ChainId.make("43114")
const head = 20
const rowOf = (block: number): LedgerEvent =>
  ({
    kind: "transfer",
    standard: "erc20",
    at: { block, logIndex: 0, place: 1 },
    txHash: hash(`tx ${block}`),
    tokens: [address(0x70)],
    record: {},
  }) as unknown as LedgerEvent

/** A ledger that stands at its head; `heals`: the blocks of the rows that each of them brought. */
const sliceOf = (birth: string, heals: ReadonlyArray<ReadonlyArray<number>>, since: number): EventSlice => {
  const heal = heals[since]
  return {
    mark: {
      asOf: { chainId, blockNumber: head, firstBlock: 0, hash: hash(`${head}`) },
      finalizedBlock: head,
      settings: "abcdef",
      birth,
      corrections: heals.length,
    },
    events: [],
    to: endOfBlock(head),
    hasMore: false,
    ...(heal && {
      correction: {
        number: since + 1,
        isHeal: true,
        fromBlock: Math.min(...heal),
        isForgotten: false,
        removed: [],
        added: heal.map(rowOf),
      },
    }),
  } as unknown as EventSlice
}
const position: ChainPosition = {
  chainId,
  settings: "abcdef",
  birth: "aaaaaa",
  corrections: 0,
  at: endOfBlock(head),
  final: head,
}
const blocksOf = ({ changes }: Advance) => changes.flatMap((it) => (it.type === "added" ? [it.event.at.block] : []))
const moved = (slice: EventSlice, from: ChainPosition) => advance(slice, from, false) as Advance

test("who was cut off within a heal is told the rest of it", () => {
  const cut = moved(sliceOf("aaaaaa", [[1, 2, 3, 4, 5]], 0), position).changes[2]!.position
  expect(cut.told).toBe(3)
  expect(blocksOf(moved(sliceOf("aaaaaa", [[1, 2, 3, 4, 5]], 0), cut))).toEqual([4, 5])
})

test("of a ledger that was made anew no position is gone on from, in a final block or with the block's own hash: rows below may be others", () => {
  const slice = { ...sliceOf("bbbbbb", [], 0), hashAt: hash("15") }
  const known = { ...position, at: endOfBlock(15), final: 10, hash: hashPrefix(hash("15")) }
  for (const from of [position, { ...position, at: endOfBlock(7) }, known, { ...position, told: 3 }])
    for (const onlyFinal of [true, false]) {
      const gone = advance(slice, from, onlyFinal)
      if (!(gone instanceof EventsGone)) throw new Error("it was not refused")
      expect([gone.after, gone.message]).toEqual([undefined, expect.stringContaining("after=beginning")])
    }
})

test("a server that has not come to the heal is behind who was told some of it", () => {
  const lagging = sliceOf("aaaaaa", [], 0)
  expect(isAhead(lagging, position, false)).toBe(false)
  expect(isAhead(lagging, { ...position, told: 3 }, false)).toBe(true)
  expect(isAhead(sliceOf("aaaaaa", [[1, 2, 3, 4, 5]], 0), { ...position, told: 3 }, false)).toBe(false)
})

test("nobody stands together with who was told some of the next heal", () => {
  const some = { ...position, told: 3 }
  expect([isSameStand(position, { ...position }), isSameStand(some, { ...some }), isSameStand(position, some)]).toEqual(
    [true, true, false],
  )
  const track = new Track(
    {} as EventStore["Service"],
    chainId,
    false,
    (slice) => slice,
    () => false,
  )
  const { mark } = sliceOf("aaaaaa", [], 0)
  const attach = (at: ChainPosition) =>
    track.attach({}, { push: () => true, detached: () => {} }, { position: at, mark })
  expect([attach(some), attach(position), attach(some)]).toEqual([true, false, true])
})

test("what a reorg takes back is told without a count of a heal", () => {
  const slice = sliceOf("aaaaaa", [], 0)
  const correction = {
    number: 1,
    isHeal: false,
    fromBlock: 18,
    isForgotten: false,
    removed: [rowOf(19)],
    added: [],
  }
  const { changes } = moved({ ...slice, correction }, { ...position, final: 10, told: 3 })
  expect(changes.map((it) => [it.type, it.position.told])).toEqual([["retracted", undefined]])
})

/** A correction whose rows went after `EVENTS_DAYS`. */
const forgotten = (isHeal: boolean, fromBlock: number, number = 1): EventSlice => {
  const slice = sliceOf("aaaaaa", [[1], [1]], 2)
  return { ...slice, correction: { number, isHeal, fromBlock, isForgotten: true, removed: [], added: [] } }
}
const refusedAt = (slice: EventSlice, from: ChainPosition): ChainPosition => {
  const gone = advance(slice, from, false)
  if (!(gone instanceof EventsGone)) throw new Error("it was not refused")
  const named = positionsOf(gone.after!)!.get(chainId)!
  expect(gone.message).toContain(`forget what was told of blocks above ${named.at.block}, and go on with after=`)
  return named
}

test("the position that is named behind forgotten rows lies below them, and is gone on from", () => {
  for (const isHeal of [true, false]) {
    // Everything is final: of a ledger that had taken too much for final, blocks were taken back all the same.
    const named = refusedAt(forgotten(isHeal, 8), { ...position, told: 1 })
    expect([named.at, named.final, named.told]).toEqual([endOfBlock(7), 7, undefined])
    expect(moved(forgotten(isHeal, 8), named)).toMatchObject({ changes: [], position: { corrections: 1 } })
    // One after the other, each further back.
    const on = moved(forgotten(isHeal, 8), named).position
    expect(refusedAt(forgotten(isHeal, 3, 2), on).at).toEqual(endOfBlock(2))
  }
})

test("nobody is refused for rows that came late above its place, whatever is known of them", () => {
  const below = { ...position, at: endOfBlock(7) }
  expect(moved(forgotten(true, 8), below)).toMatchObject({ changes: [], position: { corrections: 1, at: below.at } })
})
