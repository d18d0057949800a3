/** What held tokens cost some hours ago, as Sim's `historical_prices` asks. */
import { Effect } from "effect"
import { firstPrices } from "../../../domain/wallet/nativePoints.ts"
import type { Address, ChainId } from "../../../model/primitives.ts"
import type { WalletToken } from "../../../model/wallet/holdings.ts"
import { type Chain, nativePricedBy } from "../../../ports/Networks.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { decimalUsd } from "./figures.ts"

const mostOffsets = 3
const mostHours = 1_000_000

/** Hours ago, as they are written; undefined = none are asked. */
export const hoursOf = Effect.fnUntraced(function* (written: string | undefined) {
  if (written === undefined || written === "") return undefined
  const hours = written.split(",").map((part) => (/^\d{1,7}$/u.test(part.trim()) ? Number(part) : 0))
  const isGood = hours.length <= mostOffsets && hours.every((hour) => hour >= 1 && hour <= mostHours)
  if (isGood) return hours
  return yield* invalidParameter("historical_prices", written, `up to ${mostOffsets} whole numbers of hours from 1`)
})

/** In order of the rows; undefined = none are asked. What has no price then has no point. */
export const pastPrices = Effect.fnUntraced(function* (
  rows: ReadonlyArray<WalletToken>,
  hours: ReadonlyArray<number> | undefined,
  now: number,
  followed: ReadonlyArray<Chain>,
) {
  if (hours === undefined) return undefined
  const wanted = hours.map((ago) => Math.max(0, Math.floor(now / 3600) - ago))
  return yield* Effect.forEach(
    rows,
    Effect.fnUntraced(function* ({ chainId, tokenAddress }) {
      const prices = yield* firstPrices(chainId, pricedBy(chainId, tokenAddress, followed), wanted)
      return hours.flatMap((offset_hours, index) => {
        const price = prices[index]
        return price === undefined ? [] : [{ offset_hours, price_usd: Number(decimalUsd(String(price))) }]
      })
    }),
    { concurrency: 4 },
  )
})

/** Of the native currency: the contracts that wrap it. */
const pricedBy = (
  chainId: ChainId,
  token: Address | undefined,
  followed: ReadonlyArray<Chain>,
): ReadonlyArray<Address> =>
  token === undefined ? nativePricedBy(followed.find((it) => it.chainId === chainId)) : [token]
