/** How deep pools are: asked of the node while prices are made, and remembered for a while. */
import { Clock, Effect } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { type FoundDepth, PoolDepths } from "../../ports/PoolDepths.ts"
import type { NearDepth } from "../model/price.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import { steadyMillis } from "../steadyClock.ts"

/** What a price is of: a time, and blocks that its swaps are in, at one of which each pool must have been deep. */
export interface Moment {
  /** Seconds. */
  readonly at: number
  readonly blocks: ReadonlyArray<number>
  /** `at` is where the ledger stands. */
  readonly newest: boolean
}

/** The least that was found of each pool, of those of which it can be told. */
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

/** Undefined = nothing that can be. */
type Found = FoundDepth | undefined
interface Told {
  /** Milliseconds. */
  readonly time: number
  readonly depth: Found
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
    return new Map(
      [...found].map(([pool, { depth, time, before }]) => {
        // What could not be told the time before says nothing.
        const isBoth = before?.depth !== undefined && time - before.time <= memoryMs
        return [pool, isBoth ? lesser(depth, before.depth) : depth] as const
      }),
    )
  })

  const ask = Effect.fnUntraced(function* (chainId: ChainId, pools: ReadonlyArray<Address>, moment: Moment) {
    const now = yield* steadyMillis
    const isRecent = (yield* Clock.currentTimeMillis) - moment.at * 1000 <= dayMs
    if (moment.newest && isRecent) return yield* recall(chainId, pools, now)
    const found = new Map<Address, Found>()
    for (const block of new Set(moment.blocks)) {
      const told = yield* recall(chainId, pools, now, block)
      for (const [pool, depth] of told) found.set(pool, found.has(pool) ? lesser(found.get(pool), depth) : depth)
    }
    const gone = pools.filter((pool) => found.get(pool) === "gone")
    if (gone.length === 0 || !isRecent) return found
    return new Map([...found, ...(yield* recall(chainId, gone, now))])
  })

  const of: DepthsOf = Effect.fnUntraced(function* (chainId, pools, moment) {
    if ((yield* steadyMillis) < (resting.get(chainId) ?? Number.NEGATIVE_INFINITY)) {
      return yield* new SourceUnavailable({ message: "its nodes have failed and are left alone for a while" })
    }
    const found = yield* Effect.tapError(ask(chainId, pools, moment), ({ message }) =>
      Effect.gen(function* () {
        resting.set(chainId, (yield* steadyMillis) + restMs)
        yield* Effect.logWarning(`chain ${chainId}: pools cannot be asked how deep they are, prices wait: ${message}`)
      }),
    )
    const isTold = (depth: Found): depth is NearDepth => depth !== undefined && depth !== "gone"
    return new Map([...found].flatMap(([pool, depth]) => (isTold(depth) ? [[pool, depth] as const] : [])))
  })
  return of
})

/** What says least: nothing, then that it is gone, then the lesser reserves. */
const lesser = (one: Found, other: Found): Found => {
  if (one === undefined || other === undefined) return undefined
  if (typeof one === "string") return other === "gone" ? other : one
  if (typeof other === "string") return other === "gone" ? other : one
  return new Map([...one].map(([token, reserve]) => [token, least(reserve, other.get(token) ?? 0n)]))
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
