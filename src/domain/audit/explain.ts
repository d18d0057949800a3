/** Whether what differs is a node's gap or the contract's own way: its own logs are asked again, and what the ledger lacks of them is healed. */
import { Effect } from "effect"
import { isDrift } from "../../model/audit.ts"
import type { AsOf } from "../../model/block.ts"
import type { Address } from "../../model/primitives.ts"
import { AuditStore, type BlockRange } from "../../ports/AuditStore.ts"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"
import type { LedgerWriter } from "../../ports/Ledger.ts"
import { logAudited } from "./auditLog.ts"
import { type Audited, compareOrSetApart, type LetZeroAddressHold } from "./compare.ts"
import { explained } from "./explained.ts"
import type { AskSize } from "./missing/askLogs.ts"
import { type AuditsOf, askLost, joinRanges, type Lost, type WhenHealed } from "./missing/askLost.ts"
import { type HealAnswer, type HealSettings, healContract } from "./missing/healContract.ts"
import type { Heard } from "./missing/heard.ts"

export interface Explaining {
  readonly settings: HealSettings
  readonly writer: Pick<LedgerWriter, "heal">
  readonly letZeroAddressHold: LetZeroAddressHold
  /** Blocks up to here never change: what was asked of them is not asked again. */
  readonly finalBlock: number
  readonly size: AskSize
  /** Who was asked of those in drift, by this process: what is recorded does not tell whom. What is recorded of others of these is asked once more. Absent = nobody was. */
  readonly heard?: Map<Address, Heard>
  /** Questions that those in drift may cost together. */
  readonly calls: number
  /** Questions that each of so many others may cost: the look for missing logs does not hang on figures alone. */
  readonly others: { readonly tokens: number; readonly calls: number }
  /** What was asked before is asked once more. */
  readonly afresh?: boolean
  /** Of which logs are known to be missing. */
  readonly lost?: Lost
}

/**
 * The same tokens, with what their logs show; those that were healed, or that others compared meanwhile, are compared again. What changes is recorded, and then it
 * fails where they could not be. Where it fails the log tells what is recorded, also of whoever compared: the next look finds
 * nothing new in it.
 */
export const explainAudited = Effect.fnUntraced(function* (
  explaining: Explaining,
  at: AsOf,
  audited: ReadonlyArray<Audited>,
) {
  const { told, failure } = yield* Effect.tapError(tellAll(explaining, at, audited), () =>
    logAudited(at.chainId, audited),
  )
  if (failure === undefined) return told
  yield* logAudited(at.chainId, told)
  return yield* Effect.fail(failure)
})

/** What is recorded of some, and why they could not be compared again. */
interface Told {
  readonly told: ReadonlyArray<Audited>
  readonly failure: SourceUnavailable | undefined
}

const tellAll = Effect.fnUntraced(function* (explaining: Explaining, at: AsOf, audited: ReadonlyArray<Audited>) {
  const healed = new Map<Address, Told>()
  const ofContract = (address: Address) => audited.filter(({ token }) => token.address === address)
  // With the rows: this process may end, or the database's answer be lost, before anything else is recorded.
  const auditsOf: AuditsOf = (address, answer) =>
    ofContract(address).map(({ token: { standard }, record }) => ({
      ...{ standard, address },
      record: explained(record, { answer, at, finalBlock: explaining.finalBlock, isStale: true }),
    }))
  // At once: asking the others may take hours, and come to nothing.
  const whenHealed = Effect.fnUntraced(function* (address: Address, answer: HealAnswer) {
    const of = ofContract(address)
    const answers = new Map([[address, answer]])
    const { again, failure } = yield* compareAgain(explaining, [address])
    const isStale = failure !== undefined
    const compared = isStale ? of : again.map((each) => differingAsBefore(each, of))
    const told = yield* recordTold(explaining, at, { audited: compared, answers, before: of, isStale })
    healed.set(address, { told, failure })
  })
  const { answers, settled } = yield* askAll(explaining, at, audited, { whenHealed, auditsOf })
  const left = audited.filter(({ token }) => !healed.has(token.address))
  const overtaken = new Set(
    yield* overtakenOf(
      at,
      left.filter(({ token }) => answers.has(token.address)),
    ),
  )
  const { again, failure } = yield* compareAgain(explaining, [...overtaken])
  const others = left.filter(({ token }) => !overtaken.has(token.address))
  const told = yield* recordTold(explaining, at, {
    audited: [...others, ...again],
    answers,
    before: left,
    isStale: false,
  })
  // Whatever ends the look before leaves them to the next.
  explaining.lost?.told.forget(settled)
  const all: ReadonlyArray<Told> = [...healed.values(), { told, failure }]
  return {
    told: all.flatMap((each) => each.told),
    failure: all.find((each) => each.failure !== undefined)?.failure,
  }
})

