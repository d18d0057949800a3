/** Which logs are kept as they are told, beside their rows or for want of any: those that rows do not give back. Pure. */
import type { Log, OddLog } from "../../../model/block.ts"
import type { TokenEvent } from "../../../model/event.ts"
import { wordAt } from "./abi.ts"
import { approvalTopics, topics } from "./topics.ts"

const kept: ReadonlySet<string | undefined> = new Set([...Object.values(topics), ...Object.values(approvalTopics)])

/**
 * Whether the log of a followed contract is to be kept: `event` is what it was decoded to. Rows give a log back by the one
 * way to write what they say: several units of a transaction's log are an ERC-1155 batch or an ERC-2309 range, one is not.
 * A log of a pool is never kept: a swap's row does not give it back either.
 */
export const isOdd = (log: Log, event: TokenEvent): boolean => {
  if (event.kind === "malformed") return kept.has(log.topics[0])
  if (event.kind !== "nftTransfer") return false
  if (log.topics[0] === topics.transferBatch)
    return event.units.length < 2 || !isPlainBatch(log.data, event.units.length)
  return log.topics[0] === topics.consecutiveTransfer && event.units.length < 2
}

/** The ids right behind the two offsets, the amounts right behind the ids, nothing behind those. */
const isPlainBatch = (data: string, units: number): boolean =>
  data.length === 2 + 64 * (4 + 2 * units) && wordAt(data, 0) === 64n && wordAt(data, 32) === 96n + 32n * BigInt(units)

export const oddLogOf = (log: Log, event: TokenEvent, time: number): OddLog => ({
  contract: log.address,
  topics: log.topics,
  data: log.data,
  blockNumber: log.blockNumber,
  logIndex: log.logIndex,
  time,
  txHash: log.txHash,
  txIndex: log.txIndex,
  hasRows: event.kind === "nftTransfer" && event.units.length > 0,
})
