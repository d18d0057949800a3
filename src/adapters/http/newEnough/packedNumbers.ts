/** Natural numbers in few bytes: what a cursor says of each of many chains. */

/** Seven bits a byte, the lowest first; the eighth says that more follow. */
export const packNumbers = (numbers: ReadonlyArray<bigint>): Uint8Array => {
  const bytes: Array<number> = []
  for (const number of numbers) {
    let left = number
    for (; left >= 128n; left >>= 7n) bytes.push(Number(left & 127n) | 128)
    bytes.push(Number(left))
  }
  return Uint8Array.from(bytes)
}

/** undefined where the last one is not whole. */
export const unpackNumbers = (bytes: Uint8Array): ReadonlyArray<bigint> | undefined => {
  const numbers: Array<bigint> = []
  let [value, shift] = [0n, 0n]
  for (const byte of bytes) {
    value |= BigInt(byte & 127) << shift
    shift += 7n
    if (byte >= 128) continue
    numbers.push(value)
    ;[value, shift] = [0n, 0n]
  }
  return shift > 0n ? undefined : numbers
}

/** Small ones of either sign become small naturals: 0, −1, 1, −2, … */
export const foldSign = (value: bigint): bigint => (value < 0n ? -2n * value - 1n : 2n * value)
export const unfoldSign = (natural: bigint): bigint => (natural % 2n === 0n ? natural / 2n : -(natural + 1n) / 2n)
