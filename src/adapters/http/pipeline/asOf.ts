/** The as-of points of an answer that has no rows to tell them. Never fails an answer. */
import { Cache, Duration, Effect } from "effect"
import { selectChains } from "../../../domain/reads/chains.ts"
import type { AsOf } from "../../../model/block.ts"
import { type ChainId, chainIdOf } from "../../../model/primitives.ts"
import { onSteadyClock } from "../../../model/time/steadyClock.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { chainPath, isBelow, pathParameters } from "../contract/path.ts"

/** How long an answer waits for them; for how long they count for refusals, of so many sets of chains. */
const readTimeout = Duration.seconds(2)
const rememberedFor = Duration.seconds(1)
const mostRemembered = 10_000

/** The configured chains that a request names (`all` names every chain of its network); none where it is about no chain. */
export const namedChains = Effect.fnUntraced(function* (endpoint: Endpoint | undefined, path: string) {
  // Where nothing is at a path, what it is below says what it was to be about.
  const isAboutChains = endpoint === undefined ? isBelow(chainPath, path) : endpoint.about.kind !== "service"
  if (!isAboutChains) return []
  const named = pathParameters(chainPath, path)
  const chains = selectChains(named.get("networkId") ?? "", named.get("chainId") ?? "", {})
  return yield* Effect.orElseSucceed(chains, () => [])
})

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
    Effect.fnUntraced(function* (endpoint: Endpoint | undefined, path: string) {
      const chains = yield* namedChains(endpoint, path)
      return chains.length === 0 ? none : yield* found(chains)
    })
  return {
    read: of(readAsOf),
    recent: of((chains) => onSteadyClock(Cache.get(kept, chains.join(",")))),
  }
}
