/** The ledger's figures of a token and the contract's own answers → what state the token is in, and why. Pure, without tolerance. */

import type { AsOf } from "../../model/block.ts"
import { zeroAddress } from "../../model/primitives.ts"
import type { AuditRecord, AuditSample, LedgerFigure, WatchedFigure } from "../../ports/AuditStore.ts"
import { type Answered, answeredOf, differenceOf, findSame, isEqual, questionsOf } from "./figures.ts"
import { isAllZero, movesWithoutEvents } from "./rebasing.ts"

/** Where both were read. */
export type AuditPoint = Pick<AsOf, "blockNumber" | "time" | "firstBlock">

export interface Verdict {
  readonly record: AuditRecord
  /** What went to the zero address is not burnt: all is equal once the ledger keeps it (LedgerWriter.letZeroAddressHold). */
  readonly zeroAddressHolds: boolean
}

/**
 * `answers`: to `questionsOf(sample)`, in order. `mayKeep`: where burnt amounts turn out to be kept, the ledger is put
 * right before this verdict is recorded.
 */
export const judge = (
  sample: AuditSample,
  answers: ReadonlyArray<bigint | undefined>,
  { firstBlock, ...at }: AuditPoint,
  mayKeep: boolean,
): Verdict => {
  const asToday = answeredOf(questionsOf(sample), answers)
  const asKept = heldByZeroAddress(sample, asToday)
  const zeroAddressHolds = asKept?.every(isEqual) === true
  const answered = zeroAddressHolds && mayKeep ? asKept : asToday
  const differing = answered.filter((figure) => !isEqual(figure))
  const opinion = opinionOf(sample, answered, differing, firstBlock, at.blockNumber)
  const { last } = sample
  const isWrong = differing.length > 0 && (opinion.state === "drift" || opinion.state === "rebasing")
  const differed = isWrong
    ? { from: last?.differed?.from ?? at.blockNumber, to: at.blockNumber }
    : differedBefore(last, at.blockNumber)
  return {
    zeroAddressHolds,
    record: {
      ...(differing[0] === undefined ? {} : { difference: differenceOf(differing[0]) }),
      ...opinion,
      ...(zeroAddressHolds && !mayKeep ? { reason: burntIsKept } : {}),
      blockNumber: at.blockNumber,
      time: at.time,
      compared: answered.length,
      watched: watchedOf(sample, answered, differing),
      ...(differed === undefined ? {} : { differed }),
    },
  }
}

/** The figures of a ledger that keeps what went to the zero address, where the contract's supply says that it should. */
const heldByZeroAddress = (
  { burnt, older }: AuditSample,
  answered: ReadonlyArray<Answered>,
): ReadonlyArray<Answered> | undefined => {
  const supply = answered.find(({ of }) => of === "supply")
  if (burnt <= 0n || supply === undefined || supply.node - supply.ledger !== burnt) return undefined
  const isOfNobody = (figure: Answered): boolean => figure.of === "balance" && figure.holder === zeroAddress
  // Of a token that may be older, as much may have been there before as was burnt since: the supply alone does not tell.
  if (older !== false && !answered.some(isOfNobody)) return undefined
  const isKept = (figure: Answered): boolean => figure.of === "supply" || isOfNobody(figure)
  return answered.map((figure) => (isKept(figure) ? { ...figure, ledger: figure.ledger + burnt } : figure))
}

const burntIsKept =
  "what is sent to the zero address is not burnt here, the supply stays: the service that writes the ledger puts that right"

type Opinion = Pick<AuditRecord, "state" | "reason" | "difference">

const opinionOf = (
  sample: AuditSample,
  answered: ReadonlyArray<Answered>,
  differing: ReadonlyArray<Answered>,
  firstBlock: number,
  block: number,
): Opinion => {
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
  if (differing.length === 0) return agreement(sample, answered, block)
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

/** What somebody holds, by the ledger. The zero address is nobody: many contracts tell nothing of it. */
const isHeld = (figure: LedgerFigure): boolean =>
  figure.of !== "supply" && figure.ledger > 0n && !("holder" in figure && figure.holder === zeroAddress)

/** The blocks between which it differed: up to the one before it was found equal again. Nobody knows when it became so. */
const differedBefore = (last: AuditRecord | undefined, block: number): AuditRecord["differed"] =>
  last?.differed === undefined || last.state === "exact"
    ? last?.differed
    : { from: last.differed.from, to: Math.max(last.differed.to, block - 1) }

/** Equal again is exact only where the very figures that differed are among the equal ones. */
const agreement = (sample: AuditSample, answered: ReadonlyArray<Answered>, block: number): Opinion => {
  const { last } = sample
  const isUnseen = last?.differed !== undefined && unseenOf(sample, answered).length > 0
  if (!isUnseen && questionsOf(sample).some(isHeld) && !answered.some(isHeld)) {
    return { state: "unverified", reason: "the contract does not tell what any of its holders has" }
  }
  const before = differedBefore(last, block)
  if (before === undefined || last === undefined) return { state: "exact" }
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

/** Figures that differed last time, are in the ledger still, and nobody answers. */
const unseenOf = (sample: AuditSample, answered: ReadonlyArray<Answered>): ReadonlyArray<WatchedFigure> =>
  (sample.last?.watched ?? []).filter(
    (was) =>
      was.node !== undefined &&
      was.node !== was.ledger &&
      findSame(questionsOf(sample), was) !== undefined &&
      findSame(answered, was) === undefined,
  )

const mostDiffering = 6
const mostWitnesses = 6

/** Those that differ, of old first; and balances that nothing has touched for longest: they tell a rebase. */
const watchedOf = (
  sample: AuditSample,
  answered: ReadonlyArray<Answered>,
  differing: ReadonlyArray<Answered>,
): ReadonlyArray<WatchedFigure> => {
  const known = sample.last?.watched ?? []
  const isKnown = (figure: Answered) => findSame(known, figure) !== undefined
  const wrong = [
    ...unseenOf(sample, answered),
    ...differing.filter(isKnown),
    ...differing.filter((figure) => !isKnown(figure)),
  ].slice(0, mostDiffering)
  const witnesses = answered
    .filter(({ of, ledger }) => (of === "balance" || of === "unit") && ledger > 0n)
    .filter((figure) => !wrong.includes(figure))
    .toSorted((a, b) => a.touched - b.touched)
  return [...wrong, ...witnesses.slice(0, mostWitnesses)]
}
