/** States of which it is not known whether any node keeps them: how long that is waited for, by chain, whichever pools it is about. */
import { Effect } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"

/** Of a chain; milliseconds of the steady clock. */
interface Waiting {
  readonly since: number
  /** When it was last found so. */
  at: number
  /** When each was last asked, by block and pool. */
  readonly asked: Map<string, number>
  /** Waits that are over, and were said to be. */
  readonly over: Set<number>
}

/** After so long without one that was not known all begins anew. */
const forgottenAfterMs = 2 * 3_600_000
const mostAsked = 10_000

/** `restMs`: nothing is asked again before. */
export const makeUnheard = (restMs: number) => {
  const chains = new Map<ChainId, Waiting>()
  const keyOf = (pool: Address, block: number | undefined) => `${block} ${pool}`

  return {
    /** Whether it was asked in vain just now. */
    rests: (chainId: ChainId, pool: Address, block: number | undefined, now: number): boolean => {
      const asked = chains.get(chainId)?.asked.get(keyOf(pool, block))
      return asked !== undefined && now < asked + restMs
    },
    /** An answer has come of one that was asked in vain: who fails next is waited for anew. */
    heard: (chainId: ChainId, pool: Address, block: number | undefined): void => {
      if (chains.get(chainId)?.asked.has(keyOf(pool, block))) chains.delete(chainId)
    },
    /** Of pools that were asked in vain, or rest: whether they are waited for, `waitMs` from the first of the chain on. */
    isAwaited: Effect.fnUntraced(function* (
      chainId: ChainId,
      pools: ReadonlyArray<Address>,
      block: number | undefined,
      waitMs: number,
    ) {
      const now = yield* steadyMillis
      const known = chains.get(chainId)
      const isNew = known === undefined || now - known.at > forgottenAfterMs
      const waiting: Waiting = isNew ? { since: now, at: now, asked: new Map(), over: new Set() } : known
      chains.set(chainId, waiting)
      waiting.at = now
      for (const pool of pools) {
        const key = keyOf(pool, block)
        if (now < (waiting.asked.get(key) ?? Number.NEGATIVE_INFINITY) + restMs) continue
        waiting.asked.delete(key)
        waiting.asked.set(key, now)
        if (waiting.asked.size > mostAsked) waiting.asked.delete(waiting.asked.keys().next().value!)
      }
      const isOver = now - waiting.since > waitMs
      const what = `chain ${chainId}: how deep pools were at block ${block} is said by none of the nodes that answer`
      if (isNew) yield* Effect.logWarning(`${what}: prices of past hours wait for them`)
      else if (isOver && !waiting.over.has(waitMs))
        yield* Effect.logWarning(`${what}, for ${waitMs / 3_600_000} hours: prices of such hours are made without them`)
      if (isOver) waiting.over.add(waitMs)
      return !isOver
    }),
  }
}
