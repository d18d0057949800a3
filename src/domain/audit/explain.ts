/** Whether what differs is a node's gap or the contract's own way: its own logs are asked again, and what the ledger lacks of them is healed. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import type { Address } from "../../model/primitives.ts"
import { type AuditRecord, AuditStore, type BlockRange } from "../../ports/AuditStore.ts"
import type { LedgerWriter } from "../../ports/Ledger.ts"
import type { LostToken, LostTokens } from "../ingest/status/LostTokens.ts"
import { type Audited, compareOrSetApart, type LetZeroAddressHold } from "./compare.ts"
import type { AskSize } from "./missing/askLogs.ts"
import { type HealAnswer, type HealSettings, healContract } from "./missing/healContract.ts"
import { healedReason } from "./opinion.ts"

export interface Explaining {
  readonly settings: HealSettings
  readonly writer: Pick<LedgerWriter, "heal">
  readonly letZeroAddressHold: LetZeroAddressHold
  /** Blocks up to here never change: what was asked of them is not asked again. */
  readonly finalBlock: number
  readonly size: AskSize
  /** Questions that those in drift may cost together. */
  readonly calls: number
  /** Questions that each of so many others may cost: the look for missing logs does not hang on figures alone. */
  readonly others: { readonly tokens: number; readonly calls: number }
  /** What was asked before is asked once more. */
  readonly afresh?: boolean
  /** Of which logs are known to be missing, and where what was looked into is told; they are asked for as often as it takes. */
  readonly inDoubt?: ReadonlyArray<LostToken>
  readonly lost?: Pick<LostTokens, "forget">
}

/** The same tokens, with what their logs show; those that were healed are compared again. What changes is recorded. */
export const explainAudited = Effect.fnUntraced(function* (
  explaining: Explaining,
  at: AsOf,
  audited: ReadonlyArray<Audited>,
) {
  const answers = yield* askAll(explaining, at, audited)
  const healed = [...answers].flatMap(([address, answer]) => (answer.healed > 0 ? [address] : []))
  const again = healed.length === 0 ? [] : yield* compareAgain(explaining, healed)
  const told = [...audited.filter(({ token }) => !healed.includes(token.address)), ...again].map((each) => {
    const answer = answers.get(each.token.address)
    const before = audited.find(
      ({ token }) => token.address === each.token.address && token.standard === each.token.standard,
    )
    const original = before?.before === undefined ? {} : { before: before.before }
    return answer === undefined
      ? each
      : { token: each.token, ...original, record: explained(each.record, answer, explaining, at) }
  })
  const changed = told.filter(({ token }) => answers.has(token.address))
  yield* (yield* AuditStore).record(at.chainId, changed)
  return told
})

/** Those in drift, then some of the others that have been asked of least, as they come: the most active first. */
const askAll = Effect.fnUntraced(function* (
  { settings, writer, size, calls, others, afresh = false, inDoubt = [], lost }: Explaining,
  at: AsOf,
  audited: ReadonlyArray<Audited>,
) {
  const answers = new Map<Address, HealAnswer>()
  const ask = Effect.fnUntraced(function* ({ token: { address }, record }: Audited, most: number) {
    const answer = yield* healContract(settings, writer, address, {
      ...(afresh ? {} : { known: record.logs }),
      ...{ calls: most, size },
    })
    if (answer !== undefined) answers.set(address, answer)
    return answer?.calls ?? 0
  })
  for (const { token, ...range } of inDoubt) {
    const answer = yield* healContract(settings, writer, token, { range, size })
    if (answer !== undefined) answers.set(token, answer)
    // Whoever may still lack some is looked at again.
    if (answer?.lacking.length === 0 && answer.unanswered === undefined) lost?.forget([token])
  }
  let left = calls
  for (const each of audited) {
    if (each.record.state !== "drift" || answers.has(each.token.address) || left <= 0) continue
    left -= yield* ask(each, left)
  }
  const isOpen = ({ token, record }: Audited) =>
    record.state === "exact" && !answers.has(token.address) && (afresh || !isWhole(record.logs, at))
  for (const each of audited.filter(isOpen).slice(0, others.tokens)) {
    if (!answers.has(each.token.address)) yield* ask(each, others.calls)
  }
  return answers
})

/** But for the newest blocks, which may change and are asked of again and again. */
const isWhole = (logs: BlockRange | undefined, { firstBlock, blockNumber }: AsOf): boolean =>
  logs !== undefined && logs.from <= firstBlock && logs.to >= blockNumber - mostBehind
const mostBehind = 5000

const compareAgain = Effect.fnUntraced(function* (
  { settings: { chainId }, letZeroAddressHold }: Explaining,
  tokens: ReadonlyArray<Address>,
) {
  const sample = yield* (yield* AuditStore).sample(chainId, { tokens }, { top: 3, recent: 2, places: [0, 0.5] })
  return yield* compareOrSetApart(sample, letZeroAddressHold)
})

/** What was healed before a difference was first met explains it: its history is right again. */
const explained = (
  { logs: _, ...record }: AuditRecord,
  answer: HealAnswer,
  { finalBlock }: Explaining,
  at: AsOf,
): AuditRecord => {
  const { asked, blocks } = answer
  const to = Math.min(asked?.to ?? -1, finalBlock)
  const logs = asked === undefined || asked.from > to ? {} : { logs: { from: asked.from, to } }
  const healed = blocks === undefined ? record.healed : joined(record.healed, blocks)
  const { differed, reason, ...rest } = record
  const isExplained = blocks !== undefined && record.state === "exact" && blocks.from <= (differed?.from ?? Infinity)
  const why =
    record.state === "drift"
      ? `${reason}; ${findingOf(answer, at)}`
      : isExplained
        ? healedReason(joined(record.healed, blocks))
        : reason
  return {
    ...rest,
    ...logs,
    ...(why === undefined ? {} : { reason: why }),
    ...(differed === undefined || isExplained ? {} : { differed }),
    ...(healed === undefined ? {} : { healed }),
  }
}

const joined = (a: BlockRange | undefined, b: BlockRange): BlockRange =>
  a === undefined ? b : { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) }

/** What asking for its logs has come to, of a token that differs. */
export const findingOf = (answer: HealAnswer, { blockNumber, firstBlock }: AsOf): string => {
  const { asked, blocks, surplus, node, unanswered, lacking, doubt, healed } = answer
  const parts = [
    ...(healed > 0
      ? [`${healed} rows of blocks ${blocks?.from} to ${blocks?.to} that a node had left out are in the ledger now`]
      : []),
    ...(lacking.length > 0
      ? [`a node gives ${lacking.length} logs that the ledger lacks, not taken in yet: ${doubt}`]
      : []),
    ...(surplus > 0 ? [`the ledger has ${surplus} rows that ${node} does not give: none goes on a node's word`] : []),
    ...(unanswered === undefined ? [] : [`whether a node left logs out cannot be told: ${unanswered}`]),
  ]
  if (parts.length > 0) return parts.join("; ")
  if (asked !== undefined && asked.from <= firstBlock && asked.to >= blockNumber) {
    return "its logs were asked again and are the ledger's: it is the contract's way, not a node's gap"
  }
  const share = asked === undefined ? "" : `: those of blocks ${asked.from} to ${asked.to} are the ledger's`
  return `its logs are being asked again${share}`
}
