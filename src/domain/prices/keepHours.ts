/** Price points: what tokens cost at the beginning of each hour, for the transfers of that hour and the day after. */
import { Effect } from "effect"
import type { Usd } from "../../model/price.ts"
import type { Address } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { PriceSource } from "../../ports/PriceSource.ts"
import { SwapHistory } from "../../ports/SwapHistory.ts"
import { TokenPrices } from "../../ports/TokenPrices.ts"
import { batchSize, type PriceKeeping } from "./keeping.ts"

/** Hours in one go, then prices of now come first again. */
const hoursAtOnce = 24
/** Of tokens without swaps so many are asked about. */
const knownTokens = 200

/**
 * Prices the next hours there are; true = there are more. An hour is priced once the blocks before it are final: no
 * rollback reaches a point, and none has to be taken back. One that a source wants to be asked about later waits for that.
 */
export const keepHours = Effect.fnUntraced(function* (chain: PriceKeeping) {
  const { chainId } = chain
  const store = yield* TokenPrices
  const settled = (yield* store.times(chainId))?.settled
  if (settled === undefined) return false
  const last = Math.floor(settled / 3600)
  for (let kept = 0; kept < hoursAtOnce; kept++) {
    const hour = yield* findHour(chain, yield* store.nextHour(chainId), last)
    if (hour > last) return false
    const began = yield* steadyMillis
    if (!(yield* keepHour(chain, hour))) return false
    // History is long: half of the time is left to others.
    yield* Effect.sleep((yield* steadyMillis) - began)
  }
  return true
})

/** The next hour that has swaps in the hour before it; of a source that knows more, the next one at all. */
const findHour = Effect.fnUntraced(function* (
  { chainId, known }: PriceKeeping,
  next: number | undefined,
  last: number,
) {
  if (known && next !== undefined) return next
  const swap = yield* (yield* SwapHistory).findNext(chainId, next === undefined ? -1 : (next - 1) * 3600)
  const ofSwap = swap === undefined ? Infinity : Math.ceil(swap / 3600)
  // Without swaps in the past nothing but the hours to come is asked for.
  return next === undefined && known ? Math.min(ofSwap, last) : ofSwap
})

/** False = it has to wait: nothing is recorded. */
const keepHour = Effect.fnUntraced(function* (chain: PriceKeeping, hour: number) {
  const { chainId, stablecoins, wrappedNative, known } = chain
  const store = yield* TokenPrices
  const source = yield* PriceSource
  const at = hour * 3600
  const anchors = [...stablecoins, ...wrappedNative]
  const swapped = yield* (yield* SwapHistory).listSwapped(chainId, anchors, at - 3600, at)
  const others = known ? yield* store.listKnown(chainId, knownTokens) : []
  // Stablecoins are a dollar at all times: they have no points of hours.
  const tokens = [...new Set([...swapped, ...others])].filter((token) => !stablecoins.includes(token))
  const prices: Array<{ readonly address: Address; readonly price: Usd }> = []
  for (let start = 0; start < tokens.length; start += batchSize) {
    const asked = tokens.slice(start, start + batchSize)
    const { quotes, waits } = yield* source.find({ chainId, tokens: asked, at, newest: false })
    if (waits !== undefined && waits.size > 0) return false
    for (const address of asked) {
      const quote = quotes.get(address)
      if (quote !== undefined) prices.push({ address, price: quote.price })
    }
  }
  yield* store.recordHour(chainId, hour, prices, hour + 1)
  return true
})
