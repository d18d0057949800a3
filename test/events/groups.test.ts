/** Which blocks are final is told to those who have rows of them, once, and to nobody else. */
import { expect, test } from "bun:test"
import type { Change } from "../../src/domain/events/advance.ts"
import { type Batch, type BlockRange, Groups } from "../../src/domain/events/groups.ts"
import type { EventFilter } from "../../src/model/events/filter.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { address, hash } from "../support/chain/testChain.ts"

const chainId = ChainId.make("43114")
const [gold, tin] = [address(0x70), address(0x71)]
const positionAt = (block: number) => ({
  chainId,
  settings: "abcdef",
  birth: "abcdef",
  corrections: 0,
  at: { block: block + 1, logIndex: 0, place: 0 },
  final: 0,
})
const transferAt = (block: number, token: typeof gold): Change =>
  ({
    type: "added",
    position: positionAt(block),
    event: {
      kind: "transfer",
      standard: "erc20",
      at: { block, logIndex: 0, place: 1 },
      txHash: hash("tx"),
      tokens: [token],
      from: address(1),
      to: address(2),
      record: {},
    },
  }) as unknown as Change
const finalAt = (finalizedBlock: number): Change =>
  ({
    type: "finalized",
    mark: { asOf: { chainId }, finalizedBlock },
    position: positionAt(finalizedBlock),
  }) as unknown as Change

const consumerOf = (groups: Groups, filter: EventFilter, awaited?: BlockRange) => {
  const told: Array<string> = []
  const consumer = {
    push: ({ deliveries }: Batch) => {
      for (const { type, data } of deliveries) told.push(`${type} ${(data as { block: number }).block}`)
      return true
    },
  }
  groups.add(filter, consumer, awaited)
  return told
}

test("a consumer is told which of its rows are final, and nothing of other blocks", () => {
  const groups = new Groups()
  const ofGold = consumerOf(groups, { tokenAddress: [gold] })
  const ofTin = consumerOf(groups, { tokenAddress: [tin] })
  for (const changes of [[finalAt(4)], [transferAt(10, gold)], [transferAt(12, gold)], [finalAt(9)], [finalAt(10)]])
    groups.fanOut(changes)
  expect(ofGold).toEqual(["transfer 10", "transfer 12", "finalized 10"])
  for (const block of [11, 12, 13, 14]) groups.fanOut([finalAt(block)])
  expect(ofGold.slice(3)).toEqual(["finalized 11", "finalized 12"])
  expect(ofTin).toEqual([])
})

test("a row and that it is final may come together", () => {
  const groups = new Groups()
  const [told, ofAll] = [consumerOf(groups, { tokenAddress: [gold] }), consumerOf(groups, { kinds: ["transfer"] })]
  groups.fanOut([transferAt(10, gold), finalAt(10)])
  groups.fanOut([finalAt(11)])
  expect(told).toEqual(["transfer 10", "finalized 10"])
  // Who follows the chain itself hears of each block.
  expect(ofAll).toEqual([...told, "finalized 11"])
})

test("who comes back with rows that were not final is told of those", () => {
  const groups = new Groups()
  const told = consumerOf(groups, { tokenAddress: [tin] }, [5, 8])
  for (const block of [4, 6, 9, 10]) groups.fanOut([finalAt(block)])
  expect(told).toEqual(["finalized 6", "finalized 9"])
})

test("nobody is always told first, and nobody always last", () => {
  const groups = new Groups()
  const order: Array<number> = []
  const [count, blocks] = [10, 100]
  for (let each = 0; each < count; each++) groups.add({}, { push: () => order.push(each) > 0 })
  const [firsts, lasts] = [new Map<number, number>(), new Map<number, number>()]
  const more = (counts: Map<number, number>, each: number) => counts.set(each, (counts.get(each) ?? 0) + 1)
  for (let block = 1; block <= blocks; block++) {
    order.length = 0
    groups.fanOut([transferAt(block, gold)])
    expect(new Set(order).size).toBe(count)
    more(firsts, order[0]!)
    more(lasts, order.at(-1)!)
  }
  for (const counts of [firsts, lasts]) {
    expect(counts.size).toBe(count)
    expect(Math.max(...counts.values())).toBeLessThanOrEqual((2 * blocks) / count)
  }
})
