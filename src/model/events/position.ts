/** A position: where a consumer stands in the events of a chain, as a text that survives restarts and a change of instance. */
import { type ChainId, chainIdOf } from "../primitives.ts"
import { type EventPlace, endOfBlock, logIndexEnd } from "./place.ts"

/** All events at places below `at` were told. */
export interface ChainPosition {
  readonly chainId: ChainId
  /** Which settings the ledger is made with, six hex digits: others make other rows. */
  readonly settings: string
  /** Which making of the ledger it is, six hex digits: a resync makes another. */
  readonly birth: string
  /** The last correction (a rollback, a heal) of that ledger that the consumer knows of. */
  readonly corrections: number
  /** How many changes of the next correction, a heal, it knows of already; absent = none. */
  readonly told?: number
  readonly at: EventPlace
  /** Of the block, 16 hex digits; absent = not known. */
  readonly hash?: string
  /** The newest final block then: what is not above it stands for ever. */
  readonly final: number
}

const noLedger = { settings: "000000", birth: "000000" }

/**
 * Behind a block that the chain's node has told and its ledger has not come to yet. No ledger has such settings and such a birth, so an older version takes it
 * for a position of another one.
 */
export const unstored = (chainId: ChainId, block: number): ChainPosition => ({
  ...{ chainId, ...noLedger, corrections: 0 },
  ...{ at: endOfBlock(block), final: -1 },
})

export const isUnstored = ({ settings, birth }: ChainPosition): boolean =>
  settings === noLedger.settings && birth === noLedger.birth

/** How much of a block's hash a position holds. */
export const hashPrefix = (hash: string): string => hash.slice(2, 18)

const number36 = (value: number): string => value.toString(36)

/** One block is below zero: nothing was told yet. */
export const positionText = (position: ChainPosition): string => {
  const { chainId, settings, birth, corrections, told = 0, at, hash = "", final } = position
  const numbers = [at.block + 1, at.logIndex, at.place, final + 1, corrections, told].map(number36)
  return [chainId, settings, birth, ...numbers, hash].join(".")
}

/** Of several chains, one after the other. */
export const positionsText = (positions: Iterable<ChainPosition>): string => [...positions].map(positionText).join("~")

const pattern = /^(\d{1,16})\.([0-9a-f]{6})\.([0-9a-f]{6})\.((?:[0-9a-z]{1,8}\.){6})((?:[0-9a-f]{16})?)$/u

const positionOf = (text: string): ChainPosition | undefined => {
  const [, chain = "", settings = "", birth = "", numbers = "", hash = ""] = pattern.exec(text) ?? []
  const chainId = chainIdOf(chain)
  if (chainId === undefined) return undefined
  const [block, logIndex, place, final, corrections, told] = numbers.split(".").map((each) => Number.parseInt(each, 36))
  const at = { block: block! - 1, logIndex: logIndex!, place: place! }
  if (at.logIndex >= logIndexEnd) return undefined
  if ([at.block, at.place, final!, corrections!, told!].some((number) => number >= 2 ** 31)) return undefined
  return {
    chainId,
    settings,
    birth,
    corrections: corrections!,
    at,
    final: final! - 1,
    ...(told === 0 ? {} : { told: told! }),
    ...(hash === "" ? {} : { hash }),
  }
}

/** By chain; undefined for what `positionsText` did not make. */
export const positionsOf = (text: string): ReadonlyMap<ChainId, ChainPosition> | undefined => {
  const positions = text.split("~").map(positionOf)
  if (positions.length > 2000 || positions.includes(undefined)) return undefined
  const byChain = new Map((positions as ReadonlyArray<ChainPosition>).map((position) => [position.chainId, position]))
  return byChain.size === positions.length ? byChain : undefined
}
