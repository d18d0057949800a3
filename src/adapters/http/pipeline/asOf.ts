/** The as-of points of an answer that has no rows to tell them. Never fails an answer. */
import { Cache, Duration, Effect } from "effect"
import type { AsOf } from "../../../model/block.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { onSteadyClock } from "../../../model/time/steadyClock.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import { Networks } from "../../../ports/Networks.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { namedChains } from "./namedChains.ts"
import type { Incoming } from "./requestResponse.ts"

/** How long an answer waits for them; for how long they count for refusals, of so many chains. */
const readTimeout = Duration.seconds(2)
const rememberedFor = Duration.seconds(1)
const mostRemembered = 10_000

const readAsOf = Effect.fnUntraced(
  function* (chains: ReadonlyArray<ChainId>) {
    return yield* (yield* Freshness).asOf(chains)
  },
  Effect.timeout(readTimeout),
  Effect.catchCause(() => Effect.succeed<ReadonlyArray<AsOf>>([])),
)

/**
 * `read` asks the store; `recent` at most once a second each chain by itself and all of them together, for refusals that must
 * cost nothing: which of several are named is the caller's choice, and there is no end of choices.
 */
export const makeAsOfReader = () => {
  const kept = Effect.runSync(
    Cache.make({
      capacity: mostRemembered,
      timeToLive: rememberedFor,
      requireServicesAt: "lookup",
      lookup: Effect.fnUntraced(function* (which: ChainId | "all") {
        const points = yield* readAsOf(
          which === "all" ? (yield* Networks).chains.map(({ chainId }) => chainId) : [which],
        )
        return new Map(points.map((point) => [point.chainId, point]))
      }),
    }),
  )
  const recent = Effect.fnUntraced(function* (chains: ReadonlyArray<ChainId>) {
    const [first, second] = chains
    const points = yield* Cache.get(kept, first !== undefined && second === undefined ? first : "all")
    return chains.flatMap((chainId) => points.get(chainId) ?? [])
  }, onSteadyClock)
  const none: ReadonlyArray<AsOf> = []
  const of = (
    found: (chains: ReadonlyArray<ChainId>) => Effect.Effect<ReadonlyArray<AsOf>, never, Freshness | Networks>,
  ) =>
    Effect.fnUntraced(function* (endpoint: Endpoint | undefined, request: Pick<Incoming, "path" | "query">) {
      const chains = namedChains(endpoint, request, yield* Networks)
      return chains.length === 0 ? none : yield* found(chains)
    })
  return {
    read: of(readAsOf),
    recent: of(recent),
  }
}
