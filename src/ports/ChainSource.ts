/** A chain as its node shows it. */
import { Context, type Effect, Schema } from "effect"
import type { BlockHeader, Log } from "../domain/model/block.ts"
import type { ChainId, Hash } from "../domain/model/primitives.ts"

/** The node failed, after retries, or said something that cannot be. */
export class SourceUnavailable extends Schema.TaggedError<SourceUnavailable>()("SourceUnavailable", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
}) {}

/** The node will not answer for so many blocks or logs at once: ask for fewer. `suggestedTo`: the end the node itself proposed. */
export class RangeRefused extends Schema.TaggedError<RangeRefused>()("RangeRefused", {
  message: Schema.String,
  suggestedTo: Schema.optionalKey(Schema.Finite),
}) {}

export interface ChainSourceClient {
  /** The chain id the node itself reports. */
  readonly chainId: Effect.Effect<ChainId, SourceUnavailable>
  readonly head: Effect.Effect<BlockHeader, SourceUnavailable>
  /** Headers of these blocks, in order; undefined for a block the node does not have. */
  headers(numbers: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<BlockHeader | undefined>, SourceUnavailable>
  /** Token logs of a range (inclusive), ascending by (blockNumber, logIndex). */
  logs(fromBlock: number, toBlock: number): Effect.Effect<ReadonlyArray<Log>, RangeRefused | SourceUnavailable>
  /** Token logs of these very blocks, one list per hash; undefined for a block the node does not (or no longer) have. */
  logsOfBlocks(
    hashes: ReadonlyArray<Hash>,
  ): Effect.Effect<ReadonlyArray<ReadonlyArray<Log> | undefined>, SourceUnavailable>
}

export class ChainSource extends Context.Service<
  ChainSource,
  {
    /** The client of a configured chain. */
    of(chainId: ChainId): ChainSourceClient
  }
>()("cowry/ChainSource") {}
