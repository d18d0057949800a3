/** What state a token is in by the figures that were answered, and why. Pure. */
import { zeroAddress } from "../../model/primitives.ts"
import type { AuditRecord, AuditSample, BlockRange, LedgerFigure } from "../../ports/AuditStore.ts"
import { type Answered, isEqual, questionsOf } from "./figures.ts"
import { isAllZero, movesWithoutEvents } from "./rebasing.ts"
import { unseenOf } from "./watched.ts"

export type Opinion = Pick<AuditRecord, "state" | "reason" | "difference">

export interface Findings {
  readonly answered: ReadonlyArray<Answered>
  /** Of them, those that are not equal. */
  readonly differing: ReadonlyArray<Answered>
  readonly firstBlock: number
  readonly blockNumber: number
}

export const opinionOf = (sample: AuditSample, { answered, differing, firstBlock, blockNumber }: Findings): Opinion => {
  const { older, mixed, token, last } = sample
  if (answered.length === 0) {
    return { state: "unverified", reason: "the contract answers nothing that could be compared: it may be gone" }
  }
  if (older === true) {
    return { state: "unverified", reason: `the contract is older than the ledger, which starts at block ${firstBlock}` }
  }
  if (older === undefined && (differing.length > 0 || !hasWholeSupply(answered))) {
    return {
      state: "unverified",
      reason: `the ledger starts at block ${firstBlock}, and it is not known whether the contract is older`,
    }
  }
  // Equal for once proves nothing.
  if (
    (last?.state === "rebasing" && !isAllZero(answered)) ||
    (differing.length > 0 && movesWithoutEvents(last, answered))
  ) {
    return { state: "rebasing", reason: "balances change without events: those of the past are only what events told" }
  }
  if (differing.length === 0) return agreement(sample, answered, blockNumber)
  const both = mixed && token.standard === "erc20" ? "; it is an ERC-721 too, its balanceOf may count ids" : ""
  const share = `${differing.length} of ${answered.length} figures are not the contract's own`
  return { state: "drift", reason: `${share}: they changed without events, or events were not true${both}` }
}

/**
 * All that was ever minted and is not burnt was minted in the ledger's time: nobody held anything before. The ledger's
 * supply is what its events minted less what they burnt; an ERC-1155 has none.
 */
const hasWholeSupply = (answered: ReadonlyArray<Answered>): boolean =>
  answered.some((figure) => figure.of === "supply" && figure.ledger > 0n && isEqual(figure))

/** What somebody holds, by the ledger. The zero address is nobody: many contracts say nothing of it. */
const isHeld = (figure: LedgerFigure): boolean =>
  figure.of !== "supply" && figure.ledger > 0n && !("holder" in figure && figure.holder === zeroAddress)

/** The blocks between which it differed: up to the one before it was found equal again. Nobody knows when it became so. */
export const differedBefore = (last: AuditRecord | undefined, block: number): AuditRecord["differed"] =>
  last?.differed === undefined || last.state === "exact"
    ? last?.differed
    : { from: last.differed.from, to: Math.max(last.differed.to, block - 1) }

/** Of a token that is equal since. */
export const healedReason = ({ from, to }: BlockRange): string =>
  `healed: what a node had left out of blocks ${from} to ${to} is in the ledger now, and its history is right`

/** Equal again is exact only where the very figures that differed are among the equal ones. */
const agreement = (sample: AuditSample, answered: ReadonlyArray<Answered>, block: number): Opinion => {
  const { last } = sample
  const isUnseen = last?.differed !== undefined && unseenOf(sample, answered).length > 0
  if (!isUnseen && questionsOf(sample).some(isHeld) && !answered.some(isHeld)) {
    return { state: "unverified", reason: "the contract does not tell what any of its holders has" }
  }
  const before = differedBefore(last, block)
  if (before === undefined || last === undefined) {
    return { state: "exact", ...(last?.healed === undefined ? {} : { reason: healedReason(last.healed) }) }
  }
  const { from, to } = before
  if (!isUnseen) {
    const reason = `equal again; from block ${from} to ${to} it differed, and its history there is not to be relied on`
    return { state: "exact", reason }
  }
  const difference = last.difference === undefined ? {} : { difference: last.difference }
  return {
    state: "drift",
    ...difference,
    reason: `what differed at block ${last.differed?.to} could not be asked again`,
  }
}
