/** Which chain a chain's nodes say they are of, before anything else is asked. */
import { Deferred, Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { chainIdCall } from "./answers.ts"
import type { ChainClients } from "./RpcClients.ts"

/** Without a right answer this is given up, in milliseconds; whoever asks says what is wrong and asks again. */
const longestMs = 15_000

/**
 * The chain's id, from the first node that says it; another id where any node of another chain says so in time: none may
 * step in with that chain's blocks. In time is `graceMs` after the first right answer. Nodes that were silent are asked which chain they are of before anything else.
 */
export const readChainId = Effect.fnUntraced(function* (
  { client, each, chain: { chainId } }: ChainClients,
  graceMs = 2000,
) {
  if (each.length === 0) return (yield* client.batch([chainIdCall]))[0]!
  const found = new Map<number, ChainId>()
  const failures: Array<SourceUnavailable> = []
  const oneIsRight = yield* Deferred.make<void>()
  const ask = (place: number) =>
    Effect.matchEffect(each[place]!.batch([chainIdCall]), {
      onSuccess: ([id]) => {
        found.set(place, id!)
        return id === chainId ? Deferred.succeed(oneIsRight, undefined) : Effect.void
      },
      onFailure: (failure) => Effect.sync(() => failures.push(failure)),
    })
  yield* Effect.raceFirst(
    Effect.forEach([...each.keys()], ask, { concurrency: "unbounded", discard: true }),
    Effect.andThen(Deferred.await(oneIsRight), Effect.sleep(graceMs)),
  ).pipe(Effect.timeoutOption(longestMs))

  const wrong = [...found].filter(([, id]) => id !== chainId)
  for (const [place, id] of wrong) {
    yield* Effect.logError(`chain ${chainId}: ${each[place]!.label} is a node of chain ${id}, not ${chainId}`)
  }
  if (wrong.length > 0) return wrong[0]![1]
  if (found.size === 0) {
    return yield* failures[0] ??
      new SourceUnavailable({
        message: `eth_chainId: none of the ${each.length} nodes says within ${longestMs / 1000} s which chain it is of`,
      })
  }
  // Whoever was silent is not the first to be asked.
  for (let tries = 0; tries < each.length && !found.has(client.current()); tries++) yield* client.failover
  return chainId
})
