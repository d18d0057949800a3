/** The ledger's figures of a token and the contract's own answers → what state the token is in, and why. Pure, without tolerance. */
import type { AsOf } from "../../../model/block.ts"
import type { SentToZero } from "../../../model/event.ts"
import { type AuditRecord, type AuditSample, fewBelowZero } from "../../../ports/AuditStore.ts"
import { amountIn, areFew, byOwners, ownersOf } from "./amounts.ts"
import { answeredOf, differenceOf, isEqual, questionsOf } from "./figures.ts"
import { differedBefore, impossibleOf, opinionOf } from "./opinion.ts"
import { misplacedOf, sentToZeroOf, withZeroAddress } from "./sentToZero.ts"
import { watchedOf } from "./watched.ts"

/** Where both were read. */
export type AuditPoint = Pick<AsOf, "blockNumber" | "time" | "firstBlock">

export interface Verdict {
  readonly record: AuditRecord
  /** All is equal once the ledger knows this of it (LedgerWriter.letZeroAddressHold). */
  readonly sentToZero?: Exclude<SentToZero, "burnt">
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
  const { record } = judgeAll(own, owners, point, mayKeep)
  const isNew = own.last === undefined || own.last.state === "unverified"
  const isUntold = record.state === "exact" ? isNew : record.state === "unverified" && own.older === false
  return {
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
  const misplaced = misplacedOf(sample, answers)
  const sentToZero = sentToZeroOf(sample, misplaced)
  const answered = sentToZero && misplaced && mayKeep ? withZeroAddress(asToday, misplaced) : asToday
  const differing = answered.filter((figure) => !isEqual(figure))
  const opinion = opinionOf(sample, { answered, differing, firstBlock, blockNumber: at.blockNumber })
  const { last } = sample
  const isWrong = differing.length > 0 && (opinion.state === "drift" || opinion.state === "rebasing")
  // Put right, the ledger keeps it at every block: by that alone none is in doubt.
  const isByBurntAlone = last?.state === "drift" && misplacedReasons.some((why) => last.reason?.startsWith(why))
  const before = isByBurntAlone ? last.differed : differedBefore(last, at.blockNumber)
  const differed =
    isWrong && sentToZero === undefined ? { from: last?.differed?.from ?? at.blockNumber, to: at.blockNumber } : before
  return {
    ...(sentToZero === undefined ? {} : { sentToZero }),
    record: {
      ...(differing[0] === undefined ? {} : { difference: differenceOf(differing[0]) }),
      ...opinion,
      ...(sentToZero && misplaced && !mayKeep ? { reason: misplaced > 0n ? burntIsKept : keptIsBurnt } : {}),
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

const fewOwners =
  "its contract counts amounts, not ids, and too few owners of ids could be compared to say that its history is right"

const burntIsKept =
  "what is sent to the zero address is not burnt here, the supply stays: the service that writes the ledger puts that right"
const keptIsBurnt =
  "what the contract itself sends to the zero address is burnt here, the supply falls: the service that writes the ledger puts that right"
const misplacedReasons = [burntIsKept, keptIsBurnt]
