/** What may not go into a ledger: rows out of order, of other blocks, or of a log that is there already. */
import { describe, expect, test } from "bun:test"
import { maxLogIndex, segmentRefusal } from "../../../src/domain/ingest/decode/segmentRefusals.ts"
import type { NftMovement, Segment } from "../../../src/model/event.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import {
  address,
  consecutiveTransfer,
  multiTransfer,
  nftTransfer,
  TestChain,
  transfer,
} from "../../support/chain/testChain.ts"

const [coin, art, goods, alice] = [address(0x70), address(0x72), address(0x73), address(0xa)]
const checkpoint = { nextBlock: 0, firstBlock: 0, finalizedBlock: -1 }

/** Two blocks: logs 0 to 3 of each are one of ERC-20, one id, two ids in a row, a batch of two. */
const chain = new TestChain()
for (let made = 0; made < 2; made++) {
  const first = BigInt(made * 10)
  chain.block([
    transfer(coin, zeroAddress, alice, 1n),
    nftTransfer(art, zeroAddress, alice, first),
    consecutiveTransfer(art, zeroAddress, alice, first + 1n, first + 2n),
    multiTransfer(goods, zeroAddress, alice, [
      [1n, 5n],
      [1n, 6n],
    ]),
  ])
}
const segment = chain.segment(0)
const refusal = (change: Partial<Segment>) => segmentRefusal(checkpoint, { ...segment, ...change })
/** The rows with one of them changed. */
const withRow = (place: number, change: Partial<NftMovement>) => ({
  nfts: segment.nfts.map((row, index) => (index === place ? { ...row, ...change } : row)),
})

test("rows of all standards, by block, log and place in the log, may be appended", () => {
  expect(segment.nfts.map(({ blockNumber, logIndex, sub }) => [blockNumber, logIndex, sub])).toEqual([
    [0, 1, 0],
    [0, 2, 0],
    [0, 2, 1],
    [0, 3, 0],
    [0, 3, 1],
    [1, 1, 0],
    [1, 2, 0],
    [1, 2, 1],
    [1, 3, 0],
    [1, 3, 1],
  ])
  expect(refusal({})).toBeUndefined()
})

describe("a segment is refused", () => {
  const twice = (log: number, block = 0) => `log ${log} of block ${block} comes twice or out of order`
  const cases: ReadonlyArray<[string, Partial<Segment>, string]> = [
    ["that has a place in a log twice", withRow(2, { sub: 0 }), twice(2)],
    ["that has places in a log the other way round", withRow(1, { sub: 2 }), twice(2)],
    ["that has logs of one block the other way round", withRow(0, { logIndex: 7 }), twice(2)],
    ["that has blocks the other way round", withRow(0, { blockNumber: 1, time: segment.head.time }), twice(2)],
    ["that has a row twice", { nfts: [...segment.nfts, segment.nfts.at(-1)!] }, twice(3, 1)],
    ["that has a log as ERC-20 too", withRow(0, { logIndex: 0 }), twice(0)],
    ["that has a log of its last block as ERC-20 too", withRow(5, { logIndex: 0 }), twice(0, 1)],
    ["that has an ERC-20 log twice", { movements: [segment.movements[0]!, ...segment.movements] }, twice(0)],
    ["with a row after its end", withRow(9, { blockNumber: 2 }), "log 3 of block 2 lies outside of the segment"],
    ["with a row before its start", withRow(0, { blockNumber: -1 }), "log 1 of block -1 lies outside of the segment"],
    [
      "with a log index that cannot be",
      withRow(9, { logIndex: maxLogIndex + 1 }),
      `log index ${maxLogIndex + 1} in block 1 cannot be`,
    ],
    ["with a row older than the one before", withRow(9, { time: 5 }), "block 1 is older than the block before it"],
    [
      "with a row younger than its head",
      withRow(9, { time: segment.head.time + 1 }),
      "block 1 is older than the block before it",
    ],
  ]
  for (const [name, change, words] of cases) test(name, () => expect(refusal(change)).toBe(words))
})

test("the largest log index there may be is taken", () => {
  expect(refusal(withRow(9, { logIndex: maxLogIndex, sub: 0 }))).toBeUndefined()
})
