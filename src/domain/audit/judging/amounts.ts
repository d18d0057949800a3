/** Collections whose contract counts amounts where others count ids, as ERC-404 of the first kind does. Pure. */
import { isDrift } from "../../../model/audit.ts"
import type { AuditRecord, AuditSample, WatchedFigure } from "../../../ports/AuditStore.ts"
import { type Answered, isEqual } from "./figures.ts"

/** One whole has six decimals or more. No node leaves out so many ids of everybody. */
const leastWhole = 1_000_000n
/** Owners that must be equal before such a collection is exact; of one with fewer ids, all. */
const fewestOwners = 3n
const mostWitnesses = 6

/**
 * A balance of an ERC-721 that is no number of ids: each that the contract has anything of is a million times the ledger's and more, and
 * an owner is right. Where none is, the events may not be of ids at all. Owners need not be met again once that is known.
 */
export const amountIn = (sample: AuditSample, answered: ReadonlyArray<Answered>): Answered | undefined => {
  if (sample.token.standard !== "erc721") return undefined
  const held = answered.filter(({ of, ledger, node }) => of === "balance" && ledger > 0n && node > 0n)
  if (!held.every(({ ledger, node }) => node >= ledger * leastWhole)) return undefined
  if (sample.last?.difference?.counts !== "amounts") return equalOwners(answered).length > 0 ? held[0] : undefined
  return held[0] ?? answered.find((figure) => figure.of !== "owner" && !isEqual(figure))
}

const equalOwners = (answered: ReadonlyArray<Answered>): ReadonlyArray<Answered> =>
  answered.filter((figure) => figure.of === "owner" && isEqual(figure))

/** The same sample, to be judged by its owners alone. */
export const byOwners = (sample: AuditSample): AuditSample => {
  const { last, ...rest } = sample
  const figures = sample.figures.filter(isOwner)
  return last === undefined ? { ...rest, figures } : { ...rest, figures, last: lastByOwners(last) }
}

/** What balances and supply had shown was not so. */
const lastByOwners = (last: AuditRecord): AuditRecord => {
  const watched = last.watched.filter(isOwner)
  const isOff = watched.some(({ ledger, node }) => node !== undefined && node !== ledger)
  const { state, difference, differed: _differed, reason: _reason, ...rest } = last
  const isByBalances = isDrift(difference) && difference?.of !== "owner" && !isOff
  if (state !== "drift" && state !== "rebasing") return { ...last, watched }
  if (isByBalances) return { ...rest, state: "unverified", watched }
  return { ...last, state: "drift", watched }
}

/** Whether too few owners are right for it to become exact. */
export const areFew = (sample: AuditSample, answered: ReadonlyArray<Answered>): boolean => {
  const ids = sample.figures.find(({ of }) => of === "supply")?.ledger ?? fewestOwners
  return BigInt(equalOwners(answered).length) < (ids < fewestOwners ? ids : fewestOwners)
}

/** Owners that are asked again: a sample alone may meet none. Those whose ids nothing has moved for longest. */
export const ownersOf = (answered: ReadonlyArray<Answered>): ReadonlyArray<WatchedFigure> =>
  equalOwners(answered)
    .toSorted((a, b) => a.touched - b.touched)
    .slice(0, mostWitnesses)

const isOwner = ({ of }: { readonly of: string }): boolean => of === "owner"
