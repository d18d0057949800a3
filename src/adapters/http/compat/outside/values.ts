/** Values of `module=proxy` as Etherscan's clients write them → as JSON-RPC has them. Pure. */
import { Result } from "effect"

/** The value; or what was wanted. */
export type Read = (text: string) => Result.Result<unknown, string>

const matching =
  (pattern: RegExp, wanted: string, convert: (text: string) => unknown = (text) => text.toLowerCase()): Read =>
  (text) =>
    pattern.test(text) ? Result.succeed(convert(text)) : Result.fail(wanted)

/** Nodes refuse zeros in front. */
const quantityText = (text: string): string => `0x${BigInt(text).toString(16)}`

export const address = matching(/^0x[0-9a-f]{40}$/i, "an address of 40 hex digits")
export const hash = matching(/^0x[0-9a-f]{64}$/i, "a hash of 64 hex digits")
export const flag: Read = (text) => Result.succeed(text.toLowerCase() === "true")
export const quantity = matching(/^(?:0x[0-9a-f]{1,64}|\d{1,78})$/i, "a number, in 0x-hex or decimal", quantityText)

/** `latest` and the like, or a number. */
export const tag: Read = (text) => {
  const word = text.toLowerCase()
  if (/^(?:latest|earliest|pending|safe|finalized)$/.test(word)) return Result.succeed(word)
  return Result.mapError(quantity(text), () => "a block's number in 0x-hex or decimal, latest, earliest or pending")
}

/** Bytes of a call's data, or of a transaction: nodes take no larger one. */
export const mostDataBytes = 128 * 1024

/** Not in one pattern: a repeated group fails on megabytes. */
export const bytes: Read = (text) =>
  text.length <= 2 * mostDataBytes + 2 && text.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(text)
    ? Result.succeed(text.toLowerCase())
    : Result.fail(`up to ${mostDataBytes} bytes in 0x-hex`)
