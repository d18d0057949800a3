/** Whether receipts are a block's own: by their root, else by the bloom in its header; and what was learned of the chain by that. */
import type { ReceiptsMark } from "../../../ports/ChainSource.ts"
import {
  bloomOf,
  countWithoutGas,
  emptyRoot,
  hasFailures,
  isWholeByIndexes,
  type Part,
  partWithRoot,
} from "./receiptsRoot.ts"

export type Verdict =
  /** This part of them is shown to be the block's. `isWeak`: another node may show better ones. `isOrdered`: they stand as the block's transactions do. */
  | { readonly proven: Part; readonly isWeak: boolean; readonly isOrdered: boolean }
  | Denial
  /** Nothing is known. `isDoubtful`: the header's bloom shows logs that they do not hold, and it never matched before. */
  | { readonly isDoubtful: boolean }

/** They are not the block's, or not all. */
export interface Denial {
  readonly denied: string
  /** Where only the header's bloom says so, in which some chains show logs that are in no receipt: the bloom of what they hold. */
  readonly gives?: string
  /** They lack nothing but logs of failed transactions, as far as the indexes show. */
  readonly isExcused?: boolean
}

/** What is learned of a chain: not every one hashes receipts as Ethereum does, or shows all their logs in its blooms. */
export interface ReceiptsVerifier {
  readonly verify: (receipts: ReadonlyArray<unknown>, mark: ReceiptsMark) => Verdict
  /** A root or a bloom has matched before: what gives neither is wrong. */
  readonly hasMatched: () => boolean
  /** Receipts that were all there gave a bloom and no root, and none ever gave a root: it tells nothing on this chain. */
  readonly isRootless: () => boolean
}

/** Some chains put receipts of their own behind those of the transactions, which the root leaves out (state syncs of Polygon). Others put some in front, of no gas (system transactions of HyperEVM). */
const mostAdded = 2

export const makeReceiptsVerifier = (): ReceiptsVerifier => {
  let rootMatched = false
  let bloomMatched = false
  let wereWhole = false
  const verify = (receipts: ReadonlyArray<unknown>, mark: ReceiptsMark): Verdict => {
    const byRoot = partWithRoot(receipts, mark.root, mostAdded)
    if (byRoot !== undefined) {
      rootMatched = true
      return { proven: byRoot, isWeak: false, isOrdered: true }
    }
    if (rootMatched && areAllBeside(receipts, mark)) return { proven: none, isWeak: false, isOrdered: false }
    const byBloom = countWithBloom(receipts, mark)
    if (byBloom !== undefined && (!rootMatched || byBloom === mark.count)) {
      bloomMatched = true
      wereWhole ||= receipts.length >= mark.count
      // A log may be left out whose bits others set: not where roots tell, all receipts are there, and no index is passed over.
      const isWhole = receipts.length >= mark.count && isWholeByIndexes(receipts)
      return { proven: { first: 0, count: byBloom }, isWeak: rootMatched || !isWhole, isOrdered: false }
    }
    if (rootMatched) return { denied: whyNotRoot(receipts, mark) }
    const gives = bloomOf(receipts)
    const lacking = gives === undefined ? 0 : bitsBeyond(mark.bloom, gives)
    // What receipts hold beyond the bloom (system logs, on some chains) denies nothing.
    if (gives === undefined || lacking === 0) return { isDoubtful: false }
    if (!bloomMatched) return { isDoubtful: true }
    const denied = `they lack logs that its header's logsBloom shows (${lacking} of its bits)`
    return { denied, gives, isExcused: isExcused(receipts, mark) }
  }
  return {
    verify,
    hasMatched: () => rootMatched || bloomMatched,
    isRootless: () => wereWhole && !rootMatched,
  }
}

const none = { first: 0, count: 0 }

/** The block holds nothing but what its root leaves out. It is said of no chain whose root is always the empty one: there no root ever matched. */
const areAllBeside = (receipts: ReadonlyArray<unknown>, { root, count, bloom }: ReceiptsMark): boolean =>
  root === emptyRoot && isZeros(bloom) && receipts.length >= count && countWithoutGas(receipts) === receipts.length

const isExcused = (receipts: ReadonlyArray<unknown>, { count }: ReceiptsMark): boolean =>
  receipts.length >= count && hasFailures(receipts) && isWholeByIndexes(receipts)

const whyNotRoot = (receipts: ReadonlyArray<unknown>, { count }: ReceiptsMark): string =>
  receipts.length === count ? "they do not give its receiptsRoot" : `${receipts.length} came for ${count} transactions`

/** Of fewer than the transactions too: on some chains such as failed early have none. An empty bloom shows nothing. */
const countWithBloom = (receipts: ReadonlyArray<unknown>, { count, bloom }: ReceiptsMark): number | undefined => {
  if (isZeros(bloom) || receipts.length > count + mostAdded) return undefined
  const counts = receipts.length > count ? [receipts.length, count] : [receipts.length]
  return counts.find((most) => bloomOf(receipts.slice(0, most)) === bloom)
}

export const isZeros = (bloom: string): boolean => /^0x0*$/.test(bloom)

/** How many bits the one bloom has that the other has not. */
const bitsBeyond = (bloom: string, other: string): number => {
  let beyond = BigInt(bloom) & ~BigInt(other)
  let bits = 0
  for (; beyond > 0n; beyond &= beyond - 1n) bits++
  return bits
}
