/** What state a token is in by the figures that were answered, and why. Pure. */
import { isDrift } from "../../../model/audit.ts"
import { zeroAddress } from "../../../model/primitives.ts"
import type { AuditRecord, AuditSample, BlockRange, LedgerFigure } from "../../../ports/AuditStore.ts"
import { type Answered, findSame, isEqual, questionsOf } from "./figures.ts"
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
    const reason = "the contract answers nothing that could be compared: it may be gone"
    return keptOpinion(sample, "it answers nothing") ?? { state: "unverified", reason }
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

/** Nobody has less than nothing: of a contract that says all but what he has, the ledger shows that the events are not true. */
const belowZero = (sample: AuditSample, answered: ReadonlyArray<Answered>): Opinion | undefined => {
  const [figure] = impossibleOf(sample, answered)
  if (figure === undefined) return undefined
  const whose = "holder" in figure ? ` of ${figure.holder}` : ""
  return {
    state: "drift",
    reason: `the ${figure.of === "unit" ? "balance" : figure.of}${whose} is below zero by its events: they are not true`,
  }
}

/** Figures below zero that the contract says nothing of. They are watched: so a record shows that not every figure was equal. */
export const impossibleOf = (sample: AuditSample, answered: ReadonlyArray<Answered>): ReadonlyArray<LedgerFigure> =>
  questionsOf(sample).filter((it) => it.ledger < 0n && findSame(answered, it) === undefined)

/** Of a token in doubt, where nothing was learned: it stays so, else the ledger's figures would be given as its contract's. Undefined = there was no doubt. */
export const keptOpinion = ({ last, older }: AuditSample, why: string): Opinion | undefined => {
  if (older === true || last === undefined || (last.state !== "drift" && last.state !== "rebasing")) return undefined
  const { state, difference } = last
  const owed = owedOf(last)
  // What its logs show is said behind it, of drift.
  const ofDrift = owed === undefined ? `${notAskedAgain(last)}: ${why}` : owedReason(owed)
  const reason = state === "drift" ? ofDrift : last.reason
  return {
    state,
    ...(difference === undefined ? {} : { difference }),
    ...(reason === undefined ? {} : { reason }),
  }
}

const notAskedAgain = ({ differed, blockNumber }: AuditRecord): string =>
  `what differed at block ${differed?.to ?? blockNumber} could not be asked again`

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

/** Every figure of it was equal, and nodes gave logs of these blocks and later ones that the ledger lacks. Undefined = it is in drift otherwise, or not. */
export const owedOf = (record: AuditRecord): BlockRange | undefined =>
  record.watched.some(({ ledger, node }) => ledger < 0n && node === undefined) ? undefined : differedAlone(record)

/** The same, of one that had figures below zero, too: by them alone nobody knows whether logs are owed. */
const differedAlone = ({ state, difference, differed }: AuditRecord): BlockRange | undefined =>
  state === "drift" && !isDrift(difference) ? differed : undefined

export const owedReason = ({ from }: BlockRange): string =>
  `its figures are its contract's own, its history is in doubt from block ${from} on`

export const equalAgain = ({ from, to }: BlockRange): string =>
  `equal again; from block ${from} to ${to} it differed, and its history there is not to be relied on`

/** Equal again is exact only where the very figures that differed are among the equal ones. */
const agreement = (sample: AuditSample, answered: ReadonlyArray<Answered>, block: number): Opinion => {
  const { last } = sample
  // Where its rows came in and nothing could be compared since, it is in drift without blocks at which it differed.
  const wasOff = last?.differed !== undefined || last?.state === "drift"
  if (last !== undefined && wasOff && unseenOf(sample, answered).length > 0) {
    const difference = last.difference === undefined ? {} : { difference: last.difference }
    return { state: "drift", ...difference, reason: notAskedAgain(last) }
  }
  const impossible = belowZero(sample, answered)
  if (impossible !== undefined) return impossible
  const owed = last && differedAlone(last)
  if (owed !== undefined) return { state: "drift", reason: owedReason(owed) }
  if (questionsOf(sample).some(isHeld) && !answered.some(isHeld)) {
    return { state: "unverified", reason: "the contract does not tell what any of its holders has" }
  }
  const before = differedBefore(last, block)
  if (before === undefined) {
    return { state: "exact", ...(last?.healed === undefined ? {} : { reason: healedReason(last.healed) }) }
  }
  return { state: "exact", reason: equalAgain(before) }
}
