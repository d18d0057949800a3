/** 128-bit two's complement numbers as four 32-bit words in an Int32Array, lowest first: balances without an object each. */

const pair = new BigInt64Array(2)
const words = new Int32Array(pair.buffer)

/** Stores a value; false (and nothing stored) when it needs more than 128 bits. */
export const storeBigInt = (target: Int32Array, at: number, value: bigint): boolean => {
  const top = value >> 64n
  if (BigInt.asIntN(64, top) !== top) return false
  pair[0] = BigInt.asIntN(64, value)
  pair[1] = top
  target[at] = words[0]!
  target[at + 1] = words[1]!
  target[at + 2] = words[2]!
  target[at + 3] = words[3]!
  return true
}

export const loadBigInt = (source: Int32Array, at: number): bigint => {
  words[0] = source[at]!
  words[1] = source[at + 1]!
  words[2] = source[at + 2]!
  words[3] = source[at + 3]!
  return (pair[1]! << 64n) | BigInt.asUintN(64, pair[0]!)
}

/** target ± source; false (and nothing changed) when the result needs more than 128 bits. */
export const addInto = (
  target: Int32Array,
  at: number,
  source: Int32Array,
  from: number,
  negative: boolean,
): boolean => {
  const flip = negative ? -1 : 0
  let sum = (target[at]! >>> 0) + ((source[from]! ^ flip) >>> 0) + (negative ? 1 : 0)
  const w0 = sum | 0
  sum = (target[at + 1]! >>> 0) + ((source[from + 1]! ^ flip) >>> 0) + (sum > 0xffffffff ? 1 : 0)
  const w1 = sum | 0
  sum = (target[at + 2]! >>> 0) + ((source[from + 2]! ^ flip) >>> 0) + (sum > 0xffffffff ? 1 : 0)
  const w2 = sum | 0
  const other = source[from + 3]! ^ flip
  sum = (target[at + 3]! >>> 0) + (other >>> 0) + (sum > 0xffffffff ? 1 : 0)
  const w3 = sum | 0
  // Two operands of one sign whose sum has the other: it did not fit.
  if (((target[at + 3]! ^ w3) & (other ^ w3)) < 0) return false
  target[at] = w0
  target[at + 1] = w1
  target[at + 2] = w2
  target[at + 3] = w3
  return true
}

export const isPositive = (source: Int32Array, at: number): boolean =>
  source[at + 3]! > 0 || (source[at + 3] === 0 && (source[at]! | source[at + 1]! | source[at + 2]!) !== 0)
