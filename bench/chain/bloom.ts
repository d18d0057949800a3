/** The logsBloom of Ethereum: three bits for each address and topic, out of 2048. */
import { keccak256 } from "viem/utils"

/** The three bits of a value, each 0 to 2047, at `at` of `bits`. A hash each: keep what it gives. */
export const storeBits = (bits: Uint16Array, at: number, value: Uint8Array): void => {
  const hash = keccak256(value, "bytes")
  for (let pair = 0; pair < 3; pair++) bits[at + pair] = ((hash[2 * pair]! << 8) | hash[2 * pair + 1]!) & 2047
}

export const bitsOf = (value: Uint8Array): Uint16Array => {
  const bits = new Uint16Array(3)
  storeBits(bits, 0, value)
  return bits
}

/** Sets three bits in a bloom of 256 bytes; bit 0 is the last byte's lowest. */
export const addBits = (bloom: Uint8Array, bits: Uint16Array, at = 0): void => {
  for (let index = at; index < at + 3; index++) bloom[255 - (bits[index]! >> 3)]! |= 1 << (bits[index]! & 7)
}
