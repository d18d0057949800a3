/** Logs that are known to be missing are asked for through all of their blocks, so many questions a look: the next one goes on where this one stopped. */
import { Effect } from "effect"
import type { StoreError } from "../../../model/errors.ts"
import type { Address } from "../../../model/primitives.ts"
import type { AuditStore, BlockRange } from "../../../ports/AuditStore.ts"
import type { HealedAudit, LedgerUnavailable, LedgerWriter, SegmentRefused } from "../../../ports/Ledger.ts"
import type { TokenViews } from "../../../ports/TokenViews.ts"
import type { LostToken, LostTokens } from "../../ingest/status/LostTokens.ts"
import { type AskSize, mostMissing } from "./askLogs.ts"
import { type HealAnswer, type HealSettings, healContract } from "./healContract.ts"
import { joinHeard } from "./heard.ts"

/** What came of looks that did not end with all blocks, by what was told: where more is told since, all is asked anew. */
export type LostSoFar = WeakMap<LostToken, HealAnswer>

export interface Lost {
  readonly tokens: ReadonlyArray<LostToken>
  /** Where what was looked into is told: what is settled once all that the look came to is recorded. */
  readonly told: Pick<LostTokens, "forget" | "goOn">
  /** Questions that they may cost together. */
  readonly calls: number
  readonly soFar: LostSoFar
}

/** Rows of a token came in, by what was asked of it so far. */
export type WhenHealed = (
  token: Address,
  answer: HealAnswer,
) => Effect.Effect<void, StoreError | SegmentRefused | LedgerUnavailable, AuditStore | TokenViews>

/** What a token's records become by rows that come in, where what was asked of it so far comes to that answer. */
export type AuditsOf = (token: Address, answer: HealAnswer) => ReadonlyArray<HealedAudit>

interface Asking {
  readonly settings: HealSettings
  readonly writer: Pick<LedgerWriter, "heal">
  readonly size: AskSize
  readonly whenHealed: WhenHealed
  readonly auditsOf: AuditsOf
}

/** Fails as `healContract` does. What all looks at each came to, of those of whom nobody can be asked nothing; and which are settled by it. */
export const askLost = Effect.fnUntraced(function* (
  { settings, writer, size, whenHealed, auditsOf }: Asking,
  { tokens, told, calls, soFar }: Lost,
) {
  const answers: Array<readonly [LostToken, HealAnswer]> = []
  const settled: Array<LostToken> = []
  let left = calls
  for (const [place, known] of tokens.entries()) {
    const before = soFar.get(known)
    const range = { from: known.from, to: before?.reached === undefined ? known.to : before.reached.from - 1 }
    const share = Math.ceil(left / (tokens.length - place))
    const soFarWith = (now: HealAnswer) => (before === undefined ? now : joined(before, now))
    const found = yield* healContract(settings, writer, known.token, {
      ...{ range, size, calls: share },
      auditsOf: (answer) => auditsOf(known.token, soFarWith(answer)),
    })
    if (found === undefined) continue
    left -= found.calls
    const answer = soFarWith(found)
    answers.push([known, answer])
    if (answer.healed > 0) yield* whenHealed(known.token, answer)
    if (answer.isThrough || answer.lacking.length >= mostMissing) {
      soFar.delete(known)
      // Whoever may still lack some is looked at again.
      if (isSettled(answer, known)) settled.push(known)
      continue
    }
    soFar.set(known, answer)
    if (answer.unanswered === undefined) told.goOn(known)
  }
  return { answers, settled }
})

/** All of its blocks were asked of, and rows came in, or whoever proved the loss gives what the ledger has, nothing less: else it has thrown its logs away, or was not to be had. */
const isSettled = (
  { lacking, unanswered, healed, given, surplus, heard, isThrough }: HealAnswer,
  { by = [] }: LostToken,
): boolean => {
  if (lacking.length > 0 || unanswered !== undefined) return false
  if (surplus > 0) return healed > 0
  if (!isThrough || heard === undefined) return false
  // Where whoever gave some gives none now, they are gone.
  const isGone = by.length > 0 && given === 0
  return healed > 0 || (!isGone && by.every((node) => heard.whole.includes(node)))
}

/** `now` is of the blocks below. */
const joined = (before: HealAnswer, now: HealAnswer): HealAnswer => {
  const { asked: _, reached, blocks, heard, doubt = before.doubt, ...rest } = now
  const whole = before.reached && reached ? joinRanges(before.reached, reached) : (before.reached ?? reached)
  const asked = reached === undefined ? before.asked : now.asked && before.asked && joinRanges(before.asked, now.asked)
  const healedBlocks = before.blocks && blocks ? joinRanges(before.blocks, blocks) : (before.blocks ?? blocks)
  const whoWas = before.heard && heard ? joinHeard(before.heard, heard) : (before.heard ?? heard)
  return {
    ...rest,
    given: before.given + now.given,
    surplus: before.surplus + now.surplus,
    healed: before.healed + now.healed,
    lacking: [...before.lacking, ...now.lacking],
    disproved: [...before.disproved, ...now.disproved],
    ...(whole === undefined ? {} : { reached: whole }),
    ...(asked === undefined ? {} : { asked }),
    ...(healedBlocks === undefined ? {} : { blocks: healedBlocks }),
    ...(whoWas === undefined ? {} : { heard: whoWas }),
    ...(doubt === undefined ? {} : { doubt }),
  }
}

export const joinRanges = (a: BlockRange, b: BlockRange): BlockRange => ({
  from: Math.min(a.from, b.from),
  to: Math.max(a.to, b.to),
})
