/** A block as portals and files write it down → its header and its logs, checked strictly and lower-cased. */
import type { Log } from "../../../model/block.ts"
import type { Hash } from "../../../model/primitives.ts"
import type { LogsBloom } from "../../../ports/ChainSource.ts"
import type { HistoryHeader } from "../../../ports/HistorySource.ts"
import { addressOf, bytesOf, hashOf, Malformed, quote } from "../wire/shapes.ts"
import { isHashOfFields, type RawHeader } from "./headerHash.ts"

export type ReadBloom = ((hex: string) => LogsBloom) | undefined

/** More has no place in the ledger. */
const logIndexLimit = 2 ** 24
const txIndexLimit = 2 ** 31
/** The last second of the year 9999. */
const lastTime = 253_402_300_799

/** A number, or a decimal or hex text of one. */
export const naturalOf = (value: unknown, field: string, limit = Number.MAX_SAFE_INTEGER): number => {
  const isText = typeof value === "string" && /^(?:0x[0-9a-f]{1,16}|\d{1,16})$/i.test(value)
  const number = typeof value === "number" || typeof value === "bigint" || isText ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= 0 && number <= limit) return number
  throw new Malformed(
    `${field}: expected a natural number, got ${quote(typeof value === "bigint" ? `${value}` : value)}`,
  )
}

export const headerOf = (raw: RawHeader, readBloom: ReadBloom): HistoryHeader => {
  const { logsBloom, receiptsRoot } = raw
  const bloom = logsBloom === undefined || logsBloom === null ? undefined : bytesOf(logsBloom, "logsBloom")
  if (bloom !== undefined && bloom.length !== 514) throw new Malformed("logsBloom: expected 256 bytes")
  return {
    number: naturalOf(raw.number, "number"),
    hash: hashOf(raw.hash, "hash"),
    parentHash: hashOf(raw.parentHash, "parentHash"),
    time: naturalOf(raw.timestamp, "timestamp", lastTime),
    isHashed: isHashOfFields(raw),
    ...(receiptsRoot === undefined || receiptsRoot === null
      ? {}
      : { receiptsRoot: hashOf(receiptsRoot, "receiptsRoot") }),
    ...(bloom === undefined ? {} : { logsBloom: bloom }),
    ...(bloom === undefined || readBloom === undefined ? {} : { bloom: readBloom(bloom) }),
  }
}

/** The raw value last seen of a field and what it became: neighbours share transaction and signature. */
const seen: { tx?: readonly [unknown, Hash]; signature?: readonly [unknown, string] } = {}

const hashOnce = (value: unknown, name: "tx" | "signature", field: string): Hash => {
  if (seen[name] === undefined || seen[name][0] !== value) seen[name] = [value, hashOf(value, field)]
  return seen[name][1] as Hash
}

/** A log of the block of that number and hash. */
export const logOf = (value: unknown, blockNumber: number, blockHash: Hash): Log => {
  if (typeof value !== "object" || value === null) throw new Malformed(`log: expected an object, got ${quote(value)}`)
  const raw = value as Readonly<Record<string, unknown>>
  const { topics, transactionIndex } = raw
  if (!Array.isArray(topics) || topics.length > 4) {
    throw new Malformed(`topics: expected up to 4, got ${quote(topics)}`)
  }
  return {
    address: addressOf(raw.address, "address"),
    topics: topics.map((topic, at) => (at === 0 ? hashOnce(topic, "signature", "topic") : hashOf(topic, "topic"))),
    data: bytesOf(raw.data, "data"),
    blockNumber,
    blockHash,
    logIndex: naturalOf(raw.logIndex, "logIndex", logIndexLimit - 1),
    txHash: hashOnce(raw.transactionHash, "tx", "transactionHash"),
    txIndex:
      transactionIndex === undefined || transactionIndex === null
        ? undefined
        : naturalOf(transactionIndex, "transactionIndex", txIndexLimit - 1),
  }
}

export interface ReadBlock {
  readonly header: HistoryHeader
  readonly logs: ReadonlyArray<Log>
}

/** One line of a portal. Throws `Malformed`. */
export const readBlock = (line: string, readBloom: ReadBloom): ReadBlock => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Malformed(`a line of ${line.length} characters is no JSON`)
  }
  const { header: raw, logs = [] } = Object(value) as { readonly header?: unknown; readonly logs?: unknown }
  if (typeof raw !== "object" || raw === null) throw new Malformed(`header: expected an object, got ${quote(raw)}`)
  if (!Array.isArray(logs)) throw new Malformed(`logs: expected a list, got ${quote(logs)}`)
  const header = headerOf(raw as RawHeader, readBloom)
  return { header, logs: logs.map((log) => logOf(log, header.number, header.hash)) }
}
