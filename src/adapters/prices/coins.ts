/** An answer of the coins API → prices; what is not exactly as it should be is no price. */
import type { Usd } from "../../model/price.ts"

/** Prices of which the source is less sure are left out; 1 = sure. */
const leastConfidence = 0.9
/** Seconds between the time that is asked about and that of the price. */
const farthestSeconds = 3600
/** Dollars a whole token: nothing costs more. */
const highest = 1e12

/**
 * Prices by the key asked for, of those keys alone. Undefined = the body is no such answer at all. `at`: the time asked
 * about, seconds.
 */
export const readCoins = (
  body: string,
  keys: ReadonlyArray<string>,
  at: number,
): ReadonlyMap<string, Usd> | undefined => {
  const coins = coinsOf(body)
  if (coins === undefined) return undefined
  const wanted = new Set(keys)
  const prices = new Map<string, Usd>()
  const twice = new Set<string>()
  for (const [name, coin] of Object.entries(coins)) {
    const key = name.toLowerCase()
    const price = wanted.has(key) ? readPrice(coin, at) : undefined
    if (price === undefined) continue
    if (prices.has(key)) twice.add(key)
    prices.set(key, price)
  }
  for (const key of twice) prices.delete(key)
  return prices
}

const coinsOf = (body: string): object | undefined => {
  try {
    const { coins } = JSON.parse(body) as { readonly coins?: unknown }
    return typeof coins === "object" && coins !== null && !Array.isArray(coins) ? coins : undefined
  } catch {
    return undefined
  }
}

const readPrice = (coin: unknown, at: number): Usd | undefined => {
  if (typeof coin !== "object" || coin === null) return undefined
  const { price, timestamp, confidence } = coin as Readonly<Record<string, unknown>>
  if (typeof price !== "number" || !(price > 0) || price > highest) return undefined
  if (typeof confidence !== "number" || !(confidence >= leastConfidence && confidence <= 1)) return undefined
  if (typeof timestamp !== "number" || !(Math.abs(timestamp - at) <= farthestSeconds)) return undefined
  const usd = usdOf(price)
  return usd > 0n ? usd : undefined
}

/** The number as it is written, cut behind the 18th decimal. `number` is finite and not negative. */
export const usdOf = (number: number): Usd => {
  const [digits = "", exponent = "0"] = String(number).split("e")
  const [whole = "", fraction = ""] = digits.split(".")
  const shift = 18 - fraction.length + Number(exponent)
  const value = BigInt(whole + fraction)
  return shift >= 0 ? value * 10n ** BigInt(shift) : value / 10n ** BigInt(-shift)
}
