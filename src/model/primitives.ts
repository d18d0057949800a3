/** The scalar shapes every record is made of: chain ids, addresses, hashes, big integers, times. */
import { Schema } from "effect"

/** A chain identifier as a decimal string, `"43114"`. */
export const ChainId = Schema.String.annotate({
  description: "Chain identifier, a decimal number in a string",
  examples: ["43114"],
}).check(Schema.isPattern(/^(0|[1-9]\d{0,15})$/u))
export type ChainId = typeof ChainId.Type

/** 20 bytes in lower-case hex with `0x`. */
export const Address = Schema.String.annotate({
  description: "Address, 20 bytes in lower-case hex",
  examples: ["0x174afe7a032b5a33a3270a9f6c30746e25708532"],
}).check(Schema.isPattern(/^0x[0-9a-f]{40}$/u))
export type Address = typeof Address.Type

/** 32 bytes in lower-case hex with `0x`: a block or transaction hash. */
export const Hash = Schema.String.annotate({ description: "Hash, 32 bytes in lower-case hex" }).check(
  Schema.isPattern(/^0x[0-9a-f]{64}$/u),
)
export type Hash = typeof Hash.Type

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

export const zeroAddress: Address = `0x${"0".repeat(40)}`

/** Seconds since 1970 (a block's time) as the API's date-time. */
export const dateTimeOf = (seconds: number): DateTimeString => new Date(seconds * 1000).toISOString()

/** Chain ids in numeric order. */
export const compareChainIds = (a: ChainId, b: ChainId): number => Number(a) - Number(b)
