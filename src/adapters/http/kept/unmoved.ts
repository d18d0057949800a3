/** Of which contracts the figures stayed as they were while further blocks came. */
import type { AsOf } from "../../../model/block.ts"
import type { Address, ChainId } from "../../../model/primitives.ts"

export interface Unmoved {
  /** A ledger went on from where it was last known to stand. Without `tokens` any figure may be another. */
  readonly wentOn: (from: AsOf | undefined, to: AsOf, tokens?: ReadonlySet<Address>) => void
  /** Whether a contract's figures at a point are those of where the ledger is known to stand; false = they may be others. */
  readonly isSame: (token: Address, point: AsOf) => boolean
}

interface Known {
  /** From these figures to those it is known what moved. */
  since: number
  now: number
  /** The figures with which a contract moved last, or later ones; in that order. */
  readonly moved: Map<Address, number>
}

/** Of a chain: some 0.9 MB. Of more, those that moved first are forgotten, and what was known before them. */
const mostTokens = 4096

export const makeUnmoved = (): Unmoved => {
  const chains = new Map<ChainId, Known>()
  return {
    wentOn: (from, to, tokens) => {
      const known = chains.get(to.chainId)
      if (from === undefined || tokens === undefined) {
        chains.set(to.chainId, { since: to.figures, now: to.figures, moved: new Map() })
        return
      }
      const own = known ?? { since: from.figures, now: from.figures, moved: new Map<Address, number>() }
      own.now = to.figures
      for (const token of tokens) {
        own.moved.delete(token)
        own.moved.set(token, to.figures)
      }
      for (const [token, figures] of own.moved) {
        if (own.moved.size <= mostTokens) break
        own.moved.delete(token)
        own.since = Math.max(own.since, figures)
      }
      chains.set(to.chainId, own)
    },
    isSame: (token, { chainId, figures }) => {
      const known = chains.get(chainId)
      return (
        known !== undefined &&
        figures >= known.since &&
        figures <= known.now &&
        (known.moved.get(token) ?? 0) <= figures
      )
    },
  }
}
