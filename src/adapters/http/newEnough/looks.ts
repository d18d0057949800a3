/** Looks at where ledgers stand, of all who wait for newer ones: these go over the few connections that `/ready` needs too. */
import { Effect, Semaphore } from "effect"
import type { AsOf } from "../../../model/block.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { makeShared } from "../../../model/time/shared.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import { ReadServers } from "../../../ports/ReadServers.ts"

export interface Look {
  /** undefined = it has no block, or nobody can tell. */
  readonly point: AsOf | undefined
  /** Steady milliseconds: whoever came later may have to look once more. */
  readonly beganAt: number
}

/** At least so many milliseconds lie between the beginnings of two looks at a chain. */
const pauseMs = 40

/** Of one server at a time one chain is looked at. The first who asks for a chain looks for all who ask before it is told. */
const makeLooks = (freshness: Freshness["Service"]) => {
  const shared = makeShared<never>()
  const turns = new Map<number | undefined, Semaphore.Semaphore>()
  const lookedAt = new Map<string, number>()
  return (server: number | undefined, chainId: ChainId): Effect.Effect<Look> => {
    const name = `${server} ${chainId}`
    const turn = turns.get(server) ?? Semaphore.makeUnsafe(1)
    turns.set(server, turn)
    const look = Effect.gen(function* () {
      const beganAt = yield* steadyMillis
      lookedAt.set(name, beganAt)
      return { point: yield* Effect.orElseSucceed(freshness.newest(chainId), () => undefined), beganAt }
    })
    const paused = Effect.gen(function* () {
      const since = (yield* steadyMillis) - (lookedAt.get(name) ?? Number.NEGATIVE_INFINITY)
      if (since < pauseMs) yield* Effect.sleep(pauseMs - since)
      return yield* turn.withPermits(1)(look)
    })
    return shared(name, paused)
  }
}

/** A process has one store, and tests have several. */
const ofStores = new WeakMap<Freshness["Service"], ReturnType<typeof makeLooks>>()

/** Where a chain's ledger stands on the server that is chosen for whoever asks. Who leaves leaves the look to the others. */
export const lookAt = Effect.fnUntraced(function* (chainId: ChainId) {
  const freshness = yield* Freshness
  const look = ofStores.get(freshness) ?? makeLooks(freshness)
  ofStores.set(freshness, look)
  return yield* look(yield* (yield* ReadServers).chosen, chainId)
})
