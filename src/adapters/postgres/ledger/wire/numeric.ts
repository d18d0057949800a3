/** PostgreSQL's binary numeric: base-10000 digits, from 32-bit words or a bigint. */

// 2^1024 and more: no sum of token amounts comes near it.
const limbs = new Float64Array(32)
const digits = new Uint16Array(80)

/** Writes the numeric's bytes (no length before it) of a 128-bit number of `int128.ts`; gives the offset behind them. */
export const writeNumeric = (view: DataView, offset: number, source: Int32Array, at: number): number => {
  const negative = source[at + 3]! < 0
  if (!negative) {
    limbs[0] = source[at]! >>> 0
    limbs[1] = source[at + 1]! >>> 0
    limbs[2] = source[at + 2]! >>> 0
    limbs[3] = source[at + 3]! >>> 0
  } else {
    let carry = 1
    for (let index = 0; index < 4; index++) {
      const sum = (~source[at + index]! >>> 0) + carry
      limbs[index] = sum >>> 0
      carry = sum > 0xffffffff ? 1 : 0
    }
  }
  return writeLimbs(view, offset, 4, negative)
}

/** The same for any bigint up to 1024 bits. */
export const writeBigNumeric = (view: DataView, offset: number, value: bigint): number => {
  const negative = value < 0n
  let rest = negative ? -value : value
  let count = 0
  for (; rest > 0n; rest >>= 32n) limbs[count++] = Number(rest & 0xffffffffn)
  return writeLimbs(view, offset, count, negative)
}

/** `limbs` are divided down to nothing, four decimal digits a round. */
const writeLimbs = (view: DataView, offset: number, count: number, negative: boolean): number => {
  let length = 0
  let top = count
  while (top > 0 && limbs[top - 1] === 0) top--
  while (top > 0) {
    let rest = 0
    for (let index = top - 1; index >= 0; index--) {
      const value = rest * 4294967296 + limbs[index]!
      // Less than 2^46: the product is off by one at most, and dear is only a division.
      let quotient = Math.floor(value * 0.0001)
      rest = value - quotient * 10000
      if (rest < 0) {
        quotient--
        rest += 10000
      } else if (rest >= 10000) {
        quotient++
        rest -= 10000
      }
      limbs[index] = quotient
    }
    digits[length++] = rest
    if (limbs[top - 1] === 0) top--
  }
  let zeros = 0
  while (zeros < length && digits[zeros] === 0) zeros++
  view.setInt16(offset, length - zeros)
  view.setInt16(offset + 2, Math.max(0, length - 1))
  view.setInt16(offset + 4, negative ? 0x4000 : 0)
  view.setInt16(offset + 6, 0)
  offset += 8
  for (let index = length - 1; index >= zeros; index--, offset += 2) view.setInt16(offset, digits[index]!)
  return offset
}
