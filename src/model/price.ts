/** What prices are made of: swaps of a token against one that is worth something known, and what the pool held. */
import type { Address } from "./primitives.ts"

/** US dollars with 18 decimals: 10¹⁸ = one dollar. */
export type Usd = bigint
export const oneDollar: Usd = 10n ** 18n

/** A stablecoin may be off its dollar by a twentieth. */
const tolerance = oneDollar / 20n

/** Whether that is one dollar still, of a stablecoin. */
export const isDollar = (price: Usd): boolean => price >= oneDollar - tolerance && price <= oneDollar + tolerance

/** A swap of a token against an anchor: how much of each changed hands, in subunits. */
export interface AnchoredSwap {
  readonly blockNumber: number
  readonly logIndex: number
  /** Block time, seconds. */
  readonly time: number
  readonly tokenQty: bigint
  readonly anchorQty: bigint
  /** What the pool held of both after the block, as the ledger has it: it may be below zero. */
  readonly heldToken: bigint
  readonly heldAnchor: bigint
}

/** A pool of a token and an anchor over a stretch of time. */
export interface PoolHistory {
  readonly pool: Address
  readonly anchor: Address
  /** In no particular order. */
  readonly swaps: ReadonlyArray<AnchoredSwap>
  /**
   * What the pool held of the anchor at other moments that count, subunits. Of one whose liquidity is concentrated also
   * what the V2 pool held that was as deep.
   */
  readonly held: ReadonlyArray<bigint>
  /**
   * What it holds by the ledger may not be what it holds: it may have held something before the ledger's first block, or the
   * audit has one of its two tokens in `drift` or `rebasing`. Absent = it has not, by when its contract was made, which its
   * own token tells, and both tokens are believed, as those are that were never compared.
   */
  readonly isDoubtful?: true
  /** Its price is the ratio of what it holds (Uniswap V2 kind). Absent = it is not, or that is not known. */
  readonly isProduct?: true
}

/**
 * How deep a pool is near its price. `held`: all that it holds stands behind every price, which is the ratio of both
 * (Uniswap V2 kind): a pool that is of this kind stays so. Else by
 * token, in subunits: the reserves of the V2 pool that is as deep, and of about the same price.
 */
export type NearDepth = "held" | ReadonlyMap<Address, bigint>

/** What an anchor is worth: the price of a whole one, and its decimals. */
export interface AnchorWorth {
  readonly price: Usd
  readonly decimals: number
}

/** A price, and what the pools held of the anchors that speak for it. */
export interface Quote {
  readonly price: Usd
  /** Absent = it is not from pools. */
  readonly depth?: Usd
}
