/** The cursor codec: a key, bound to the query it came from, as a URL-safe token that no altered character survives. */
import { Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"

export type CursorDirection = "next" | "prev"
type CursorPart = string | number | null

/**
 * Encodes a key as base64url(JSON of the parts) + checksum. Holds public values only.
 * `binding` is the canonical text of the query (path and resolved parameters): it is in the checksum, not in the token.
 */
export const encodeCursor = (binding: string, direction: CursorDirection, parts: ReadonlyArray<CursorPart>): string => {
  const payload = Base64Url.encode(JSON.stringify(parts))
  return payload + checksum(`${direction}\n${binding}\n${payload}`)
}

/** The parts of a token made by `encodeCursor` with the same binding and direction; undefined for anything else. */
export const decodeCursor = (
  binding: string,
  direction: CursorDirection,
  token: string,
): ReadonlyArray<CursorPart> | undefined => {
  const payload = token.slice(0, -checksumLength)
  if (token.length <= checksumLength || token.length > 4096) return undefined
  if (checksum(`${direction}\n${binding}\n${payload}`) !== token.slice(-checksumLength)) return undefined
  const text = Base64Url.decodeString(payload)
  if (Result.isFailure(text)) return undefined
  const parts = parseParts(text.success)
  // base64 has spare bits: only the one spelling that encoding gives is accepted.
  return parts !== undefined && encodeCursor(binding, direction, parts) === token ? parts : undefined
}

const parseParts = (text: string): ReadonlyArray<CursorPart> | undefined => {
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
