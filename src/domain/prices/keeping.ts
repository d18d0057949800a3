/** What keeping a chain's prices needs to know. */
import type { LedgerTimes } from "../../ports/TokenPrices.ts"
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
  /** Which making of the ledger it is. */
  readonly birth: () => string
  /** The time of the newest block that the node announced, seconds; undefined = it has announced none yet. */
  readonly nodeTime: () => number | undefined
}

/**
 * What time it is by the chain, seconds: a machine's clock that jumps would make hours of just now old ones, and the other way round.
 * Undefined until the node has announced a block: of a ledger alone nobody knows how far behind its chain it is.
 */
export const chainTime = ({ nodeTime }: PriceKeeping, { head }: LedgerTimes): number | undefined => {
  const told = nodeTime()
  return told === undefined ? undefined : Math.max(told, head)
}

/** Tokens asked about in one go. */
export const batchSize = 50
