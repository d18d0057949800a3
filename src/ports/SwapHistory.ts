/** Reads what prices are made of: swaps of tokens against anchors in pools, a bounded sample of each. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { PoolHistory } from "../model/price.ts"
import type { Address, ChainId } from "../model/primitives.ts"

/** A stretch is read in so many equal parts, of each the newest so many swaps of a pool. */
export const sampleParts = 24
export const samplePerPart = 8
/** Pools that are read of a token and an anchor; those that are known longest. */
export const samplePools = 16

export interface HistoryQuestion {
  readonly tokens: ReadonlyArray<Address>
  readonly anchors: ReadonlyArray<Address>
  /** Pools of these alone, each a contract of its own. */
  readonly factories: ReadonlyArray<Address>
  /** Swaps of blocks at this time or before it, seconds. */
  readonly at: number
  /** And of blocks later than so many seconds before; a multiple of `sampleParts`. */
  readonly seconds: number
  /** Whether what the pools hold now counts, beside what they held after the blocks of these swaps. */
  readonly newest: boolean
  /** Pools that are not to be read. */
  readonly without?: ReadonlyArray<Address>
}

export class SwapHistory extends Context.Service<
  SwapHistory,
  {
    /** Of each token the pools that had swaps in the stretch, in no order. */
    read(
      chainId: ChainId,
      question: HistoryQuestion,
    ): Effect.Effect<ReadonlyArray<PoolHistory & { readonly token: Address }>, StoreError>
    /** Tokens that were swapped against an anchor in blocks later than `after`, and up to `at`; anchors among them. By address. */
    listSwapped(
      chainId: ChainId,
      anchors: ReadonlyArray<Address>,
      after: number,
      at: number,
    ): Effect.Effect<ReadonlyArray<Address>, StoreError>
    /** The time of the last swap at `at` or before it. */
    findLast(chainId: ChainId, at: number): Effect.Effect<number | undefined, StoreError>
    /** The time of the first swap later than `after`. */
    findNext(chainId: ChainId, after: number): Effect.Effect<number | undefined, StoreError>
  }
>()("cowry/SwapHistory") {}
