/** Whether receipts are a block's own: by their root, else by their number and bloom; and whether this chain's can be checked at all. */
import type { ReceiptsMark } from "../../../ports/ChainSource.ts"
import { bloomOfReceipts, countWithRoot } from "./receiptsRoot.ts"

/** What is learned of a chain: not every one hashes receipts as Ethereum does, or shows all their logs in its blooms. */
export interface ReceiptsVerifier {
  /** How many of these receipts, from the first on, are shown to be the block's; or why they are not; undefined = nothing is known. */
  readonly verify: (receipts: ReadonlyArray<unknown>, mark: ReceiptsMark) => number | string | undefined
  /** So many blocks' were not that nothing is to be learned any more. */
  readonly isHopeless: () => boolean
}

const enoughUnproven = 8
/** Some chains put receipts of their own behind those of the transactions, which the root leaves out (state syncs of Polygon). */
const mostAdded = 2

export const makeReceiptsVerifier = (): ReceiptsVerifier => {
  /** A root has matched before: receipts that give neither root nor bloom are wrong. Else the chain may be of another kind. */
  let hasMatched = false
  let unproven = 0
  return {
    verify: (receipts, mark) => {
      const proven = countWithRoot(receipts, mark.root, mostAdded)
      hasMatched ||= proven !== undefined
      const isShown = proven !== undefined || isLikely(receipts, mark)
      unproven = isShown ? 0 : unproven + 1
      if (isShown) return proven ?? receipts.length
      if (!hasMatched) return undefined
      return receipts.length === mark.count
        ? "they do not give its receiptsRoot"
        : `${receipts.length} came for ${mark.count} transactions`
    },
    isHopeless: () => !hasMatched && unproven >= enoughUnproven,
  }
}

const isLikely = (receipts: ReadonlyArray<unknown>, { count, bloom }: ReceiptsMark): boolean =>
  receipts.length === count && !/^0x0*$/.test(bloom) && bloomOfReceipts(receipts) === bloom
