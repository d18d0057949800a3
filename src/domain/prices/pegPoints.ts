/** What an hour says of a stablecoin, as price points: one that is a dollar hour after hour has a point only where that begins. */
import { oneDollar, type Usd } from "../../model/price.ts"
import { type CoinPoints, forEver, type HourPoint, type PointChange, pointHours } from "../../ports/TokenPrices.ts"

const isDollarAt = (point: HourPoint | undefined, hour: number): point is HourPoint =>
  point !== undefined && point.untilHour >= hour && point.price === oneDollar

/**
 * The changes that make a coin's points say `price` of `hour` (a dollar exactly; what it cost off its dollar; undefined = it
 * is off, and nobody can tell what it cost), and leave what they say of every other hour that was priced.
 *
 * `next`: the hour above, where it was priced before this one; without a point of its own it is what older points say of it.
 * The point of hour 0 speaks for all hours below those that were priced: it is as the lowest of them is. It stays where that
 * is no dollar, and speaks for none: by it the coin is found once it is no stablecoin any more.
 */
export const pegPointsOf = (
  hour: number,
  next: number | undefined,
  price: Usd | undefined,
  { before, at, hasNext, first, isPegged }: CoinPoints,
): ReadonlyArray<PointChange> => {
  const isLowest = first === undefined || hour <= first
  const standing = at ?? before
  const isOpen = next !== undefined && !hasNext
  const kept = isOpen && isDollarAt(standing, next) ? [{ ...standing, hour: next }] : []
  const below = (untilHour: number) => ({ hour: 0, price: oneDollar, untilHour })
  const mark = isLowest || !isPegged ? [below(-1)] : []
  if (price === oneDollar) {
    const untilHour = isOpen && kept.length === 0 ? next - 1 : forEver
    const own = { hour, price, untilHour }
    const isSaid = isDollarAt(before, hour)
    // The lowest hour that was priced is known by a point of its own.
    if (isSaid) return first === undefined ? [own] : at === undefined ? [] : [...kept, own]
    if (isLowest) return [...kept, below(untilHour), ...(first === undefined || hour === first ? [own] : [])]
    return [...kept, ...mark, own]
  }
  if (price !== undefined) return [...kept, ...mark, { hour, price, untilHour: hour + pointHours - 1 }]
  const gone = at === undefined ? [] : [{ hour }]
  if (isLowest) return [...kept, ...mark, ...gone]
  return [...kept, ...mark, ...gone, ...(isDollarAt(before, hour) ? [{ ...before, untilHour: hour - 1 }] : [])]
}
