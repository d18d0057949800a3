/** Decimal numbers of any size, exact to the last digit. */

/** units / 10^scale, never below zero. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** So many digits on either side of the point at most. */
const mostDigits = 100

/**
 * A number as JSON and plain text have it, E-notation included; undefined for anything else: signs, separators of
 * thousands, units, and numbers that no supply has.
 */
export const parseDecimal = (text: string): Decimal | undefined => {
  const [, whole, fraction = "", exponent = "0"] =
    /^(\d{1,200})(?:\.(\d{1,200}))?(?:[eE]([+-]?\d{1,3}))?$/u.exec(text) ?? []
  if (whole === undefined) return undefined
  const scale = fraction.length - Number(exponent)
  const units = BigInt(whole + fraction)
  const decimal = scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale }
  const short = shortest(decimal)
  return short.scale <= mostDigits && String(short.units).length <= short.scale + mostDigits ? short : undefined
}

/** Without zeros at the end of the fraction. */
const shortest = ({ units, scale }: Decimal): Decimal => {
  if (units === 0n) return { units, scale: 0 }
  let [rest, places] = [units, scale]
  while (places > 0 && rest % 10n === 0n) {
    rest /= 10n
    places--
  }
  return { units: rest, scale: places }
}

/** a − b; undefined where that is below zero. */
export const subtract = (a: Decimal, b: Decimal): Decimal | undefined => {
  const scale = Math.max(a.scale, b.scale)
  const units = unitsAt(a, scale) - unitsAt(b, scale)
  return units < 0n ? undefined : shortest({ units, scale })
}

export const isAtMost = (a: Decimal, b: Decimal): boolean => subtract(b, a) !== undefined

/** Plain digits: no E-notation, no zeros at the end of a fraction. */
export const formatDecimal = (decimal: Decimal): string => {
  const { units, scale } = shortest(decimal)
  const digits = String(units).padStart(scale + 1, "0")
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** How many of the units that `scale` decimals make; undefined where it is no whole number of them. */
export const wholeUnits = (decimal: Decimal, scale: number): bigint | undefined => {
  const short = shortest(decimal)
  return short.scale <= scale ? unitsAt(short, scale) : undefined
}

const unitsAt = ({ units, scale }: Decimal, wanted: number): bigint => units * 10n ** BigInt(wanted - scale)
