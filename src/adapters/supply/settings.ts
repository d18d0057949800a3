/** What is configured of a chain's native supply. */
import type { Address, ChainId } from "../../model/primitives.ts"

interface TakenOff {
  /** Their balances are in neither figure. */
  readonly burnt?: ReadonlyArray<Address>
  /** Their balances do not circulate. */
  readonly locked?: ReadonlyArray<Address>
}

/** Amounts are decimal texts of whole native units. */
export type SupplySettings = TakenOff &
  (
    | { readonly kind: "fixed"; readonly total: string }
    | {
        readonly kind: "halving"
        readonly reward: string
        readonly interval: number
        readonly premined?: string
        readonly firstBlock?: number
      }
    | {
        readonly kind: "http"
        readonly totalUrl: string
        readonly totalPath?: string
        readonly circulatingUrl?: string
        readonly circulatingPath?: string
        readonly unit?: "whole" | "smallest"
      }
  )

export interface SuppliedChain {
  readonly chainId: ChainId
  readonly symbol: string
  /** Of the smallest unit. */
  readonly decimals: number
  readonly settings: SupplySettings
}
