/** The scalar shapes every record is made of: chain ids, addresses, hashes, big integers, times. */
import { Schema } from "effect"

const chainIdPattern = /^(0|[1-9]\d{0,15})$/u
const addressPattern = /^0x[0-9a-f]{40}$/u

/** A chain identifier as a decimal string, `"43114"`. */
export const ChainId = Schema.String.annotate({
  description: "Chain identifier, a decimal number in a string",
  examples: ["43114"],
})
  .check(Schema.isPattern(chainIdPattern))
  .pipe(Schema.brand("ChainId"))
export type ChainId = typeof ChainId.Type

/** 20 bytes in lower-case hex with `0x`. */
export const Address = Schema.String.annotate({
  description: "Address, 20 bytes in lower-case hex",
  examples: ["0x174afe7a032b5a33a3270a9f6c30746e25708532"],
})
  .check(Schema.isPattern(addressPattern))
  .pipe(Schema.brand("Address"))
export type Address = typeof Address.Type

/** 32 bytes in lower-case hex with `0x`: a block or transaction hash. */
export const Hash = Schema.String.annotate({ description: "Hash, 32 bytes in lower-case hex" })
  .check(Schema.isPattern(/^0x[0-9a-f]{64}$/u))
  .pipe(Schema.brand("Hash"))
export type Hash = typeof Hash.Type

/** The chain id that the text is, above 0; undefined for anything else. */
export const chainIdOf = (text: string): ChainId | undefined => (text !== "0" && isChainId(text) ? text : undefined)
const isChainId = (text: string): text is ChainId => chainIdPattern.test(text)

/** Unchecked: of a natural number, as a node or our own table tells it. */
export const chainIdOfNumber = (id: number): ChainId => String(id) as ChainId

/** The address written in any letter case, in lower case; undefined for anything else. */
export const addressOf = (text: string): Address | undefined => {
  const folded = text.toLowerCase()
  return isAddress(folded) ? folded : undefined
}
const isAddress = (text: string): text is Address => addressPattern.test(text)

/** Unchecked: for hex that a pattern has matched, or that was cut from a word of 32 bytes. */
export const addressOfHex = (hex: string): Address => hex as Address

/** Unchecked: for hex that a pattern has matched. */
export const hashOfHex = (hex: string): Hash => hex as Hash

/** A decimal integer carried in a string: raw subunits, never rounded. */
export const BigIntString = Schema.String.annotate({
  description: "Decimal integer in a string",
  examples: ["1250000000000000000000000000"],
}).check(Schema.isPattern(/^-?\d+$/u))
export type BigIntString = typeof BigIntString.Type

/** ISO 8601 in UTC with milliseconds, `2026-01-02T03:04:05.000Z`. */
export const DateTimeString = Schema.String.annotate({
  description: "ISO 8601 date and time, UTC, with milliseconds",
  format: "date-time",
}).check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u))
export type DateTimeString = typeof DateTimeString.Type

export const zeroAddress = addressOfHex(`0x${"0".repeat(40)}`)

/** Seconds since 1970 (a block's time) as the API's date-time. */
export const dateTimeOf = (seconds: number): DateTimeString => new Date(seconds * 1000).toISOString()

/** Chain ids in numeric order. */
export const compareChainIds = (a: ChainId, b: ChainId): number => Number(a) - Number(b)