/** What came in does not explain it: it differed all the time. */
const differingAsBefore = (each: Audited, before: ReadonlyArray<Audited>): Audited => {
  const { token, record } = each
  const was = before.find((it) => it.token.standard === token.standard)?.record.differed
  if (was === undefined || !isDrift(record.difference) || record.differed === undefined) return each
  return { ...each, record: { ...record, differed: joinRanges(was, record.differed) } }
}

interface Telling {
  readonly audited: ReadonlyArray<Audited>
  readonly answers: ReadonlyMap<Address, HealAnswer>
  /** As they were before they were compared again. */
  readonly before: ReadonlyArray<Audited>
  readonly isStale: boolean
}

/** What their logs show goes into their records. All of them. */
const recordTold = Effect.fnUntraced(function* (
  { finalBlock }: Explaining,
  at: AsOf,
  { audited, answers, before, isStale }: Telling,
) {
  const told = audited.map((each) => {
    const answer = answers.get(each.token.address)
    if (answer === undefined) return each
    const first = before.find(
      ({ token }) => token.address === each.token.address && token.standard === each.token.standard,
    )
    const original = first?.before === undefined ? {} : { before: first.before }
    return { token: each.token, ...original, record: explained(each.record, { answer, at, finalBlock, isStale }) }
  })
  const changed = told.filter(({ token }) => answers.has(token.address))
  yield* (yield* AuditStore).record(at.chainId, changed)
  return told
})

/** Asking may take hours. Of those that somebody else has compared since, at a later block, the record would be left out, and what their logs show with it. */
const overtakenOf = Effect.fnUntraced(function* ({ chainId }: AsOf, asked: ReadonlyArray<Audited>) {
  if (asked.length === 0) return []
  const addresses = asked.map(({ token }) => token.address)
  const { value } = yield* (yield* AuditStore).findMany(chainId, addresses)
  const blocks = new Map(value.map(({ address, standard, blockNumber }) => [`${address} ${standard}`, blockNumber]))
  return asked.flatMap(({ token: { address, standard }, record: { blockNumber } }) =>
    (blocks.get(`${address} ${standard}`) ?? -1) > blockNumber ? [address] : [],
  )
})

/** Those in drift, then some of the others that have been asked of least, as they come: the most active first. */
const askAll = Effect.fnUntraced(function* (
  { settings, writer, size, calls, others, heard = new Map(), afresh = false, lost }: Explaining,
  at: AsOf,
  audited: ReadonlyArray<Audited>,
  { whenHealed, auditsOf }: { readonly whenHealed: WhenHealed; readonly auditsOf: AuditsOf },
) {
  const answers = new Map<Address, HealAnswer>()
  const ask = Effect.fnUntraced(function* ({ token: { address }, record }: Audited, most: number) {
    const isDrift = record.state === "drift"
    const knownOf = heard.get(address)
    const isOpen = isDrift && (knownOf === undefined || (knownOf.others.length > 0 && isWhole(record.logs, at)))
    const answer = yield* healContract(settings, writer, address, {
      ...(afresh || isOpen ? {} : { known: record.logs, knownOf }),
      ...{ calls: most, size, auditsOf: (found) => auditsOf(address, found) },
    })
    if (answer !== undefined) answers.set(address, answer)
    if (isDrift && answer?.heard !== undefined) heard.set(address, answer.heard)
    else heard.delete(address)
    if (answer !== undefined && answer.healed > 0) yield* whenHealed(address, answer)
    return answer?.calls ?? 0
  })
  const { answers: found, settled } =
    lost === undefined
      ? { answers: [], settled: [] }
      : yield* askLost({ settings, writer, size, whenHealed, auditsOf }, lost)
  for (const [{ token }, answer] of found) answers.set(token, answer)
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
  return { answers, settled }
})

/** But for the newest blocks, which may change and are asked of again and again. */
const isWhole = (logs: BlockRange | undefined, { firstBlock, blockNumber }: AsOf): boolean =>
  logs !== undefined && logs.from <= firstBlock && logs.to >= blockNumber - mostBehind
const mostBehind = 5000

/** `failure`: they could not be. */
const compareAgain = Effect.fnUntraced(function* (
  { settings: { chainId }, letZeroAddressHold }: Explaining,
  tokens: ReadonlyArray<Address>,
) {
  if (tokens.length === 0) return { again: [], failure: undefined }
  const sample = yield* (yield* AuditStore).sample(chainId, { tokens }, { top: 3, recent: 2, places: [0, 0.5] })
  return yield* compareOrSetApart(sample, letZeroAddressHold).pipe(
    Effect.map((again) => ({ again, failure: undefined })),
    Effect.catchTag("SourceUnavailable", (failure) => Effect.succeed({ again: [], failure })),
  )
})
