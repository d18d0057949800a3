/** `eth_getLogs` answer → logs: checked, lower-cased, in order, in one pass (this runs for every log of a chain). */
import type { Log } from "../../../model/block.ts"
import type { Address, Hash } from "../../../model/primitives.ts"
import { addressOf, bytesOf, hashOf, Malformed, quantityOf, quote } from "../wire/shapes.ts"

/** What was asked for: a log that lies elsewhere makes the whole answer malformed. */
export interface LogScope {
  readonly fromBlock: number
  readonly toBlock: number
  readonly blockHash?: Hash
}

/** A block in which an index comes in two transactions, or rises where the transaction's place falls: some nodes count anew in each transaction. */
export interface MisnumberedBlock {
  readonly number: number
  readonly hash: Hash
  readonly why: string
  readonly logs: ReadonlyArray<Log>
}

/** An answer with such blocks; `logs`: those of the others. */
export class Misnumbered {
  constructor(
    readonly logs: ReadonlyArray<Log>,
    readonly blocks: ReadonlyArray<MisnumberedBlock>,
  ) {}
}

/** Ascending strictly by (blockNumber, logIndex). Throws `Malformed`. */
export const readLogs = (result: unknown, scope: LogScope): ReadonlyArray<Log> => checkDuplicates(sorted(result, scope))

/** The same, but for blocks whose order the answer does not tell. One log twice is malformed. */
export const readNumbered = (result: unknown, scope: LogScope): ReadonlyArray<Log> | Misnumbered =>
  numbered(sorted(result, scope))

/** The same of several answers that share no log. Throws `Malformed`. */
export const joinLogs = (parts: ReadonlyArray<ReadonlyArray<Log> | Misnumbered>): ReadonlyArray<Log> | Misnumbered => {
  const known = parts.flatMap((part) => (part instanceof Misnumbered ? part.blocks : []))
  const logs = checkHashes(parts.flatMap(allLogsOf).sort(compare))
  return numbered(logs, new Map(known.map(({ number, why }) => [number, why])))
}

/** Also those whose order is not known. */
export const allLogsOf = (told: ReadonlyArray<Log> | Misnumbered): ReadonlyArray<Log> =>
  told instanceof Misnumbered ? [told.logs, ...told.blocks.map(({ logs }) => logs)].flat() : told

/** `known`: blocks that are misnumbered in one part of the logs. */
const numbered = (logs: ReadonlyArray<Log>, known: ReadonlyMap<number, string> = new Map()) => {
  const faults = new Map([...known, ...misnumberedIn(logs)])
  if (faults.size === 0) return logs
  const others: Array<Log> = []
  const own = new Map([...faults.keys()].map((number): [number, Array<Log>] => [number, []]))
  for (const log of logs) (own.get(log.blockNumber) ?? others).push(log)
  const blocks = [...faults].map(([number, why]): MisnumberedBlock => {
    const its = own.get(number)!
    return { number, hash: its[0]!.blockHash, why, logs: its }
  })
  return new Misnumbered(others, blocks)
}

const sorted = (result: unknown, scope: LogScope): ReadonlyArray<Log> => {
  if (!Array.isArray(result)) throw new Malformed(`expected a list, got ${quote(result)}`)
  const logs = new Array<Log>(result.length)
  const seen: Seen = {}
  let ordered = true
  for (let index = 0; index < result.length; index++) {
    const log = readLog(result[index], seen)
    if (log.blockNumber < scope.fromBlock || log.blockNumber > scope.toBlock) {
      throw new Malformed(`a log of block ${log.blockNumber}, which was not asked for`, "logs")
    }
    if (scope.blockHash !== undefined && log.blockHash !== scope.blockHash) {
      throw new Malformed(`a log of block ${log.blockHash}, which was not asked for`, "fork")
    }
    logs[index] = log
    if (index > 0 && compare(logs[index - 1]!, log) >= 0) ordered = false
  }
  return checkHashes(ordered ? logs : logs.sort(compare))
}

/** Index 2²⁴ and more has no place in the ledger's order. */
const indexLimit = 2 ** 24

/** The raw value last seen of a field and what it became: neighbours share block, transaction and often contract. */
interface Seen {
  number?: readonly [unknown, number]
  hash?: readonly [unknown, Hash]
  tx?: readonly [unknown, Hash]
  txIndex?: readonly [unknown, number | undefined]
  address?: readonly [unknown, Address]
  signature?: readonly [unknown, string]
}

