/** How deep pools are: asked of the node while prices are made, and remembered for a while, of one making of the ledger. */
import { Effect } from "effect"
import type { NearDepth } from "../../model/price.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import { makeBatchCache } from "../../model/time/batchCache.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import type { FoundDepth } from "../../ports/PoolDepths.ts"
import { makeDepthReads, type Wait } from "./depthReads.ts"
import { least } from "./wholeNumbers.ts"

/** What a price is of: a time, and blocks that its swaps are in, at one of which each pool must have been deep. */
export interface Moment {
  /** Seconds. */
  readonly at: number
  /** By the chain, seconds. */
  readonly now: number
  readonly blocks: ReadonlyArray<number>
  /** `at` is where the ledger stands. */
  readonly newest: boolean
}

export interface KnownDepths {
  /** The least that was found of each pool, where it can be known. */
  readonly depths: ReadonlyMap<Address, NearDepth>
  /** Pools of which no node keeps a state that it takes. */
  readonly gone: ReadonlySet<Address>
  /** Pools that cannot be asked about now, and are to be waited for. */
  readonly awaited: ReadonlySet<Address>
}

/** Whose blocks are meant: in another making of it the same numbers may be other blocks, told by other nodes. */
export interface DepthLedger {
  readonly chainId: ChainId
  readonly birth: string
}

export type DepthsOf = (pools: ReadonlyArray<Address>, moment: Moment) => Effect.Effect<KnownDepths>

/** The newest state is asked again after so long. */
export const freshMs = 300_000
/** An answer before the newest counts beside it for so long. */
const memoryMs = 3_600_000
/** Where the node does not keep a state of the last day, its newest stands for it. */
const daySeconds = 86_400
/** Answers remembered: some 900 bytes each. */
const mostKnown = 20_000

/** Undefined = nothing that can be. */
type Found = Exclude<FoundDepth, "unheard" | "silent"> | "awaited" | undefined
interface Answer {
  /** Milliseconds. */
  readonly time: number
  readonly depth: Found
  readonly before?: Omit<Answer, "before">
}

export const makeDepths = Effect.gen(function* () {
  const readAll = yield* makeDepthReads
  const answers = makeBatchCache<string, Answer>({ capacity: mostKnown })

  /** `block` absent = the newest state. */
  const recall = Effect.fnUntraced(function* (
    { chainId, birth }: DepthLedger,
    pools: ReadonlyArray<Address>,
    wait: Wait,
    block?: number,
  ) {
    const now = yield* steadyMillis
    const newest = (pool: Address) => `${chainId} ${birth} ${pool} newest`
    const keyOf = (pool: Address) => (block === undefined ? newest(pool) : `${chainId} ${birth} ${pool} ${block}`)
    const known = yield* answers.find(new Set(pools.flatMap((pool) => [newest(pool), keyOf(pool)])))
    const found = new Map<Address, Answer>()
    for (const pool of pools) {
      const answer = known.get(keyOf(pool))
      // What a pool of V2 kind says does not depend on the state.
      if (known.get(newest(pool))?.depth === "held") found.set(pool, { time: now, depth: "held" })
      else if (answer !== undefined && (block !== undefined || now - answer.time < freshMs)) found.set(pool, answer)
    }
    const open = pools.filter((pool) => !found.has(pool))
    const depths = yield* readAll(chainId, open, wait, block)
    for (const pool of open) {
      const read = depths.get(pool)
      if (read === "awaited" || read === "given up" || read === "gone for now") {
        const depth = { awaited: "awaited", "given up": undefined, "gone for now": "gone" } as const
        found.set(pool, { time: now, depth: depth[read] })
        continue
      }
      const key = read === "held" ? newest(pool) : keyOf(pool)
      const { before: _, ...before } = known.get(key) ?? { time: Number.NEGATIVE_INFINITY, depth: undefined }
      const answer = { time: now, depth: read, before }
      found.set(pool, answer)
      yield* answers.keep([[key, answer]])
    }
    return new Map(
      [...found].map(([pool, { depth, time, before }]) => {
        // What was not known the time before says nothing.
        const isBoth = before?.depth !== undefined && time - before.time <= memoryMs
        return [pool, isBoth ? lesser(depth, before.depth) : depth] as const
      }),
    )
  })

  const ask = Effect.fnUntraced(function* (ledger: DepthLedger, pools: ReadonlyArray<Address>, moment: Moment) {
    const isRecent = moment.now - moment.at <= daySeconds
    if (moment.newest && isRecent) return yield* recall(ledger, pools, "now")
    const wait = moment.newest ? "now" : isRecent ? "lately" : "past"
    const found = new Map<Address, Found>()
    for (const block of new Set(moment.blocks)) {
      const recalled = yield* recall(ledger, pools, wait, block)
      for (const [pool, depth] of recalled) found.set(pool, found.has(pool) ? lesser(found.get(pool), depth) : depth)
    }
    const gone = pools.filter((pool) => found.get(pool) === "gone")
    if (gone.length === 0 || !isRecent) return found
    return new Map([...found, ...(yield* recall(ledger, gone, wait))])
  })

  const of = Effect.fnUntraced(function* (ledger: DepthLedger, pools: ReadonlyArray<Address>, moment: Moment) {
    const depths = new Map<Address, NearDepth>()
    const [gone, awaited] = [new Set<Address>(), new Set<Address>()]
    for (const [pool, depth] of yield* ask(ledger, pools, moment)) {
      if (depth === "awaited") awaited.add(pool)
      else if (depth === "gone") gone.add(pool)
      else if (depth !== undefined) depths.set(pool, depth)
    }
    return { depths, gone, awaited } satisfies KnownDepths
  })
  return (ledger: DepthLedger): DepthsOf =>
    (pools, moment) =>
      of(ledger, pools, moment)
})

/** What says least: nothing, then that it cannot be read now, then that it is gone, then the lesser reserves. */
const lesser = (one: Found, other: Found): Found => {
  if (one === undefined || other === undefined) return undefined
  for (const state of ["awaited", "gone"] as const) if (one === state || other === state) return state
  if (typeof one === "string") return other
  if (typeof other === "string") return one
  return new Map([...one].map(([token, reserve]) => [token, least(reserve, other.get(token) ?? 0n)]))
}
