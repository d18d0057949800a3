/** A price source over HTTP in the shape of the DefiLlama coins API: `/prices/current/…` and `/prices/historical/…`. */
import { Array as Arr, Clock, Effect, identity, Semaphore } from "effect"
import type { Quote, Usd } from "../../model/price.ts"
import type { Address } from "../../model/primitives.ts"
import { type Backoff, backoffMs } from "../../model/time/backoff.ts"
import { makeBatchCache } from "../../model/time/batchCache.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { type PriceQuestion, type PriceSourceShape, pastSeconds } from "../../ports/PriceSource.ts"
import { type DocumentUnavailable, WebDocuments } from "../../ports/WebDocuments.ts"
import { readCoins } from "./coins.ts"
import { slugs } from "./slugs.ts"

export interface CoinsApiSettings {
  /** Where `/prices` is; may hold a key. */
  readonly url: string
  /** Of one exchange, milliseconds. Default 10,000. */
  readonly timeoutMs?: number
  /** Between two exchanges, milliseconds. Default 250. */
  readonly restMs?: number
}

const coinsAtOnce = 50
const maxBytes = 1_000_000
/** That a price of now, and the answer that there is none, are good for. */
const goodForMs = 300_000
/** Of now. */
const mostKept = 20_000
/** A time of that age is past. */
const pastAfterSeconds = 3600
/** After a failure nothing is asked for so long. */
const pause: Backoff = { firstMs: 30_000, capMs: 600_000 }

/** Of one coin; undefined = the source knows none. */
type CoinPrice = Usd | "silent" | undefined

/** A question that fails leaves its tokens `silent`. */
export const makeCoinsApi = Effect.fn("makeCoinsApi")(function* ({
  url,
  timeoutMs = 10_000,
  restMs = 250,
}: CoinsApiSettings) {
  const documents = yield* WebDocuments
  const oneAtATime = yield* Semaphore.make(1)
  const current = makeBatchCache<string, CoinPrice>({
    capacity: mostKept,
    lifetimeMs: (price) => (price === "silent" ? 0 : goodForMs),
  })
  let failures = 0
  let silentUntil = Number.NEGATIVE_INFINITY

  const ask = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, at: number, isPast: boolean) {
    const now = yield* steadyMillis
    if (now < silentUntil) return undefined
    const request = { url: requestUrl(url, keys, isPast ? at : undefined), maxBytes, timeoutMs }
    const prices = yield* documents.get(request).pipe(
      Effect.map((answer) => (answer === "unchanged" ? undefined : readCoins(answer.text, keys, at))),
      Effect.catch(({ message }: DocumentUnavailable) =>
        Effect.logDebug(`prices: ${message}`).pipe(Effect.as(undefined)),
      ),
    )
    if (prices === undefined) {
      const pauseMs = backoffMs(pause, failures++)
      silentUntil = (yield* steadyMillis) + pauseMs
      yield* Effect.logWarning(`prices over HTTP: no usable answer, asking again in ${pauseMs / 1000} s`)
      return undefined
    }
    failures = 0
    yield* Effect.sleep(restMs)
    return prices
  })

  const askAll = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, at: number, isPast: boolean) {
    const prices: Array<CoinPrice> = []
    for (const batch of Arr.chunksOf(keys, coinsAtOnce)) {
      const found = yield* ask(batch, at, isPast)
      for (const key of batch) prices.push(found === undefined ? "silent" : found.get(key))
    }
    return prices
  })

  const find = Effect.fnUntraced(function* ({ chainId, tokens, at, now, newest }: PriceQuestion) {
    const quotes = new Map<Address, Quote>()
    const silent = new Set<Address>()
    const slug = slugs.get(chainId)
    if (slug === undefined || now - at > pastSeconds) return { quotes, silent }
    const asked = [...new Set(tokens)]
    const keys = asked.map((token) => `${slug}:${token}`)
    // The source's own now is neither the chain's where that stands still, nor this machine's where its clock is off.
    const clock = (yield* Clock.currentTimeMillis) / 1000
    const isNow = [now, clock].every((time) => Math.abs(time - at) <= pastAfterSeconds)
    // A price that is kept for its hour must be of that time; one of now may be a little older.
    const isPast = !newest || !isNow
    const prices = isPast
      ? yield* askAll(keys, at, true)
      : yield* current.recall(keys, identity, (missing) => askAll(missing, at, false))
    for (const [place, token] of asked.entries()) {
      const price = prices[place]
      if (price === "silent") silent.add(token)
      else if (price !== undefined) quotes.set(token, { price })
    }
    return { quotes, silent }
  })

  return { find: (question) => oneAtATime.withPermit(find(question)) } satisfies PriceSourceShape
})

/** `at`: seconds; absent = now. A query of the URL stays behind the path. */
const requestUrl = (base: string, keys: ReadonlyArray<string>, at: number | undefined): string => {
  const place = new URL(base)
  const coins = keys.join(",")
  const path = at === undefined ? `current/${coins}` : `historical/${at}/${coins}`
  place.pathname = `${place.pathname.replace(/\/+$/u, "")}/prices/${path}`
  place.searchParams.set("searchWidth", "1h")
  return place.href
}
