/** What keeping a chain's prices needs to know. */
import type { PricedChain } from "./swapPrices.ts"

export interface PriceKeeping extends PricedChain {
  /** Whether stablecoins are held against their dollar: by our swaps. */
  readonly measures: boolean
  /** Whether tokens are asked about that had no swaps: where a source is configured that knows more than our swaps. */
  readonly known: boolean
  /** Whether the ledger has every token from its first event on: else supplies are not known. */
  readonly wholeSupplies: boolean
  /** Whether gaps are filled: hours that were over before prices were kept, and those that were leapt over since. */
  readonly ofPast: boolean
  /** Milliseconds between two looks at the ledger. */
  readonly intervalMs: number
}

/** Tokens asked about in one go. */
export const batchSize = 50
