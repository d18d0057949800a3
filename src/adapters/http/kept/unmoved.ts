/** Of which contracts and accounts the figures stayed as they were while further blocks came. */
import type { AsOf } from "../../../model/block.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { Touched } from "../../../ports/Freshness.ts"
import type { FiguresOf } from "../contract/call.ts"

export interface Unmoved {
  /** A ledger went on from where it was last known to stand. Without `tokens` any figure may be another. */
  readonly wentOn: (from: AsOf | undefined, to: AsOf, tokens?: Touched["tokens"]) => void
  /** Whether the figures of these places at a point are those of a newer one; false = they may be others, or it is not told yet. */
  readonly isSame: (figures: Places, point: AsOf, newer: AsOf) => boolean
}

/** Where it is known when figures moved: two numbers below 65,536 in one, of which either says that they did. */
export type Places = number

interface Known {
  /** From these figures to those it is known what moved. */
  since: number
  now: number
  /** When what has this place moved last, counted from `since`; several share one, and the one that moved last counts. */
  readonly moved: Uint32Array
}

/** Of a chain: 256 kB. Once so many contracts and accounts have moved, two in three answers are taken for moved. */
const places = 1 << 16

/** By FNV-1a. */
const placeOf = (token: string, account = ""): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < token.length; index++) hash = Math.imul(hash ^ token.charCodeAt(index), 0x01000193)
  for (let index = 0; index < account.length; index++) hash = Math.imul(hash ^ account.charCodeAt(index), 0x01000193)
  return (hash ^ (hash >>> 16)) & (places - 1)
}

/** In place of an account: all of them. */
const anyone = "any"

export const placesOf = ({ token, account }: FiguresOf): Places => {
  const whole = account === undefined ? placeOf(token) : placeOf(token, anyone)
  return (whole << 16) | placeOf(token, account)
}

export const makeUnmoved = (): Unmoved => {
  const chains = new Map<ChainId, Known>()
  return {
    wentOn: (from, to, tokens) => {
      if (from === undefined || tokens === undefined) {
        chains.delete(to.chainId)
        return
      }
      const own = chains.get(to.chainId) ?? { since: from.figures, now: 0, moved: new Uint32Array(places) }
      chains.set(to.chainId, own)
      own.now = to.figures
      const when = to.figures - own.since
      for (const [token, accounts] of tokens) {
        own.moved[placeOf(token)] = when
        for (const account of accounts ?? [anyone]) own.moved[placeOf(token, account)] = when
      }
    },
    isSame: (places, { chainId, figures }, newer) => {
      const known = chains.get(chainId)
      if (known === undefined || figures < known.since) return false
      if (figures > newer.figures || newer.figures > known.now) return false
      const { moved, since } = known
      return moved[places >>> 16]! <= figures - since && moved[places & 0xffff]! <= figures - since
    },
  }
}
