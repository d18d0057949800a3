/** The calls of a search of logs: ranges, and what is told of the page's blocks and transactions beside. */
import type { Log } from "../../../model/block.ts"
import { type Hash, hashOfHex } from "../../../model/primitives.ts"
import { RangeRefused } from "../../../ports/ChainSource.ts"
import type { LogFilter } from "../../../ports/LogSearch.ts"
import { staysRefused } from "../chain/logCalls.ts"
import { readLogs } from "../chain/logs.ts"
import { rangeRefusalOf } from "../chain/rangeRefusal.ts"
import type { RpcCall } from "../transport/answers.ts"
import { quantity } from "../wire/abi.ts"
import { hashOf, headerOf, Malformed, quantityOf, quote, weiOf } from "../wire/shapes.ts"

/** Whether the filter's address and topics are the log's. */
export const isWanted = ({ address, topics, match }: LogFilter, log: Log): boolean => {
  if (address !== undefined && log.address !== address) return false
  const given = topics.flatMap((topic, place) => (topic === undefined ? [] : [log.topics[place] === topic]))
  return given.length === 0 || (match === "all" ? given.every(Boolean) : given.some(Boolean))
}

/** One call where all topics must fit, else one for each of them. */
export const rangeCalls = (
  filter: LogFilter,
  fromBlock: number,
  toBlock: number,
): ReadonlyArray<RpcCall<ReadonlyArray<Log> | RangeRefused>> => {
  const { address, topics, match } = filter
  const lists =
    match === "all"
      ? [trimmed(topics)]
      : topics.flatMap((topic, place) => (topic === undefined ? [] : [[...Array<null>(place).fill(null), topic]]))
  return lists.map((asked) => ({
    method: "eth_getLogs",
    params: [
      { ...(address && { address }), topics: asked, fromBlock: quantity(fromBlock), toBlock: quantity(toBlock) },
    ],
    read: (result) => {
      const logs = readLogs(result, { fromBlock, toBlock })
      const stray = logs.find((log) => !isWanted(filter, log))
      if (stray !== undefined) throw new Malformed(`a log of ${stray.address} that was not asked for`, "logs")
      return logs
    },
    readFault: (fault) => {
      const refusal = rangeRefusalOf(fault, fromBlock, toBlock)
      return refusal === undefined ? undefined : { value: new RangeRefused(refusal) }
    },
    // Of a single block it is a failure: fewer cannot be asked for.
    lastResort: (fault, tries, last) =>
      toBlock > fromBlock && staysRefused(fault, tries, last)
        ? { value: new RangeRefused({ message: fault.message }) }
        : undefined,
  }))
}

/** A place that is asked for must be there, even if anything may be at it: so none comes behind the last topic. */
const trimmed = (topics: LogFilter["topics"]): ReadonlyArray<string | null> => {
  const last = topics.findLastIndex((topic) => topic !== undefined)
  return Array.from({ length: last + 1 }, (_, place) => topics[place] ?? null)
}

/** Number, hash and time; undefined where the node does not have the block. */
export const blockCall = (block: number | "latest"): RpcCall<ReturnType<typeof headerOf>> => ({
  method: "eth_getBlockByNumber",
  params: [block === "latest" ? block : quantity(block), false],
  read: (result) => headerOf(result),
})

export interface ReceiptFacts {
  readonly blockHash: Hash
  readonly txIndex: number
  readonly gasUsed: bigint
  /** Absent = an old node tells it of the transaction alone. */
  readonly gasPrice?: bigint
}

export const receiptCall = (txHash: Hash): RpcCall<ReceiptFacts> => ({
  method: "eth_getTransactionReceipt",
  params: [txHash],
  read: (result) => {
    const raw = objectOf(result, "receipt")
    if (hashOf(raw.transactionHash, "transactionHash") !== txHash)
      throw new Malformed("the receipt of another transaction")
    return {
      blockHash: hashOfHex(hashOf(raw.blockHash, "blockHash")),
      txIndex: quantityOf(raw.transactionIndex, "transactionIndex"),
      gasUsed: weiOf(raw.gasUsed, "gasUsed"),
      ...(raw.effectiveGasPrice !== undefined &&
        raw.effectiveGasPrice !== null && { gasPrice: weiOf(raw.effectiveGasPrice, "effectiveGasPrice") }),
    }
  },
})

export const gasPriceCall = (txHash: Hash): RpcCall<bigint> => ({
  method: "eth_getTransactionByHash",
  params: [txHash],
  read: (result) => {
    const raw = objectOf(result, "transaction")
    if (hashOf(raw.hash, "hash") !== txHash) throw new Malformed("another transaction")
    return weiOf(raw.gasPrice, "gasPrice")
  },
})

const objectOf = (value: unknown, field: string): Record<string, unknown> => {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>
  throw new Malformed(`${field}: expected an object, got ${quote(value)}`)
}
