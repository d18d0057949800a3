/** The order of what addresses hold: one comparison for all stores, and for rows that come from elsewhere than a store. */
import { type Address, compareChainIds } from "../primitives.ts"
import { type HeldKey, heldStandards } from "./holdings.ts"

/** How such a list is sorted. */
export interface HeldSort {
  readonly field: "valueUsd" | "tokenAddress"
  readonly direction: "asc" | "desc"
}

/** Display order. Rows without a value come last both ways. */
export const compareHeld =
  ({ field, direction }: HeldSort) =>
  (a: HeldKey, b: HeldKey): number => {
    const ties = compareTies(a, b)
    if (field === "tokenAddress") return direction === "asc" ? ties : -ties
    if (a.value === null || b.value === null) {
      if (a.value !== b.value) return a.value === null ? 1 : -1
      return direction === "desc" ? ties : -ties
    }
    const [left, right] = [BigInt(a.value), BigInt(b.value)]
    const byValue = left < right ? -1 : left > right ? 1 : 0
    return direction === "desc" ? -byValue || ties : byValue || -ties
  }

const compareTies = (a: HeldKey, b: HeldKey): number =>
  compareChainIds(a.chainId, b.chainId) ||
  compareAddresses(a.address, b.address) ||
  heldStandards.indexOf(a.standard) - heldStandards.indexOf(b.standard) ||
  compareAddresses(a.tokenAddress, b.tokenAddress) ||
  compareIds(a.tokenId, b.tokenId)

/** None before any. Lower-case hex of one length sorts as its bytes do. */
const compareAddresses = (a: Address | null, b: Address | null): number => {
  const [left, right] = [a ?? "", b ?? ""]
  return left < right ? -1 : left > right ? 1 : 0
}

const compareIds = (a: string | null, b: string | null): number => {
  const [left, right] = [BigInt(a ?? -1), BigInt(b ?? -1)]
  return left < right ? -1 : left > right ? 1 : 0
}
