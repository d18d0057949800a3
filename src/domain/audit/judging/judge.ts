/** The ledger's figures of a token and the contract's own answers → what state the token is in, and why. Pure, without tolerance. */
import type { AsOf } from "../../../model/block.ts"
import type { SentToZero } from "../../../model/event.ts"
import { type AuditRecord, type AuditSample, fewBelowZero } from "../../../ports/AuditStore.ts"
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
  const differed = isWrong
    ? { from: last?.differed?.from ?? at.blockNumber, to: at.blockNumber }
    : differedBefore(last, at.blockNumber)
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

const burntIsKept =
  "what is sent to the zero address is not burnt here, the supply stays: the service that writes the ledger puts that right"
const keptIsBurnt =
  "what the contract itself sends to the zero address is burnt here, the supply falls: the service that writes the ledger puts that right"
