/** The Upstream port over fetch: so many questions a second and at once, each bounded in time and size; no redirect is followed. */
import { Effect, Layer, Semaphore } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { makeBudget } from "../../model/time/budget.ts"
import { makeRareLines } from "../../model/time/rareLines.ts"
import { Upstream, type UpstreamQuestion, UpstreamUnavailable } from "../../ports/Upstream.ts"
import { readBounded } from "./body.ts"
import { inTime } from "./inTime.ts"
import { placeOf } from "./place.ts"
import { Refusal } from "./refusal.ts"
import { checkedAnswer, limited } from "./upstreamAnswer.ts"
import { secretsOf } from "./upstreamSecrets.ts"

export interface UpstreamPlace {
  /** Up to the question mark; http: or https:. */
  readonly url: string
  readonly key?: string
}

export interface UpstreamPlaces {
  /** A chain without one is absent. */
  readonly ofChain: ReadonlyMap<ChainId, UpstreamPlace>
  /** The one for all others. It is asked of chains that other processes follow too. */
  readonly others?: UpstreamPlace
}

export interface UpstreamBounds {
  readonly callsPerSecond: number
  /** Questions on the wire at once. Default 4. */
  readonly concurrency?: number
  /** Of one question, its wait included. Default 10,000. */
  readonly timeoutMs?: number
  /** Of one answer, unpacked. Default 32 MB: 10,000 transactions. */
  readonly maxBytes?: number
}

/** Chains with the same URL and key share one budget. */
export const layer = ({ ofChain, others }: UpstreamPlaces, bounds: UpstreamBounds) =>
  Layer.sync(Upstream, () => {
    const clients = new Map<string, ReturnType<typeof clientOf>>()
    const clientOfPlace = (place: UpstreamPlace) => {
      const name = JSON.stringify([place.url, place.key])
      const client = clients.get(name) ?? clientOf(place, bounds)
      clients.set(name, client)
      return client
    }
    const byChain = new Map([...ofChain].map(([chainId, place]) => [chainId, clientOfPlace(place)]))
    const ofOthers = others && clientOfPlace(others)
    const clientFor = (chainId: ChainId) => byChain.get(chainId) ?? ofOthers
    return Upstream.of({
      serves: (chainId) => clientFor(chainId) !== undefined,
      ask: (chainId, question) =>
        clientFor(chainId)?.(chainId, question) ?? new UpstreamUnavailable({ message: "none is configured" }),
    })
  })

const clientOf = (
  { url, key }: UpstreamPlace,
  { callsPerSecond, concurrency = 4, timeoutMs = 10_000, maxBytes = 32 * 1024 * 1024 }: UpstreamBounds,
) => {
  const place = placeOf(url)
  if (place === undefined) throw new Error("an upstream's URL must be http:// or https:// (it is not shown)")
  const secrets = secretsOf(url, key)
  const permits = Semaphore.makeUnsafe(concurrency)
  const budget = makeBudget(callsPerSecond)
  const rarely = makeRareLines({ quietMs: 60_000, longestQuietMs: 600_000 })
  const headers = { accept: "application/json", ...place.headers }

  const exchange = (target: string, interrupted: AbortSignal): Promise<string> =>
    inTime(timeoutMs, interrupted, async ({ signal, race }) => {
      const response = await race(fetch(target, { headers, redirect: "manual", signal }))
      if (response.status !== 200) {
        response.body?.cancel().catch(() => {})
        throw response.status === 429 ? limited() : new Refusal(`it answers with HTTP ${response.status}`)
      }
      return checkedAnswer(await race(readBounded(response, maxBytes)), secrets)
    })

  return Effect.fn("FetchUpstream.ask")(function* (chainId: ChainId, question: UpstreamQuestion) {
    const target = `${place.url}?${queryOf(chainId, question, key)}`
    const asked = budget
      .spend(1)
      .pipe(
        Effect.andThen(Effect.tryPromise({ try: (interrupted) => exchange(target, interrupted), catch: failureOf })),
        permits.withPermit,
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(tooLate(timeoutMs)) }),
      )
    return yield* Effect.tapError(asked, ({ message }) =>
      rarely(message, (more) => Effect.logWarning(`upstream ${place.label}: ${message}${more}`)),
    )
  })
}

const queryOf = (
  chainId: ChainId,
  { module, action, parameters }: UpstreamQuestion,
  key: string | undefined,
): string => {
  const query = new URLSearchParams({ chainid: chainId, module, action })
  for (const [name, value] of parameters) query.append(name, value)
  if (key !== undefined) query.set("apikey", key)
  return query.toString()
}

const tooLate = (timeoutMs: number) =>
  new UpstreamUnavailable({ message: `it gives no whole answer within ${timeoutMs / 1000} s` })

/** What is no `Refusal` may repeat the URL. */
const failureOf = (cause: unknown): UpstreamUnavailable => {
  if (cause instanceof UpstreamUnavailable) return cause
  return new UpstreamUnavailable({ message: cause instanceof Refusal ? cause.message : "it cannot be reached" })
}
