/** Amounts and prices in the forms that other services give them: hex words, JSON numbers, dollars to read. */
import { usdText } from "../../../domain/prices/worth.ts"
import { oneDollar, type Usd } from "../../../model/price.ts"

/** 32 bytes in hex; undefined for a sum that they cannot hold, as contracts have whose logs add up to more than 2²⁵⁶−1. */
export const hexWord = (amount: string): string | undefined => {
  const digits = BigInt(amount).toString(16).padStart(64, "0")
  return digits.length > 64 ? undefined : `0x${digits}`
}

/** US dollars with 18 decimals as a plain decimal. */
export const decimalUsd = (price: string): string => usdText(BigInt(price))

/** A decimal text as the nearest double; null = there is none. */
export const numberOrNull = (text: string | undefined): number | null => (text === undefined ? null : Number(text))

/** `$1,003.17`, half up. */
export const prettyUsd = (usd: Usd): string => {
  const cents = (usd * 200n + oneDollar) / (2n * oneDollar)
  const dollars = String(cents / 100n).replace(/\B(?=(?:\d{3})+$)/gu, ",")
  return `$${dollars}.${String(cents % 100n).padStart(2, "0")}`
}

/** A plain decimal of dollars in 18 decimals. */
export const usdOfText = (text: string): Usd => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole) * oneDollar + BigInt(fraction.padEnd(18, "0"))
}
