/** The ledger's figures of a token and the contract's own answers → what state the token is in, and why. Pure, without tolerance. */
import type { AsOf } from "../../../model/block.ts"
import { zeroAddress } from "../../../model/primitives.ts"
import { type AuditRecord, type AuditSample, fewBelowZero } from "../../../ports/AuditStore.ts"
import { amountIn, areFew, byOwners, ownersOf } from "./amounts.ts"
import { type Answered, answeredOf, differenceOf, isEqual, isForced, questionsOf } from "./figures.ts"
import { differedBefore, impossibleOf, opinionOf } from "./opinion.ts"
import { watchedOf } from "./watched.ts"

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
  point: AuditPoint,
  mayKeep: boolean,
): Verdict => {
  const questions = questionsOf(sample)
  const answered = answeredOf(questions, answers)
  const amount = amountIn(sample, answered)
  if (amount === undefined) return judgeAll(sample, answers, point, mayKeep)
  const owners = answers.filter((_, index) => questions[index]!.of === "owner")
  const own = byOwners(sample)
  const { record, zeroAddressHolds } = judgeAll(own, owners, point, mayKeep)
  const isNew = own.last === undefined || own.last.state === "unverified"
  const isUntold = record.state === "exact" ? isNew : record.state === "unverified" && own.older === false
  return {
    zeroAddressHolds,
    record: {
      ...record,
      ...(isUntold && areFew(sample, answered) ? { state: "unverified", reason: fewOwners } : {}),
      difference: { ...(record.difference ?? differenceOf(amount)), counts: "amounts" },
      watched: [...record.watched, ...ownersOf(answered)],
    },
  }
}

const judgeAll = (
  sample: AuditSample,
  answers: ReadonlyArray<bigint | undefined>,
  { firstBlock, ...at }: AuditPoint,
  mayKeep: boolean,
): Verdict => {
  const asToday = answeredOf(questionsOf(sample), answers)
  const asKept = heldByZeroAddress(sample, asToday)
  const zeroAddressHolds = asKept?.every(isEqual) === true
  const answered = zeroAddressHolds && mayKeep ? asKept : asToday
  const differing = answered.filter((figure) => !isEqual(figure) && !isForced(sample, figure))
  const opinion = opinionOf(sample, { answered, differing, firstBlock, blockNumber: at.blockNumber })
  const { last } = sample
  const shown = differing[0] ?? (opinion.state === "exact" ? answered.find((it) => isForced(sample, it)) : undefined)
  const isWrong = differing.length > 0 && (opinion.state === "drift" || opinion.state === "rebasing")
  // Put right, the ledger keeps it at every block: by that alone none is in doubt.
  const isByBurntAlone = last?.state === "drift" && last.reason?.startsWith(burntIsKept) === true
  const before = isByBurntAlone ? last.differed : differedBefore(last, at.blockNumber)
  const differed =
    isWrong && !zeroAddressHolds ? { from: last?.differed?.from ?? at.blockNumber, to: at.blockNumber } : before
  return {
    zeroAddressHolds,
    record: {
      ...(shown === undefined ? {} : { difference: differenceOf(shown, differing.length === 0 ? "ether" : undefined) }),
      ...opinion,
      ...(zeroAddressHolds && !mayKeep ? { reason: burntIsKept } : {}),
      blockNumber: at.blockNumber,
      time: at.time,
      compared: answered.length,
      watched: [...watchedOf(sample, answered, differing), ...impossibleOf(sample, answered).slice(0, fewBelowZero)],
      ...(differed === undefined ? {} : { differed }),
      ...(last?.logs === undefined ? {} : { logs: last.logs }),
      ...(last?.healed === undefined ? {} : { healed: last.healed }),
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
  // Of a token that may be older, as much may have been there before as was burnt since: the supply alone does not show which.
  if (older !== false && !answered.some(isOfNobody)) return undefined
  const isKept = (figure: Answered): boolean => figure.of === "supply" || isOfNobody(figure)
  return answered.map((figure) => (isKept(figure) ? { ...figure, ledger: figure.ledger + burnt } : figure))
}

const fewOwners =
  "its contract counts amounts, not ids, and too few owners of ids could be compared to say that its history is right"

const burntIsKept =
  "what is sent to the zero address is not burnt here, the supply stays: the service that writes the ledger puts that right"
