/** The cursor codec: a key, bound to the query it came from, as a URL-safe token that no altered character survives. */
import { Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"

export type CursorDirection = "next" | "prev"
/** Bytes are the last part, where there are any. */
export type CursorParts = ReadonlyArray<string | number | null | Uint8Array>

/** Characters of a token: with the rest of a link it fits into a line of 8 KB, which servers on the way take. */
export const longestCursor = 6000

/**
 * Encodes a key as base64url(JSON of the parts, and behind a byte 0 those that are bytes) + checksum. Holds public values only. One longer
 * than `longestCursor` is not decoded.
 * `binding` is the canonical text of the query (path and resolved parameters): it is in the checksum, not in the token.
 */
export const encodeCursor = (binding: string, direction: CursorDirection, parts: CursorParts): string => {
  const packed = parts.at(-1)
  const payload =
    packed instanceof Uint8Array
      ? Base64Url.encode(behind(JSON.stringify(parts.slice(0, -1)), packed))
      : Base64Url.encode(JSON.stringify(parts))
  return payload + checksum(`${direction}\n${binding}\n${payload}`)
}

/** The parts of a token made by `encodeCursor` with the same binding and direction; undefined for anything else. */
export const decodeCursor = (binding: string, direction: CursorDirection, token: string): CursorParts | undefined => {
  const payload = token.slice(0, -checksumLength)
  if (token.length <= checksumLength || token.length > longestCursor) return undefined
  if (checksum(`${direction}\n${binding}\n${payload}`) !== token.slice(-checksumLength)) return undefined
  const bytes = Base64Url.decode(payload)
  if (Result.isFailure(bytes)) return undefined
  const parts = partsIn(bytes.success)
  // base64 has spare bits: only the one spelling that encoding gives is accepted.
  return parts !== undefined && encodeCursor(binding, direction, parts) === token ? parts : undefined
}

/** JSON has no byte 0. */
const behind = (json: string, packed: Uint8Array): Uint8Array => {
  const head = new TextEncoder().encode(json)
  const all = new Uint8Array(head.length + 1 + packed.length)
  all.set(head)
  all.set(packed, head.length + 1)
  return all
}

const partsIn = (bytes: Uint8Array): CursorParts | undefined => {
  const end = bytes.indexOf(0)
  const parts = parseParts(new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end)))
  return end < 0 ? parts : parts && [...parts, bytes.slice(end + 1)]
}

const parseParts = (text: string): CursorParts | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const checksumLength = 11

/** 53 bits of two multiply-xor lanes (cyrb53), in base 36. Guards against accidents, not against forgery: cursors hold no secret. */
const checksum = (text: string): string => {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36).padStart(checksumLength, "0")
}
