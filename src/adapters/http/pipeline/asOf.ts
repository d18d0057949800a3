/** The as-of points of an answer that has no rows to tell them. Never fails an answer. */
import { Cache, Duration, Effect } from "effect"
import type { AsOf } from "../../../model/block.ts"
import { type ChainId, chainIdOf } from "../../../model/primitives.ts"
import { onSteadyClock } from "../../../model/time/steadyClock.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import { Networks } from "../../../ports/Networks.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { namedChains } from "./namedChains.ts"
import type { Incoming } from "./requestResponse.ts"

/** How long an answer waits for them; for how long they count for refusals, of so many sets of chains. */
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

/** `read` asks the store; `recent` at most once a second, for refusals that must cost nothing. */
export const makeAsOfReader = () => {
  const kept = Effect.runSync(
    Cache.make({
      capacity: mostRemembered,
      timeToLive: rememberedFor,
      requireServicesAt: "lookup",
      lookup: (chains: string) => readAsOf(chains.split(",").flatMap((id) => chainIdOf(id) ?? [])),
    }),
  )
  const none: ReadonlyArray<AsOf> = []
  const of = (found: (chains: ReadonlyArray<ChainId>) => Effect.Effect<ReadonlyArray<AsOf>, never, Freshness>) =>
    Effect.fnUntraced(function* (endpoint: Endpoint | undefined, request: Pick<Incoming, "path" | "query">) {
      const chains = namedChains(endpoint, request, yield* Networks)
      return chains.length === 0 ? none : yield* found(chains)
    })
  return {
    read: of(readAsOf),
    recent: of((chains) => onSteadyClock(Cache.get(kept, chains.join(",")))),
  }
}
