/** Hex text → bytes and 32-bit words, without an object per value. */

const nibbles = new Uint8Array(128)
for (let digit = 0; digit < 16; digit++) nibbles["0123456789abcdef".charCodeAt(digit)] = digit
for (let digit = 10; digit < 16; digit++) nibbles["0123456789ABCDEF".charCodeAt(digit)] = digit

/** The 8 hex digits from `start` on, as a signed 32-bit number. */
export const wordAt = (text: string, start: number): number =>
  (nibbles[text.charCodeAt(start)]! << 28) |
  (nibbles[text.charCodeAt(start + 1)]! << 24) |
  (nibbles[text.charCodeAt(start + 2)]! << 20) |
  (nibbles[text.charCodeAt(start + 3)]! << 16) |
  (nibbles[text.charCodeAt(start + 4)]! << 12) |
  (nibbles[text.charCodeAt(start + 5)]! << 8) |
  (nibbles[text.charCodeAt(start + 6)]! << 4) |
  nibbles[text.charCodeAt(start + 7)]!

/** A signed 32-bit number as 8 hex digits. */
export const hexOf = (word: number): string => (word >>> 0).toString(16).padStart(8, "0")
