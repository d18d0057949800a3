/** Depths of pools as a test says they are. */
import { Effect, Layer } from "effect"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { type FoundDepth, PoolDepths } from "../../src/ports/PoolDepths.ts"

export interface ScriptedDepths {
  /** What is said of a pool at a block (absent = the newest); a pool holds what it holds unless this says otherwise. */
  depth: (pool: string, at: number | undefined) => FoundDepth | undefined
  /** Why no node answers. */
  failure: SourceUnavailable | undefined
  /** Pools about which no node answers, nor about others in the same question. */
  readonly broken: Set<string>
  /** Each question: its pools and its block. */
  readonly asked: Array<readonly [ReadonlyArray<string>, number | undefined]>
}

export const scriptedDepths = (): ScriptedDepths => ({
  depth: () => "held",
  failure: undefined,
  broken: new Set(),
  asked: [],
})

export const depthsLayer = (script: ScriptedDepths) =>
  Layer.succeed(PoolDepths, {
    read: (_, pools, at) =>
      Effect.suspend(() => {
        script.asked.push([pools, at])
        if (script.failure !== undefined) return Effect.fail(script.failure)
        if (pools.some((pool) => script.broken.has(pool))) return new SourceUnavailable({ message: "a pool too many" })
        return Effect.succeed(pools.map((pool) => script.depth(pool, at)))
      }),
  })
