/** Tokens of which the stored ledger may lack logs that a node kept back: who finds that tells it here, who looks at tokens takes them from here. */
import type { Address } from "../../../model/primitives.ts"

/** Blocks `from` to `to`, inclusive. */
export interface LostToken {
  readonly token: Address
  readonly from: number
  readonly to: number
}

export interface LostTokens {
  /** Of these tokens logs in these blocks may be missing; of one that is known already the blocks grow. */
  readonly tell: (tokens: Iterable<Address>, range: Omit<LostToken, "token">) => void
  /** Those that nobody has looked at yet, oldest first. */
  readonly list: () => ReadonlyArray<LostToken>
  /** They were looked at. */
  readonly forget: (tokens: Iterable<Address>) => void
}

/** Of one chain, for as long as the process lives. */
export const makeLostTokens = (): LostTokens => {
  const known = new Map<Address, LostToken>()
  return {
    tell: (tokens, { from, to }) => {
      for (const token of tokens) {
        const before = known.get(token) ?? { token, from, to }
        known.set(token, { token, from: Math.min(before.from, from), to: Math.max(before.to, to) })
      }
    },
    list: () => [...known.values()],
    forget: (tokens) => {
      for (const token of tokens) known.delete(token)
    },
  }
}
