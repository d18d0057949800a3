/** A comparison's record, with what asking for the token's own logs has come to. Pure. */
import type { AsOf } from "../../model/block.ts"
import type { AuditRecord, BlockRange } from "../../ports/AuditStore.ts"
import { equalAgain, healedReason, owedOf, owedReason } from "./judging/opinion.ts"
import { joinRanges } from "./missing/askLost.ts"
import { findingOf } from "./missing/finding.ts"
import type { HealAnswer } from "./missing/healContract.ts"
import { fewer } from "./missing/heard.ts"

export interface Explanation {
  readonly answer: HealAnswer
  readonly at: AsOf
  readonly finalBlock: number
  /** Rows came in, and it was not compared since. */
  readonly isStale: boolean
}

/**
 * What came in before a difference was first met explains it, where nothing is lacking and nodes give all that the ledger
 * has: its history is right again. What is lacking of final blocks puts it in drift, though its figures be equal.
 */
export const explained = (before: AuditRecord, explanation: Explanation): AuditRecord => {
  const { answer, at, finalBlock } = explanation
  const { asked, blocks, surplus } = answer
  const { logs: _logs, reason: _reason, healed: _healed, differed: _differed, ...rest } = before
  const open = openOf(answer)
  const { state, differed } = outcomeOf(before, explanation, open)
  const to = Math.min(asked?.to ?? -1, finalBlock)
  const came = joined(before.healed, blocks)
  const first = owedOf({ ...rest, state, ...(differed && { differed }) })?.from
  // Nobody is to say that its history is right.
  const isUnsure = state === "exact" && (open.length > 0 || surplus > 0)
  // The first and the last block of what came in say nothing of one between them.
  const isBetween = state === "drift" && differed !== undefined && open.includes(differed.from)
  const healed = isUnsure || (isBetween && isIn(differed.from, came)) ? undefined : cameOf(first, before.healed, blocks)
  const record: AuditRecord = {
    ...{ ...rest, state },
    ...(asked === undefined || asked.from > to ? {} : { logs: { from: asked.from, to } }),
    ...(differed === undefined ? {} : { differed }),
    ...(healed === undefined ? {} : { healed }),
  }
  const reason = reasonOf(record, before.reason, findingOf(answer, at))
  return reason === undefined ? record : { ...record, reason }
}

const reasonOf = (record: AuditRecord, before: string | undefined, finding: string): string | undefined => {
  const { state, differed, healed } = record
  const owed = owedOf(record)
  if (state === "drift") return `${owed === undefined ? before : owedReason(owed)}; ${finding}`
  if (state !== "exact") return before
  if (differed !== undefined) return equalAgain(differed)
  return healed === undefined ? undefined : healedReason(healed)
}

/** Whether it is in drift by what is lacking, and the blocks at which it differed. */
const outcomeOf = (
  record: AuditRecord,
  { answer, at, finalBlock, isStale }: Explanation,
  open: ReadonlyArray<number>,
): Pick<AuditRecord, "state" | "differed"> => {
  const { state, differed, healed, compared } = record
  const { asked, reached, blocks, surplus, unanswered, heard } = answer
  const before = owedOf(record)
  const isEqual = state === "exact" || before !== undefined
  // Others may be replaced.
  const owed = open.filter((block) => block <= finalBlock)
  const lacked = owed.length === 0 ? undefined : { from: Math.min(...owed), to: at.blockNumber }
  // A look at what is known to be lost is of its own blocks alone: it says nothing of what is lacking outside.
  const isAllOf = (range: BlockRange | undefined, doubted: BlockRange) =>
    range !== undefined && range.from <= doubted.from && range.to >= Math.min(doubted.to, finalBlock)
  // An earlier look, which was not of all of them, brought the first in.
  const hadCome = before !== undefined && isEndOf(before.from, healed)
  const isFirstIn = before !== undefined && (hadCome || isEndOf(before.from, blocks))
  // Whoever gave them gives them no more, or the ledger has them.
  const isGivenByAll = heard?.others.length === 0
  // Figures that were equal all the time say nothing of it, and whoever is silent may be the one that gave what did not come in.
  const isNobodySilent = heard?.others.every(({ why }) => why === fewer) === true
  // Others may have left out for good what came in: they give fewer at every look.
  const isGiven = isNobodySilent && heard !== undefined && heard.whole.length > 0
  const isOwedIn = (owed: BlockRange, came: BlockRange) =>
    isAllOf(reached, owed) &&
    isNobodySilent &&
    (isEndOf(owed.from, came) || (hadCome && isGiven) || (came.from < owed.from && isGivenByAll))
  const isMended =
    (isEqual || (isStale && state === "drift")) &&
    blocks !== undefined &&
    surplus === 0 &&
    open.length === owed.length &&
    (before === undefined ? blocks.from <= (differed?.from ?? Number.POSITIVE_INFINITY) : isOwedIn(before, blocks))
  if (isEqual && lacked !== undefined) {
    const isUpToLacked =
      isFirstIn && isNobodySilent && surplus === 0 && reached !== undefined && reached.from <= before.from
    const doubted = isUpToLacked ? { from: lacked.from, to: before.to } : differed
    return { state: "drift", differed: joined(isMended ? undefined : doubted, lacked)! }
  }
  const isAsked =
    before !== undefined && open.length === 0 && surplus === 0 && unanswered === undefined && isAllOf(asked, before)
  const isAgreed = isAsked && isGivenByAll
  const hasCome = isAsked && hadCome && (isAgreed || isGiven)
  const left = isMended || hasCome ? lacked : differed
  const isSettled = before !== undefined && compared > 0 && !isStale && (isMended || isAgreed || hasCome)
  return { state: isSettled ? "exact" : state, ...(left && { differed: left }) }
}

const isIn = (block: number, range: BlockRange | undefined): boolean =>
  range !== undefined && range.from <= block && block <= range.to

/** Of a range of what came in only the first and the last block are sure to have done so. */
const isEndOf = (block: number | undefined, range: BlockRange | undefined): boolean =>
  range !== undefined && (block === range.from || block === range.to)

/** What came in, as a range that shows of the first block in doubt that it did, where it did. */
const cameOf = (first: number | undefined, healed: BlockRange | undefined, blocks: BlockRange | undefined) => {
  const came = joined(healed, blocks)
  return [came, blocks, healed].find((range) => isEndOf(first, range)) ?? came
}

/** Blocks of logs that the ledger lacks, and that nothing disproves. */
const openOf = ({ lacking, disproved }: HealAnswer): ReadonlyArray<number> => {
  const isDisproved = new Set(disproved)
  return lacking.flatMap((log) => (isDisproved.has(log) ? [] : [log.blockNumber]))
}

const joined = (a: BlockRange | undefined, b: BlockRange | undefined): BlockRange | undefined =>
  a === undefined || b === undefined ? (a ?? b) : joinRanges(a, b)
