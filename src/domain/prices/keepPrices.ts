/** Keeps the prices of a chain: of tokens now, and of each hour as its blocks become final. */
import { Effect, type Semaphore } from "effect"
import { isDollar } from "../../model/price.ts"
import type { Address } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { type PriceQuestion, PriceSource } from "../../ports/PriceSource.ts"
import { SwapHistory } from "../../ports/SwapHistory.ts"
import { type PricedToken, TokenPrices } from "../../ports/TokenPrices.ts"
import type { HourWait } from "./hourWait.ts"
import { keepHours } from "./keepHours.ts"
import { batchSize, chainTime, type PriceKeeping } from "./keeping.ts"
import { marketCapOf } from "./worth.ts"

/** Priced tokens without new swaps that each look asks about again, one part of them after the other. */
const partSize = 200
/** Tokens without swaps that are asked about, and at how many looks once. */
const knownTokens = 1000
const looksPerKnown = 10
/** A source that is silent for longer takes its prices with it, unless it says itself how long to wait. */
const longestSilenceMs = 3_600_000
/** Between two looks at whether the node has announced a block. */
const untoldMs = 1000

/** What one look at the ledger leaves for the next. */
export interface Memory {
  looks: number
  head: number | undefined
  /** Tokens that the look before asked about because they had swaps: a rollback may have taken those back. */
  swapped: ReadonlyArray<Address>
  /** The last of the part of priced tokens that was asked about. */
  after: Address | undefined
  silentSince: number | undefined
}

export const newMemory = (): Memory => ({
  looks: 0,
  head: undefined,
  swapped: [],
  after: undefined,
  silentSince: undefined,
})

/** Never ends and never fails. `permits`: of the chains that may be at work at once. */
export const keepPrices = Effect.fn("keepPrices")(function* (chain: PriceKeeping, permits: Semaphore.Semaphore) {
  const memory = newMemory()
  const wait: HourWait = {}
  while (true) {
    const more = yield* lookAtPrices(chain, memory).pipe(
      Effect.andThen(keepHours(chain, wait)),
      permits.withPermit,
      // A bug must not end prices in silence either.
      Effect.catchDefect(Effect.fail),
      Effect.catch((cause) =>
        Effect.logWarning(`chain ${chain.chainId}: prices could not be kept, trying again`, cause).pipe(
          Effect.as("failed" as const),
        ),
      ),
    )
    if (more === true) continue
    yield* Effect.sleep(more === "failed" || chain.nodeTime() !== undefined ? chain.intervalMs : untoldMs)
  }
})

/** Brings the prices of now up to date, where the ledger or the sources may say something new. */
export const lookAtPrices = Effect.fnUntraced(function* (chain: PriceKeeping, memory: Memory) {
  const { chainId, stablecoins, wrappedNative } = chain
  const store = yield* TokenPrices
  const times = yield* store.times(chainId)
  const time = times && chainTime(chain, times)
  if (times === undefined || time === undefined) return
  const { head } = times
  const now = yield* steadyMillis
  const anchors = [...stablecoins, ...wrappedNative]
  // All since the look before, and of the last hour; never more than a day.
  const after = Math.max(head - 86_400, Math.min(head - 3600, memory.head ?? 0))
  const swapped = yield* (yield* SwapHistory).listSwapped(chainId, anchors, after, head)
  const part = yield* store.listPriced(chainId, partSize, memory.after)
  const known = chain.known && memory.looks % looksPerKnown === 0 ? yield* store.listKnown(chainId, knownTokens) : []
  const tokens = [...new Set([...anchors, ...swapped, ...memory.swapped, ...part, ...known])]
  let silent = false
  const pegged = new Set<Address>()
  const unknown = new Set<Address>()
  for (let start = 0; start < tokens.length; start += batchSize) {
    const isOver = memory.silentSince !== undefined && now - memory.silentSince > longestSilenceMs
    const batch = tokens.slice(start, start + batchSize)
    const asked = { chainId, birth: chain.birth(), tokens: batch, at: head, now: time, newest: true }
    const { quotes, ...heard } = yield* priceBatch(chain, asked, isOver)
    for (const [token, { price }] of quotes) if (stablecoins.includes(token) && isDollar(price)) pegged.add(token)
    for (const token of heard.silent) unknown.add(token)
    silent ||= [...heard.silent].some((token) => !heard.waits.has(token))
  }
  // Where no hour speaks: what is off its dollar now may have been one at the time, and has no price rather than a wrong one.
  if (chain.measures && !stablecoins.some((token) => unknown.has(token)))
    yield* store.recordPegs(chainId, stablecoins, [...pegged])
  memory.silentSince = silent ? (memory.silentSince ?? now) : undefined
  memory.after = part.length < partSize ? undefined : part.at(-1)
  memory.swapped = swapped
  memory.head = head
  memory.looks++
})

/** `silent`: about some the sources could not be asked. Those keep what they have, until that `isOver`. */
const priceBatch = Effect.fnUntraced(function* (
  { wholeSupplies }: PriceKeeping,
  question: PriceQuestion,
  isOver: boolean,
) {
  const source = yield* PriceSource
  const store = yield* TokenPrices
  const { chainId, tokens } = question
  const { quotes, silent, waits = new Set<Address>() } = yield* source.find(question)
  const described = yield* store.describe(chainId, tokens)
  const priced = described.flatMap(({ address, decimals, supply }): ReadonlyArray<PricedToken> => {
    const quote = quotes.get(address)
    if (quote === undefined) return silent.has(address) && (waits.has(address) || !isOver) ? [] : [{ address }]
    const marketCap = decimals === undefined || !wholeSupplies ? undefined : marketCapOf(quote, supply, decimals)
    return [{ address, price: quote.price, ...(marketCap === undefined ? {} : { marketCap }) }]
  })
  yield* store.record(chainId, priced)
  return { quotes, silent, waits }
})
