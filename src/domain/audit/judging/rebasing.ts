/** Whether a token's balances change without events, all together: by two looks at some that nothing touched, or by one ratio. */

import { zeroAddress } from "../../../model/primitives.ts"
import type { AuditRecord } from "../../../ports/AuditStore.ts"
import { type Answered, findSame } from "./figures.ts"

/** Fewer that move may be a mint for somebody. */
const fewestMoved = 2
/** Fewer that are off alike may be chance. */
const fewestAlike = 3

export const movesWithoutEvents = (last: AuditRecord | undefined, answered: ReadonlyArray<Answered>): boolean =>
  hasMoved(last, answered) || isOffAlike(answered)

/** The contract says 0 to everything, its supply too: its code is another's, or it never kept an account. No rebase does that. */
export const isAllZero = (answered: ReadonlyArray<Answered>): boolean =>
  answered.some(({ of, ledger }) => of === "supply" && ledger > 0n) && answered.every(({ node }) => node === 0n)

/** More than half of those balances that had no event since the last look are others now, and neither is nothing. */
const hasMoved = (last: AuditRecord | undefined, answered: ReadonlyArray<Answered>): boolean => {
  const untouched = (last?.watched ?? []).flatMap((was) => {
    const is = findSame(answered, was)
    const isWitness = is !== undefined && was.node !== undefined && (was.of === "balance" || was.of === "unit")
    // After a reorg the block alone would not show it.
    if (!isWitness || is.touched !== was.touched || is.ledger !== was.ledger) return []
    if (was.node === 0n && is.node === 0n) return []
    return [was.node !== is.node && was.node !== 0n && is.node !== 0n]
  })
  const moved = untouched.filter(Boolean).length
  return moved >= fewestMoved && 2 * moved > untouched.length
}

/** The supply is off, and three of four balances by nearly the same ratio. */
const isOffAlike = (answered: ReadonlyArray<Answered>): boolean => {
  const supply = answered.find(({ of }) => of === "supply")
  if (supply === undefined || supply.ledger <= 0n || supply.node === 0n) return false
  if (supply.node === supply.ledger) return false
  const balances = answered.filter(
    (figure) => figure.of === "balance" && figure.holder !== zeroAddress && figure.ledger > 0n,
  )
  const alike = balances.filter(({ ledger, node }) => {
    const wanted = (ledger * supply.node) / supply.ledger
    const distance = wanted > node ? wanted - node : node - wanted
    // A thousandth, and what rounding may cost.
    return node > 0n && ledger !== node && distance * 1000n <= wanted + 2000n
  })
  return alike.length >= fewestAlike && 4 * alike.length >= 3 * balances.length
}
