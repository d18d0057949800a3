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
    const sign = direction === "asc" ? 1 : -1
    if (field === "tokenAddress") return sign * compareTies(a, b)
    if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1
    const byValue = a.value === b.value ? 0 : compareNumbers(a.value!, b.value!)
    return sign * byValue || -sign * compareTies(a, b)
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
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return compareNumbers(a, b)
}

/** Whole numbers, none below 0, as decimals without zeros before them. A list compares thousands: as BigInts they would be read each time. */
const compareNumbers = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : Number(a > b))
