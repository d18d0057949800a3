/** The shapes of Ethereum's JSON-RPC answers, checked strictly: what cannot be is refused, never repaired. */
import type { FaultKind } from "../../../model/fault.ts"
import { type Address, addressOfHex, type Hash, hashOfHex } from "../../../model/primitives.ts"
import { beginningOf } from "../../../model/printable.ts"
import type { LogsBloom, ReceiptsMark, SourceHeader } from "../../../ports/ChainSource.ts"
import { lowerHex } from "./lowerHex.ts"

/** An answer that cannot be. The message names the field and quotes what was there; `what`: which kind of fault it counts as. */
export class Malformed extends Error {
  constructor(
    message: string,
    readonly what: FaultKind = "call",
  ) {
    super(message)
  }
}

/** A `0x…` quantity as a number; refuses what is not exact in a double. */
export const quantityOf = (value: unknown, field: string): number => {
  if (typeof value === "string" && quantity.test(value)) {
    const number = Number(value)
    if (Number.isSafeInteger(number)) return number
  }
  throw new Malformed(`${field}: expected a hex quantity, got ${quote(value)}`)
}

/** An amount of wei, which may be beyond what a number holds. */
export const weiOf = (value: unknown, field: string): bigint => {
  if (typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value)
  throw new Malformed(`${field}: expected a hex quantity, got ${quote(value)}`)
}

/** 32 bytes, lower-cased. */
export const hashOf = (value: unknown, field: string): Hash =>
  hashOfHex(hexOf(value, field, hashLength, "a 32-byte hash"))
/** 20 bytes, lower-cased. */
export const addressOf = (value: unknown, field: string): Address =>
  addressOfHex(hexOf(value, field, addressLength, "an address"))
/** Any whole number of bytes, lower-cased. */
export const bytesOf = (value: unknown, field: string): string => {
  const text = hexOf(value, field, undefined, "hex bytes")
  if (text.length % 2 !== 0) throw new Malformed(`${field}: expected hex bytes, got ${quote(value)}`)
  return text
}

/**
 * A block header of `eth_getBlockByNumber` or `…ByHash`; undefined for null, which says that the node does not have it.
 * `bloom` reads logsBloom, where there is one.
 */
export const headerOf = (value: unknown, bloom?: (hex: string) => LogsBloom): SourceHeader | undefined => {
  if (value === null) return undefined
  if (typeof value !== "object") throw new Malformed(`block: expected an object, got ${quote(value)}`)
  const block = value as Record<string, unknown>
  const header: SourceHeader = {
    number: quantityOf(block.number, "number"),
    hash: hashOf(block.hash, "hash"),
    parentHash: hashOf(block.parentHash, "parentHash"),
    time: timeOf(block.timestamp),
  }
  return { ...header, ...bloomIn(block, bloom) }
}

/** What the header of a block that has transactions says of their receipts; undefined where it says nothing. */
export const receiptsMarkOf = (value: unknown): ReceiptsMark | undefined => {
  const { receiptsRoot, transactions, logsBloom } = Object(value) as Record<string, unknown>
  if (!Array.isArray(transactions) || transactions.length === 0) return undefined
  const root = hexOfLength(receiptsRoot, hashLength)
  const bloom = hexOfLength(logsBloom, bloomLength)
  return root === undefined || bloom === undefined
    ? undefined
    : { root: hashOfHex(root), count: transactions.length, bloom }
}

const bloomIn = (block: Record<string, unknown>, bloom: ((hex: string) => LogsBloom) | undefined) => {
  if (bloom === undefined || block.logsBloom === undefined || block.logsBloom === null) return {}
  return { bloom: bloom(hexOf(block.logsBloom, "logsBloom", bloomLength, "256 bytes")) }
}

/** The last second of the year 9999: no time beyond can be answered as ISO 8601. */
const lastTime = 253_402_300_799

const timeOf = (value: unknown): number => {
  const time = typeof value === "string" && quantity.test(value) ? Number(value) : Number.NaN
  if (time <= lastTime) return time
  throw new Malformed(`timestamp: expected seconds up to the year 9999, got ${quote(value)}`, "time")
}

/** A value as an error may show it: short, on one line. */
export const quote = (value: unknown): string => {
  const text = value === undefined ? "nothing" : written(value)
  return text.length > mostShown ? `${beginningOf(text, mostShown)}…` : text
}

const mostShown = 80
/** What is nested deeper takes seconds to be written, if it can be at all. */
const mostNested = 8

/** As JSON. Of what is longer than is shown, the beginning. */
const written = (value: unknown, depth = 0): string => {
  if (typeof value === "string") return JSON.stringify(beginningOf(value, mostShown))
  if (typeof value !== "object" || value === null) return String(value)
  if (depth === mostNested) return "…"
  const isList = Array.isArray(value)
  let text = isList ? "[" : "{"
  for (const field in value) {
    if (text.length > mostShown) break
    const own = written((value as Record<string, unknown>)[field], depth + 1)
    text += `${text.length > 1 ? "," : ""}${isList ? "" : `${written(field)}:`}${own}`
  }
  return text + (isList ? "]" : "}")
}

const quantity = /^0x[0-9a-f]{1,16}$/i
/** Characters of `0x…`. */
const hashLength = 66
const addressLength = 42
const bloomLength = 514

/** `length`: its characters; undefined = any. */
const hexOf = (value: unknown, field: string, length: number | undefined, wanted: string): string => {
  const hex = hexOfLength(value, length)
  if (hex === undefined) throw new Malformed(`${field}: expected ${wanted}, got ${quote(value)}`)
  return hex
}

const hexOfLength = (value: unknown, length: number | undefined): string | undefined =>
  typeof value === "string" && (length === undefined || value.length === length) ? lowerHex(value) : undefined
