/** What `name()`, `symbol()`, `decimals()` and `tokenURI(id)` return → clean values. Pure; absent wherever the bytes say nothing sure. */

/** A `string` or a `bytes32` of ABI-encoded hex, cleaned: no NUL, invalid UTF-8 as U+FFFD, trimmed, at most 256 characters; empty = absent. */
export const abiString = (data: string): string | undefined => {
  // By characters, not by code units: half of a pair is no text.
  const cut = [...cleanText(data, textBytes)].slice(0, 256).join("").trim()
  return cut === "" ? undefined : cut
}

/** Where a text is looked for that is cut: 256 characters have 1,024 bytes at most, NUL and blanks may stand before them. */
const textBytes = 4096
const longestUriBytes = 8192

/** The same of a URI, which is never cut: it would lead elsewhere. One of more than 8,192 bytes of UTF-8 is absent: a page may have 1,000. */
export const abiUri = (data: string): string | undefined => {
  const text = cleanText(data)
  return text === "" || Buffer.byteLength(text) > longestUriBytes ? undefined : text
}

/** Empty where the bytes hold no text. Of a text of more bytes than `most` a character that is cut there is left out. */
const cleanText = (data: string, most = Number.POSITIVE_INFINITY): string => {
  const bytes = contentOf(Buffer.from(data.slice(2), "hex")) ?? new Uint8Array()
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  return decoder
    .decode(bytes.subarray(0, most), { stream: bytes.length > most })
    .replaceAll("\0", "")
    .trim()
}

/** A `uint8` (or wider) up to 255. */
export const abiDecimals = (data: string): number | undefined => {
  if (data.length !== 2 + 2 * word) return undefined
  const value = BigInt(data)
  return value <= 255n ? Number(value) : undefined
}

const word = 32

const contentOf = (bytes: Uint8Array): Uint8Array | undefined => {
  if (bytes.length === word) return bytes
  const offset = numberAt(bytes, 0)
  const length = offset === undefined ? undefined : numberAt(bytes, offset)
  if (offset === undefined || length === undefined || offset + word + length > bytes.length) return undefined
  return bytes.subarray(offset + word, offset + word + length)
}

/** The number in the word at `position`, if there is such a word and the number could be a place in it. */
const numberAt = (bytes: Uint8Array, position: number): number | undefined => {
  if (position + word > bytes.length) return undefined
  let number = 0
  for (let index = position; index < position + word; index++) number = number * 256 + bytes[index]!
  return number <= bytes.length ? number : undefined
}
