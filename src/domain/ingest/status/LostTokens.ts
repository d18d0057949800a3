/** Tokens of which the stored ledger may lack logs that a node kept back: who finds that tells it here, who looks at tokens takes them from here. */
import type { Address } from "../../../model/primitives.ts"

/** Blocks `from` to `to`, inclusive. */
export interface LostToken {
  readonly token: Address
  readonly from: number
  readonly to: number
  /** Nodes that gave logs which the ledger lacks; absent = not known. */
  readonly by?: ReadonlyArray<string>
}

export interface LostTokens {
  /** Of these tokens logs in these blocks may be missing; of one that is known already the blocks and nodes grow. */
  readonly tell: (tokens: Iterable<Address>, range: Omit<LostToken, "token">) => void
  /** Those that nobody has settled yet, oldest first. */
  readonly list: () => ReadonlyArray<LostToken>
  /** So many of them to be looked at now, those that were not for longest first; those that were looked at lately are left out. */
  readonly due: (most: number, nowMs: number) => ReadonlyArray<LostToken>
  /** The last look at it did not come to its end: it is due at once. */
  readonly goOn: (unfinished: LostToken) => void
  /** They are settled, as `due` gave them: one of which more was told since stays, and is due at once. */
  readonly forget: (settled: Iterable<LostToken>) => void
}

/** Between two looks at the same token, which a node could not settle. */
const pauseMs = 600_000

/** Of a chain, for as long as the process lives. */
export const makeLostTokens = (): LostTokens => {
  const known = new Map<Address, LostToken>()
  const lookedAt = new Map<Address, number>()
  const unfinished = new Set<Address>()
  const seenAt = ({ token }: LostToken) => lookedAt.get(token) ?? Number.MIN_SAFE_INTEGER
  return {
    tell: (tokens, { from, to, by = [] }) => {
      for (const token of tokens) {
        const before = known.get(token) ?? { token, from, to }
        const nodes = [...new Set([...(before.by ?? []), ...by])]
        known.set(token, {
          ...{ token, from: Math.min(before.from, from), to: Math.max(before.to, to) },
          ...(nodes.length === 0 ? {} : { by: nodes }),
        })
      }
    },
    list: () => [...known.values()],
    due: (most, nowMs) => {
      const found = [...known.values()]
        .filter((it) => unfinished.has(it.token) || nowMs - seenAt(it) >= pauseMs)
        .sort((a, b) => seenAt(a) - seenAt(b))
        .slice(0, most)
      for (const { token } of found) {
        lookedAt.set(token, nowMs)
        unfinished.delete(token)
      }
      return found
    },
    goOn: ({ token }) => void unfinished.add(token),
    forget: (settled) => {
      for (const one of settled) {
        if (known.get(one.token) === one) known.delete(one.token)
        lookedAt.delete(one.token)
      }
    },
  }
}
