/** Rows of extracted blocks and logs, by whatever names extractors give their columns → the names of JSON-RPC. */
import type { Log } from "../../../model/block.ts"
import type { Hash } from "../../../model/primitives.ts"
import { Malformed, quote } from "../wire/shapes.ts"
import { logOf, naturalOf } from "./readBlock.ts"

export type Row = Readonly<Record<string, unknown>>

/** Other names than the snake case of ours: of cryo, of ethereum-etl. */
const ofBlock: Readonly<Record<string, string>> = {
  block_number: "number",
  block_hash: "hash",
  block_timestamp: "timestamp",
  author: "miner",
  ommers_hash: "sha3Uncles",
  uncles_hash: "sha3Uncles",
  sha3_uncles: "sha3Uncles",
}
const ofLog: Readonly<Record<string, string>> = { contract_address: "address" }

const camel = (name: string): string => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Bytes as hex, whole numbers as they are. */
const plain = (value: unknown): unknown =>
  value instanceof Uint8Array ? `0x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}` : value

const renamed = (row: Row, names: Readonly<Record<string, string>>): Record<string, unknown> => {
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row)) {
    if (value === null || value === undefined) continue
    result[names[name] ?? camel(name)] = plain(value)
  }
  return result
}

/** Seconds, also where the column holds dates. Quantities in hex, as of 64 bits and more they may be numbers of any kind. */
export const headerRow = (row: Row): Record<string, unknown> => {
  const header = renamed(row, ofBlock)
  const { timestamp } = header
  if (timestamp instanceof Date) header.timestamp = timestamp.getTime() / 1000
  for (const [name, value] of Object.entries(header)) {
    if (typeof value === "bigint") header[name] = `0x${value.toString(16)}`
  }
  if (header.parentHash === undefined) {
    throw new Malformed("blocks without parent_hash: they cannot be held against one another; extract that column too")
  }
  return header
}

/** The header's columns: a portal's rows have them in a field of their own. */
export const headOf = (row: Row): Row => (row.header as Row | undefined) ?? row

/** Of a block's row. */
export const numberOf = (row: Row): number =>
  naturalOf(headOf(row).number ?? headOf(row).block_number ?? headOf(row).blockNumber, "number")

export const blockOfLog = (row: Row): number => naturalOf(row.block_number ?? row.blockNumber, "block_number")

/** A log of the block of that hash. */
export const logRow = (row: Row, blockNumber: number, blockHash: Hash): Log => {
  const log = renamed(row, ofLog)
  if (log.blockHash !== undefined && String(log.blockHash).toLowerCase() !== blockHash) {
    throw new Malformed(`a log of block ${quote(log.blockHash)}, where block ${blockNumber} is ${blockHash}`, "fork")
  }
  log.topics ??= [log.topic0, log.topic1, log.topic2, log.topic3].filter((it) => it !== undefined && it !== "")
  if (log.data === undefined || log.data === "") log.data = "0x"
  return logOf(log, blockNumber, blockHash)
}

/** The first topic, before anything else is read of it. */
export const signatureOf = (row: Row): string | undefined => {
  const first = Array.isArray(row.topics) ? row.topics[0] : row.topic0
  const text = plain(first)
  return typeof text === "string" ? text.toLowerCase() : undefined
}
