/** ERC-2309: one log of two thousand gas hands over thousands of ids, so what a block may hold of them is bounded. Pure. */
import type { Log } from "../../../model/block.ts"
import type { Address } from "../../../model/primitives.ts"
import { addressAt, isWord } from "./abi.ts"
import { topics } from "./topics.ts"

/** Ids of a log beyond which it is counted and left out. */
const mostOfLog = 5000n
/** Ids of a block that become rows, some 300 bytes of memory each. Also of what is read at once: a block has no more. */
export const mostIds = 200_000

export interface ConsecutiveRange {
  readonly from: Address
  readonly to: Address
  readonly start: bigint
  readonly count: number
}

/** ConsecutiveTransfer(fromTokenId, toTokenId, from, to): the last id is in the data, all others are in topics. Undefined = of another shape, or too long. */
export const rangeOf = ({ topics, data }: Log): ConsecutiveRange | undefined => {
  const [first, from, to] = [topics[1], addressAt(topics[2]), addressAt(topics[3])]
  if (topics.length !== 4 || data.length !== 66 || !isWord(first!) || from === undefined || to === undefined) {
    return undefined
  }
  const start = BigInt(first!)
  const count = BigInt(data) - start + 1n
  return count < 1n || count > mostOfLog ? undefined : { from, to, start, count: Number(count) }
}

/** Ids that these logs would be rows of. */
export const idsOf = (logs: ReadonlyArray<Log>): number => {
  let ids = 0
  for (const log of logs) if (log.topics[0] === topics.consecutiveTransfer) ids += rangeOf(log)?.count ?? 0
  return ids
}

/**
 * The logs that find no room in their block: those of the contracts with the most ids there, of as many as need be.
 * So it does not depend on the order of logs, and who mints a collection is not pushed out by one that mints millions.
 */
export const withoutRoom = (logs: ReadonlyArray<Log>): ReadonlySet<Log> => {
  const out = new Set<Log>()
  const ranges = logs.filter(({ topics: [topic] }) => topic === topics.consecutiveTransfer)
  if (idsOf(ranges) <= mostIds) return out
  for (const ofBlock of Map.groupBy(ranges, ({ blockNumber }) => blockNumber).values()) {
    const contracts = [...Map.groupBy(ofBlock, ({ address }) => address)].map(([address, own]) => ({
      address,
      own,
      ids: idsOf(own),
    }))
    contracts.sort((a, b) => a.ids - b.ids || (a.address < b.address ? -1 : 1))
    let ids = 0
    for (const contract of contracts) {
      ids += contract.ids
      if (ids > mostIds) for (const log of contract.own) out.add(log)
    }
  }
  return out
}

/** Whether these logs of several blocks have more ids than are held at once. */
export const isTooMuch = (
  { from, to }: { readonly from: number; readonly to: number },
  logs: ReadonlyArray<Log>,
): boolean => from < to && idsOf(logs) > mostIds

/** How many of these neighbouring blocks, at least one, have no more ids than are read at once. */
export const blocksWithRoom = (blocks: ReadonlyArray<number>, logs: ReadonlyArray<Log>): number => {
  if (idsOf(logs) <= mostIds) return blocks.length
  const byBlock = Map.groupBy(logs, ({ blockNumber }) => blockNumber)
  let ids = 0
  const end = blocks.findIndex((block) => {
    ids += Math.min(mostIds, idsOf(byBlock.get(block) ?? []))
    return ids > mostIds
  })
  return end === -1 ? blocks.length : Math.max(1, end)
}
