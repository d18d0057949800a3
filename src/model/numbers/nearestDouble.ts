/** A quotient of whole numbers of any size → the nearest double. Pure. */

/** The finite double nearest to `above / below` (both above zero), to the even one where two are as near. */
export const nearestDouble = (above: bigint, below: bigint): number => {
  // 2^exponent ≤ above / below < 2^(exponent + 1)
  let exponent = bitsOf(above) - bitsOf(below)
  if (exponent >= 0 ? above < below << BigInt(exponent) : above << BigInt(-exponent) < below) exponent--
  if (exponent > mostExponent) return Number.MAX_VALUE
  /** The power of two that the double is a multiple of. */
  const unit = Math.max(exponent - 52, leastUnit)
  const [whole, part] = unit >= 0 ? [above, below << BigInt(unit)] : [above << BigInt(-unit), below]
  const floor = whole / part
  const twice = 2n * (whole % part)
  const rounded = twice > part || (twice === part && floor % 2n === 1n) ? floor + 1n : floor
  return Math.min(Number(rounded) * 2 ** unit, Number.MAX_VALUE)
}

const mostExponent = 1023
const leastUnit = -1074

const bitsOf = (number: bigint): number => number.toString(2).length
