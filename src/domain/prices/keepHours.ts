/** Price points: what tokens cost at the beginning of each hour, for the transfers of that hour and the day after. Newest hours come first. */
import { Effect, Option } from "effect"
import { isDollar, oneDollar } from "../../model/price.ts"
import type { Address } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { type PriceAnswer, PriceSource, pastSeconds } from "../../ports/PriceSource.ts"
import { SwapHistory } from "../../ports/SwapHistory.ts"
import { SyncStatus } from "../../ports/SyncStatus.ts"
import { type HourPrice, type PriceGap, type PriceGaps, TokenPrices } from "../../ports/TokenPrices.ts"
import { endWait, type HourWait, isAwaited } from "./hourWait.ts"
import { batchSize, chainTime, type PriceKeeping } from "./keeping.ts"

/** Hours in one go, then prices of now come first again. More than so many at once are left for later, but the newest. */
const hoursAtOnce = 24
/** Of tokens without swaps so many are asked about. */
const knownTokens = 200

/**
 * Prices hours that have none yet; true = there are more. An hour is priced once the blocks up to its first second are final: no rollback
 * reaches a point, and none has to be taken back. One that a source wants to be asked about later waits for that, and for a
 * while one about which a source is silent (`wait`). Where many hours are to be priced, the newest is first, and the others
 * follow from the newest back (gaps).
 */
export const keepHours = Effect.fnUntraced(function* (chain: PriceKeeping, wait: HourWait) {
  const { chainId } = chain
  const store = yield* TokenPrices
  const times = yield* store.times(chainId)
  const now = times && chainTime(chain, times)
  if (now === undefined || times?.settled === undefined) return false
  const { settled, first } = times
  // Further blocks of the newest final one's second may come.
  const last = Math.floor((settled - 1) / 3600)
  if (last < 0) return false
  for (let kept = 0; kept < hoursAtOnce; kept++) {
    const next = yield* findHour(chain, yield* store.nextHour(chainId), { first, last })
    if (next + hoursAtOnce <= last) yield* store.leap(chainId, next, last)
    const hour = next + hoursAtOnce <= last ? last : next
    // Else nobody fills gaps: hours in them count for nobody as left.
    const gaps = chain.ofPast ? yield* store.gaps(chainId) : undefined
    if (gaps !== undefined) yield* tellProgress(chain, gaps, hour, last)
    const began = yield* steadyMillis
    const isKept = yield* hour <= last ? keepHour(chain, wait, now, hour) : keepGapHour(chain, wait, now, gaps?.newest)
    if (!isKept) return false
    // History is long: half of the time is left to others.
    yield* Effect.sleep((yield* steadyMillis) - began)
  }
  return true
})

/** How much is left, for those who ask how the chain is doing. `next`: the hour that is to be priced next, but for gaps. */
const tellProgress = Effect.fnUntraced(function* (
  { chainId }: PriceKeeping,
  { newest, hours }: PriceGaps,
  next: number,
  last: number,
) {
  const status = yield* Effect.serviceOption(SyncStatus)
  if (Option.isNone(status)) return
  const ahead = Math.max(0, last + 1 - next)
  const from = ahead > 0 ? undefined : newest?.to
  status.value.update(chainId, { prices: { hoursLeft: hours + ahead, ...(from === undefined ? {} : { from }) } })
})

/** The next hour that has swaps in the hour before it; of a source that knows more, the next one at all. */
const findHour = Effect.fnUntraced(function* (
  { chainId, known, ofPast }: PriceKeeping,
  next: number | undefined,
  { first, last }: { readonly first: number | undefined; readonly last: number },
) {
  if (known && next !== undefined) return next
  const swap = yield* (yield* SwapHistory).findNext(chainId, next === undefined ? -1 : (next - 1) * 3600)
  const ofSwap = swap === undefined ? Infinity : Math.ceil(swap / 3600)
  if (next !== undefined || !known) return ofSwap
  const begin = first === undefined || !ofPast ? last : Math.max(Math.floor(first / 3600), last - pastSeconds / 3600)
  return Math.min(ofSwap, begin, last)
})

/** The newest hour of the newest gap that has swaps in the hour before it. False = there is none, or the next has to wait. */
const keepGapHour = Effect.fnUntraced(function* (
  chain: PriceKeeping,
  wait: HourWait,
  now: number,
  gap: PriceGap | undefined,
) {
  const { chainId, known } = chain
  const store = yield* TokenPrices
  if (gap === undefined) return false
  const swap = known ? undefined : yield* (yield* SwapHistory).findLast(chainId, (gap.to - 1) * 3600)
  const ofSwap = swap === undefined ? -1 : Math.ceil(swap / 3600)
  const hour = known ? gap.to - 1 : ofSwap
  if (hour >= gap.from) return yield* keepHour(chain, wait, now, hour, gap)
  yield* store.recordGapHour(chainId, gap, gap.from, [])
  return true
})

/**
 * False = it has to wait, and nothing is recorded; or it has waited long enough for a source that is silent, and the next one
 * is left for the next look: what the source misses until it is back is no more than that.
 */
const keepHour = Effect.fnUntraced(function* (
  chain: PriceKeeping,
  wait: HourWait,
  now: number,
  hour: number,
  gap?: PriceGap,
) {
  const { chainId, stablecoins, wrappedNative, known } = chain
  const store = yield* TokenPrices
  const source = yield* PriceSource
  const at = hour * 3600
  const anchors = [...stablecoins, ...wrappedNative]
  const swapped = yield* (yield* SwapHistory).listSwapped(chainId, anchors, at - 3600, at)
  const others = known ? yield* store.listKnown(chainId, knownTokens) : []
  const tokens = [...new Set([...stablecoins, ...swapped, ...others])]
  const prices: Array<HourPrice> = []
  let isHeard = true
  for (let start = 0; start < tokens.length; start += batchSize) {
    const asked = tokens.slice(start, start + batchSize)
    const answer = yield* source.find({ chainId, birth: chain.birth(), tokens: asked, at, now, newest: false })
    if (answer.waits !== undefined && answer.waits.size > 0) return false
    if (answer.silent.size > 0) isHeard = false
    if (answer.silent.size > 0 && (yield* isAwaited(chain, wait))) return false
    for (const address of asked) {
      const said = stablecoins.includes(address) ? coinHour(address, answer) : tokenHour(address, answer)
      if (said !== undefined) prices.push(said)
    }
  }
  if (gap === undefined) yield* store.recordHour(chainId, hour, prices, hour + 1)
  else yield* store.recordGapHour(chainId, gap, hour, prices)
  // Of hours before that no source is asked: they show nothing.
  if (isHeard && now - at <= pastSeconds) endWait(wait)
  return isHeard
})

const tokenHour = (address: Address, { quotes }: PriceAnswer): HourPrice | undefined => {
  const quote = quotes.get(address)
  return quote && { address, price: quote.price }
}

/** A stablecoin is what its hours say until one says otherwise. One of which nobody spoke says nothing: silence is no dollar. */
const coinHour = (address: Address, { quotes, assumed, lost, doubted }: PriceAnswer): HourPrice | undefined => {
  if (doubted?.has(address)) return { address, yields: true }
  const isLost = lost?.has(address) === true
  const quote = assumed?.has(address) ? undefined : quotes.get(address)
  if (quote === undefined) return isLost ? { address } : undefined
  return isDollar(quote.price) && !isLost
    ? { address, price: oneDollar, stands: true }
    : { address, price: quote.price }
}