const readLog = (value: unknown, seen: Seen): Log => {
  if (typeof value !== "object" || value === null) throw new Malformed(`log: expected an object, got ${quote(value)}`)
  const raw = value as Record<string, unknown>
  if (raw.removed === true) throw new Malformed("a log marked as removed", "fork")
  if (seen.number?.[0] !== raw.blockNumber || seen.number === undefined) {
    seen.number = [raw.blockNumber, quantityOf(raw.blockNumber, "blockNumber")]
  }
  if (seen.hash?.[0] !== raw.blockHash || seen.hash === undefined) {
    seen.hash = [raw.blockHash, hashOf(raw.blockHash, "blockHash")]
  }
  if (seen.tx?.[0] !== raw.transactionHash || seen.tx === undefined) {
    seen.tx = [raw.transactionHash, hashOf(raw.transactionHash, "transactionHash")]
  }
  if (seen.txIndex?.[0] !== raw.transactionIndex || seen.txIndex === undefined) {
    seen.txIndex = [raw.transactionIndex, txIndexOf(raw.transactionIndex)]
  }
  if (seen.address?.[0] !== raw.address || seen.address === undefined) {
    seen.address = [raw.address, addressOf(raw.address, "address")]
  }
  const logIndex = quantityOf(raw.logIndex, "logIndex")
  if (logIndex >= indexLimit) throw new Malformed(`log index ${logIndex} in block ${seen.number[1]}`, "order")
  const topics = topicsOf(raw.topics, seen)
  const data = bytesOf(raw.data, "data")
  const [address, blockNumber, blockHash, txHash] = [seen.address[1], seen.number[1], seen.hash[1], seen.tx[1]]
  return { address, topics, data, blockNumber, blockHash, logIndex, txHash, txIndex: seen.txIndex[1] }
}

/** More has no place in the ledger. */
const txIndexLimit = 2 ** 31

/** Some nodes leave it out. */
const txIndexOf = (value: unknown): number | undefined => {
  if (value === undefined || value === null) return undefined
  const index = quantityOf(value, "transactionIndex")
  if (index >= txIndexLimit) throw new Malformed(`transactionIndex: ${quote(value)} cannot be`)
  return index
}

const topicsOf = (value: unknown, seen: Seen): ReadonlyArray<string> => {
  if (!Array.isArray(value) || value.length > 4) throw new Malformed(`topics: expected up to 4, got ${quote(value)}`)
  // The answer's own list, which nobody else has.
  const topics: Array<string> = value
  for (let index = 0; index < value.length; index++) {
    if (index === 0 && seen.signature?.[0] === value[0] && seen.signature !== undefined) topics[0] = seen.signature[1]
    else topics[index] = hashOf(value[index], "topic")
  }
  if (topics[0] !== undefined) seen.signature = [value[0], topics[0]]
  return topics
}

const compare = (a: Log, b: Log): number => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex

const checkDuplicates = (logs: ReadonlyArray<Log>): ReadonlyArray<Log> => {
  for (let index = 1; index < logs.length; index++) {
    if (compare(logs[index - 1]!, logs[index]!) === 0) throw twice(logs[index]!)
  }
  return logs
}

const comesTwice = ({ blockNumber, logIndex }: Log): string => `log ${logIndex} of block ${blockNumber} comes twice`
const twice = (log: Log) => new Malformed(comesTwice(log), "order")

/** Why the order of these blocks is not known; `logs` ascend by index. A place that is left out says nothing. Throws at one log twice. */
export const misnumberedIn = (logs: ReadonlyArray<Log>): ReadonlyMap<number, string> => {
  const faults = new Map<number, string>()
  for (let index = 1; index < logs.length; index++) {
    const [before, log] = [logs[index - 1]!, logs[index]!]
    if (before.blockNumber !== log.blockNumber) continue
    if (before.logIndex === log.logIndex) {
      if (before.txHash === log.txHash) throw twice(log)
      faults.set(log.blockNumber, `${comesTwice(log)}, in two transactions`)
    } else if (faults.has(log.blockNumber)) continue
    else if (before.txIndex !== undefined && log.txIndex !== undefined && log.txIndex < before.txIndex) {
      const later = `log ${log.logIndex} of block ${log.blockNumber} is in transaction ${log.txIndex}`
      faults.set(log.blockNumber, `${later}, log ${before.logIndex} in transaction ${before.txIndex}`)
    }
  }
  return faults
}

/** One answer, one chain: a block has one hash. */
const checkHashes = (logs: ReadonlyArray<Log>): ReadonlyArray<Log> => {
  for (let index = 1; index < logs.length; index++) {
    const [before, log] = [logs[index - 1]!, logs[index]!]
    if (before.blockNumber === log.blockNumber && before.blockHash !== log.blockHash) {
      throw new Malformed(`two hashes of block ${log.blockNumber} in one answer`, "fork")
    }
  }
  return logs
}
