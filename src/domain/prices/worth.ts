/** What quantities of a token are worth. */

import { exactDecimal } from "../../model/numbers/exactDecimal.ts"
import type { Quote, Usd } from "../../model/price.ts"

/** Times the depth of its pools that a token's market capitalisation may be: beyond, the supply is not for sale at the price. */
const mostOfDepth = 10_000n

/**
 * Price × supply, 18 decimals. Undefined where the pools that make the price hold less than a ten-thousandth of it: a
 * pool with a few thousand dollars and a token minted without end would make the chain's most valuable one. Undefined too
 * without a supply above zero: the ledger does not know it then.
 */
export const marketCapOf = ({ price, depth }: Quote, supply: bigint, decimals: number): Usd | undefined => {
  if (supply <= 0n) return undefined
  const cap = (price * supply) / 10n ** BigInt(decimals)
  return depth !== undefined && cap > depth * mostOfDepth ? undefined : cap
}

/** What an amount of subunits is worth: 18 decimals, half up. */
export const usdOf = (amount: bigint, decimals: number, price: Usd): Usd => worthOf(amount, decimals)(price)

/** The same of one amount at many prices. */
export const worthOf = (amount: bigint, decimals: number): ((price: Usd) => Usd) => {
  const scale = 10n ** BigInt(decimals)
  const [twice, twiceScale] = [2n * amount, 2n * scale]
  return (price) => (twice * price + scale) / twiceScale
}

/** Dollars as a plain decimal text: at most 18 digits behind the point, none that are not needed. */
export const usdText = (usd: Usd): string => exactDecimal(usd, 18)

/** The same of an amount of subunits. */
export const amountInUsd = (amount: bigint, decimals: number, price: Usd): string =>
  usdText(usdOf(amount, decimals, price))
