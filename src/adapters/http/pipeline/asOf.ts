/** The as-of points of an answer that has no rows to tell them. Never fails an answer. */
import { Duration, Effect } from "effect"
import { selectChains } from "../../../domain/reads/chains.ts"
import type { AsOf } from "../../../model/block.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import { chainPath, pathParameters } from "../contract/endpoint.ts"

const aboutChains = /^\/v2\/network\/[^/]+\/evm\/[^/]+(?:\/|$)/
const patience = Duration.seconds(2)
/** Milliseconds. */
const recentAge = 1000

/** The configured chains that a path names (`all` names every chain of its network), none for any other path. */
const namedChains = Effect.fnUntraced(function* (path: string) {
  if (!aboutChains.test(path)) return []
  const named = pathParameters(chainPath, path)
  const chains = selectChains(named.get("networkId") ?? "", named.get("chainId") ?? "", {})
  return yield* Effect.orElseSucceed(chains, () => [])
})

const readAsOf = Effect.fnUntraced(
  function* (path: string) {
    const chains = yield* namedChains(path)
    if (chains.length === 0) return []
    return yield* (yield* Freshness).asOf(chains)
  },
  Effect.timeout(patience),
  Effect.catchCause(() => Effect.succeed<ReadonlyArray<AsOf>>([])),
)

/** `read` asks the store; `recent` at most once a second, for refusals that must cost nothing. */
export const makeAsOfReader = () => {
  const kept = new Map<string, { readonly at: number; readonly asOf: ReadonlyArray<AsOf> }>()
  const recent = Effect.fnUntraced(function* (path: string) {
    const key = (yield* namedChains(path)).join(",")
    const found = kept.get(key)
    if (found !== undefined && performance.now() - found.at < recentAge) return found.asOf
    const asOf = yield* readAsOf(path)
    kept.set(key, { at: performance.now(), asOf })
    return asOf
  })
  return { read: readAsOf, recent }
}
