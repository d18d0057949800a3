/** A price source over HTTP in the shape of the DefiLlama coins API: `/prices/current/…` and `/prices/historical/…`. */
import { Clock, Effect, Semaphore } from "effect"
import type { Quote, Usd } from "../../model/price.ts"
import type { Address } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/steadyClock.ts"
import type { PriceQuestion, PriceSourceShape } from "../../ports/PriceSource.ts"
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

/** Coins of one exchange. */
const coinsAtOnce = 50
const maxBytes = 1_000_000
/** Milliseconds that a price of now, and the word that there is none, are good for. */
const goodFor = 300_000
/** Answers kept. */
const most = 20_000
/** Seconds of age from which a time is past; days back from which nothing is asked any more. */
const pastAfter = 3600
const oldest = 7 * 86_400
/** After a failure nothing is asked for so long, twice as long after each further one. */
const [shortestPause, longestPause] = [30_000, 600_000]

/** Times are held against the clock of this machine. A question that fails leaves its tokens `silent`. */
export const makeCoinsApi = Effect.fn("makeCoinsApi")(function* ({
  url,
  timeoutMs = 10_000,
  restMs = 250,
}: CoinsApiSettings) {
  const documents = yield* WebDocuments
  const turns = yield* Semaphore.make(1)
  /** By coin: of now alone. */
  const kept = new Map<string, { readonly until: number; readonly price: Usd | undefined }>()
  let failures = 0
  let silentUntil = Number.NEGATIVE_INFINITY

  const ask = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, at: number, isPast: boolean) {
    const now = yield* steadyMillis
    if (now < silentUntil) return undefined
    const request = { url: placeOf(url, keys, isPast ? at : undefined), maxBytes, timeoutMs }
    const prices = yield* documents.get(request).pipe(
      Effect.map((answer) => (answer === "unchanged" ? undefined : readCoins(answer.text, keys, at))),
      Effect.catch(({ message }: DocumentUnavailable) =>
        Effect.logDebug(`prices: ${message}`).pipe(Effect.as(undefined)),
      ),
    )
    if (prices === undefined) {
      const pause = Math.min(shortestPause * 2 ** failures++, longestPause)
      silentUntil = (yield* steadyMillis) + pause
      yield* Effect.logWarning(`prices over HTTP: no usable answer, asking again in ${pause / 1000} s`)
      return undefined
    }
    failures = 0
    yield* Effect.sleep(restMs)
    return prices
  })

  const find = Effect.fnUntraced(function* ({ chainId, tokens, at, newest }: PriceQuestion) {
    const quotes = new Map<Address, Quote>()
    const silent = new Set<Address>()
    const slug = slugs.get(chainId)
    const now = yield* Clock.currentTimeMillis
    const steady = yield* steadyMillis
    const age = now / 1000 - at
    if (slug === undefined || age > oldest) return { quotes, silent }
    // A price that is kept for its hour must be of that time; one of now may be a little older.
    const isPast = !newest || age > pastAfter
    const asked: Array<Address> = []
    const keyOf = (token: Address) => `${slug}:${token}`
    const take = (token: Address, price: Usd | undefined) => {
      if (price !== undefined) quotes.set(token, { price })
    }
    for (const token of new Set(tokens)) {
      const known = isPast ? undefined : kept.get(keyOf(token))
      if (known !== undefined && known.until > steady) take(token, known.price)
      else asked.push(token)
    }
    for (let start = 0; start < asked.length; start += coinsAtOnce) {
      const batch = asked.slice(start, start + coinsAtOnce)
      const prices = yield* ask(batch.map(keyOf), isPast ? at : Math.floor(now / 1000), isPast)
      for (const token of batch) {
        if (prices === undefined) silent.add(token)
        else take(token, prices.get(keyOf(token)))
        if (prices === undefined || isPast) continue
        if (kept.size >= most) kept.clear()
        kept.set(keyOf(token), { until: steady + goodFor, price: prices.get(keyOf(token)) })
      }
    }
    return { quotes, silent }
  })

  return { find: (question) => turns.withPermits(1)(find(question)) } satisfies PriceSourceShape
})

/** `at`: seconds; absent = now. A query of the URL stays behind the path. */
const placeOf = (base: string, keys: ReadonlyArray<string>, at: number | undefined): string => {
  const place = new URL(base)
  const coins = keys.join(",")
  const path = at === undefined ? `current/${coins}` : `historical/${at}/${coins}`
  place.pathname = `${place.pathname.replace(/\/+$/u, "")}/prices/${path}`
  place.searchParams.set("searchWidth", "1h")
  return place.href
}
