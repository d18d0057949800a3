/** How deep pools are: asked of the node while prices are made, and remembered for a while. */
import { Clock, Effect } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { type FoundDepth, PoolDepths } from "../../ports/PoolDepths.ts"
import type { NearDepth } from "../model/price.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import { steadyMillis } from "../steadyClock.ts"

/** What a price is of: a time, and the newest block that its swaps are in. */
export interface Moment {
  /** Seconds. */
  readonly at: number
  readonly blockNumber: number
  /** `at` is where the ledger stands. */
  readonly newest: boolean
}

/** Of the pools of which it can be told. */
export type DepthsOf = (
  chainId: ChainId,
  pools: ReadonlyArray<Address>,
  moment: Moment,
) => Effect.Effect<ReadonlyMap<Address, NearDepth>, SourceUnavailable>

/** The newest state is asked again after so long; milliseconds, here and below. */
export const freshMs = 300_000
/** An answer before the newest counts beside it for so long. */
const memoryMs = 3_600_000
/** Where the node does not keep a state of the last day, its newest stands for it. */
const dayMs = 86_400_000
/** A node that has failed is left alone for so long. */
export const restMs = 60_000
/** Answers remembered: some 500 bytes each. */
const mostKnown = 20_000

interface Told {
  /** Milliseconds. */
  readonly time: number
  /** Undefined = nothing that can be. */
  readonly depth: FoundDepth | undefined
  readonly before?: Omit<Told, "before">
}

export const makeDepths = Effect.gen(function* () {
  const port = yield* PoolDepths
  const known = new Map<string, Told>()
  const resting = new Map<ChainId, number>()

  /** `block` absent = the newest state. */
  const recall = Effect.fnUntraced(function* (
    chainId: ChainId,
    pools: ReadonlyArray<Address>,
    now: number,
    block?: number,
  ) {
    const keyOf = (pool: Address) => `${chainId} ${pool} ${block ?? "newest"}`
    // Held apart: what is known may be cleared while we wait.
    const found = new Map<Address, Told>()
    for (const pool of pools) {
      const told = known.get(keyOf(pool))
      if (told !== undefined && (block !== undefined || now - told.time < freshMs)) found.set(pool, told)
    }
    const open = pools.filter((pool) => !found.has(pool))
    const depths = open.length === 0 ? [] : yield* port.read(chainId, open, block)
    for (const [place, pool] of open.entries()) {
      const { before: _, ...before } = known.get(keyOf(pool)) ?? { time: Number.NEGATIVE_INFINITY, depth: undefined }
      const told = { time: now, depth: depths[place], before }
      found.set(pool, told)
      known.delete(keyOf(pool))
      known.set(keyOf(pool), told)
    }
    // The oldest answers go first.
    for (const key of known.keys()) {
      if (known.size <= mostKnown) break
      known.delete(key)
    }
    return found
  })

  const of: DepthsOf = Effect.fnUntraced(function* (chainId, pools, { at, blockNumber, newest }) {
    const now = yield* steadyMillis
    if (now < (resting.get(chainId) ?? 0)) {
      return yield* new SourceUnavailable({ message: "its nodes have failed and are left alone for a while" })
    }
    const isRecent = (yield* Clock.currentTimeMillis) - at * 1000 <= dayMs
    const ask = Effect.gen(function* () {
      if (newest && isRecent) return yield* recall(chainId, pools, now)
      const told = yield* recall(chainId, pools, now, blockNumber)
      const gone = pools.filter((pool) => told.get(pool)!.depth === "gone")
      return gone.length > 0 && isRecent ? new Map([...told, ...(yield* recall(chainId, gone, now))]) : told
    })
    const told = yield* Effect.tapError(ask, () =>
      Effect.map(steadyMillis, (failed) => resting.set(chainId, failed + restMs)),
    )
    return new Map(
      [...told].flatMap(([pool, { depth, time, before }]): ReadonlyArray<readonly [Address, NearDepth]> => {
        if (depth === undefined || depth === "gone") return []
        return [[pool, before !== undefined && time - before.time <= memoryMs ? lesser(depth, before.depth) : depth]]
      }),
    )
  })
  return of
})

/** Token by token. What could not be told the other time says nothing. */
const lesser = (depth: NearDepth, other: FoundDepth | undefined): NearDepth => {
  if (typeof depth === "string" || typeof other !== "object") return depth
  return new Map([...depth].map(([token, reserve]) => [token, least(reserve, other.get(token) ?? reserve)]))
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
