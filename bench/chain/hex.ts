/** Bytes ⇄ the ASCII of their hex digits, as JSON-RPC texts need them. */

const digits = "0123456789abcdef"
const high = new Uint8Array(256)
const low = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) {
  high[byte] = digits.charCodeAt(byte >> 4)
  low[byte] = digits.charCodeAt(byte & 15)
}

/** Writes the hex digits of `bytes` at `at`; gives the offset behind them. */
export const writeHex = (target: Uint8Array, at: number, bytes: Uint8Array): number => {
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!
    target[at++] = high[byte]!
    target[at++] = low[byte]!
  }
  return at
}

export const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`
export const quantity = (value: number): string => `0x${value.toString(16)}`
export const ascii = (text: string): Uint8Array => Buffer.from(text, "latin1")
/** A 32-byte word. */
export const wordOf = (value: bigint): string => value.toString(16).padStart(64, "0")
