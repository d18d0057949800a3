/** Compares tokens of the ledger with their contracts at the ledger's own block, and records what comes of it. */
import { Effect, Result } from "effect"
import type { AsOf } from "../../model/block.ts"
import type { Snapshot } from "../../model/page.ts"
import { type AuditRecord, type AuditSample, AuditStore } from "../../ports/AuditStore.ts"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"
import type { BornToken, LedgerUnavailable, SegmentRefused, ZeroAddressHolder } from "../../ports/Ledger.ts"
import { TokenViews } from "../../ports/TokenViews.ts"
import { questionsOf } from "./judging/figures.ts"
import { judge } from "./judging/judge.ts"
import { keptOpinion } from "./judging/opinion.ts"
import { misplacedOf } from "./judging/sentToZero.ts"

export interface Audited {
  readonly token: BornToken
  readonly record: AuditRecord
  /** What was known of it before. */
  readonly before?: AuditRecord
}

/** Puts the ledger right (LedgerWriter.letZeroAddressHold); false = somebody else writes it. */
export type LetZeroAddressHold = (
  tokens: ReadonlyArray<ZeroAddressHolder>,
) => Effect.Effect<boolean, SegmentRefused | LedgerUnavailable>

/** All of them, or fails: nothing is recorded then. */
export const compareTokens = Effect.fnUntraced(function* (
  { asOf: [at], value: samples }: Snapshot<ReadonlyArray<AuditSample>>,
  letZeroAddressHold: LetZeroAddressHold,
) {
  if (at === undefined || samples.length === 0) return []
  const answers = yield* ask(at, samples)
  const known = yield* lookUpOwn(at, samples, answers)
  const judgedBy = (mayKeep: boolean) =>
    known.map((sample, index) => ({ sample, ...judge(sample, answers[index]!, at, mayKeep) }))
  const asKept = judgedBy(true)
  const kept = asKept.flatMap(({ sample, sentToZero }) => (sentToZero ? { ...sample.token, sentToZero } : []))
  const isRight = kept.length === 0 ? Result.succeed(true) : yield* Effect.result(letZeroAddressHold(kept))
  // Where the ledger cannot be put right just now, nothing is said of those: they come again.
  const judged = Result.isFailure(isRight)
    ? asKept.filter(({ sentToZero }) => sentToZero === undefined)
    : isRight.success
      ? asKept
      : judgedBy(false)
  const audited = judged.map(
    ({ sample: { token, last }, record }): Audited => ({
      token,
      record,
      ...(last === undefined ? {} : { before: last }),
    }),
  )
  yield* record(at, audited)
  return audited
})

/**
 * The same. Where the node does not answer for all of them together, each is asked alone; those of which it still says
 * nothing, while it answers for others, are `unverified`; those in `drift` or `rebasing` stay so.
 */
export const compareOrSetApart = Effect.fnUntraced(function* (
  snapshot: Snapshot<ReadonlyArray<AuditSample>>,
  letZeroAddressHold: LetZeroAddressHold,
) {
  const together = yield* Effect.result(compareTokens(snapshot, letZeroAddressHold))
  if (Result.isSuccess(together)) return together.success
  if (together.failure._tag !== "SourceUnavailable" || snapshot.value.length < 2)
    return yield* Effect.fail(together.failure)
  const audited: Array<Audited> = []
  const failed: Array<{ readonly sample: AuditSample; readonly error: SourceUnavailable }> = []
  for (const sample of snapshot.value) {
    const alone = yield* Effect.result(compareTokens({ ...snapshot, value: [sample] }, letZeroAddressHold))
    if (Result.isSuccess(alone)) audited.push(...alone.success)
    else if (alone.failure._tag === "SourceUnavailable") failed.push({ sample, error: alone.failure })
    else return yield* Effect.fail(alone.failure)
    // It is the node, then.
    if (audited.length === 0 && failed.length > 1) return yield* Effect.fail(together.failure)
  }
  const [at] = snapshot.asOf
  if (at === undefined) return audited
  const apart = failed.map(({ sample, error }) => setApart(sample, at, error))
  yield* record(at, apart)
  return [...audited, ...apart]
})

/** What was known of them before, where none can be compared. */
export const asBefore = (samples: ReadonlyArray<AuditSample>, { message }: SourceUnavailable): ReadonlyArray<Audited> =>
  samples.flatMap((sample) => {
    const { token, last } = sample
    return last === undefined ? [] : [{ token, record: { ...last, ...keptOpinion(sample, message) }, before: last }]
  })

const setApart = (sample: AuditSample, { blockNumber, time }: AsOf, { message }: SourceUnavailable): Audited => {
  const { token, last } = sample
  return {
    token,
    record: {
      // What its contract counts is so whoever tells it.
      ...(last?.difference?.counts === undefined ? {} : { difference: last.difference }),
      ...(keptOpinion(sample, message) ?? { state: "unverified", reason: `the node cannot tell: ${message}` }),
      blockNumber,
      time,
      compared: 0,
      watched: last?.watched ?? [],
      ...(last?.differed === undefined ? {} : { differed: last.differed }),
      ...(last?.logs === undefined ? {} : { logs: last.logs }),
      ...(last?.healed === undefined ? {} : { healed: last.healed }),
    },
    ...(last === undefined ? {} : { before: last }),
  }
}

/** A list of answers for each sample. */
const ask = Effect.fnUntraced(function* ({ chainId, ...at }: AsOf, samples: ReadonlyArray<AuditSample>) {
  const questions = samples.map(questionsOf)
  const answers = yield* (yield* TokenViews).ask(chainId, questions.flat(), at)
  const starts = questions.map((_, index) => questions.slice(0, index).reduce((sum, { length }) => sum + length, 0))
  return questions.map(({ length }, index) => answers.slice(starts[index]!, starts[index]! + length))
})

/** Those that hang on it are few: with what they themselves sent to the zero address. One that sent too often to be summed in time stays as it is found. */
const lookUpOwn = Effect.fnUntraced(function* (
  { chainId, blockNumber }: AsOf,
  samples: ReadonlyArray<AuditSample>,
  answers: ReadonlyArray<ReadonlyArray<bigint | undefined>>,
) {
  const store = yield* AuditStore
  return yield* Effect.forEach(samples, (sample, index) =>
    misplacedOf(sample, answers[index]!) === undefined
      ? Effect.succeed(sample)
      : store.sentByItself(chainId, sample.token.address, blockNumber).pipe(
          Effect.map((sentByItself): AuditSample => ({ ...sample, sentByItself })),
          Effect.catchTag("QueryTooSlow", () => Effect.succeed(sample)),
        ),
  )
})

const record = Effect.fnUntraced(function* ({ chainId }: AsOf, audited: ReadonlyArray<Audited>) {
  yield* (yield* AuditStore).record(chainId, audited)
})
