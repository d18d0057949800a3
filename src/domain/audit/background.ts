/** Compares tokens beside the ledger for as long as it is written: a few at a time, never in its way. */
import { Effect, Option, Random, Result } from "effect"
import { type Address, addressOfHex } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { type AuditSample, AuditStore } from "../../ports/AuditStore.ts"
import { ChainSource } from "../../ports/ChainSource.ts"
import { TokenViews } from "../../ports/TokenViews.ts"
import type { FollowedLedger } from "../ingest/status/FollowedLedger.ts"
import { windowOf } from "../ingest/status/window.ts"
import { logAudited } from "./auditLog.ts"
import { type Audited, asBefore, compareOrSetApart, type LetZeroAddressHold } from "./compare.ts"
import { describeAnew } from "./describeAnew.ts"
import { explainAudited } from "./explain.ts"
import { type AskSize, firstAskSize } from "./missing/askLogs.ts"
import type { LostSoFar } from "./missing/askLost.ts"
import type { HealSettings } from "./missing/healContract.ts"
import type { Heard } from "./missing/heard.ts"

/** Tokens that are due at a look, and up to half as many more: where one call carries many questions, and where it does not. */
const dueTogether = 24
const dueAlone = 2
/** Between reading the ledger and asking the node: behind one address some nodes are a block late. Of a fast chain so many blocks, for nodes keep the states of 128 mostly. */
const settling = { ms: 2000, blocks: 16 }
const shortestPauseMs = 1000
/** Between two looks at what a node is known to have left out, where tokens are not compared. */
const lostSeconds = 60
/** Looks in a row that fail until the log says so. */
const silentFailures = 3

/** Questions of a look at tokens' own logs: of those that are known to lack some together, of those in drift together, and of each of a few others. */
const lostCalls = 120
const logCalls = 24
const otherLogs = { tokens: 2, calls: 3 }

export interface AuditSettings extends HealSettings {
  /** FINALITY: blocks this far below the head never change. */
  readonly finality: number
  /** AUDIT_SECONDS: between two looks at tokens that are compared with the node; absent = AUDIT is off. */
  readonly auditSeconds?: number
}

/** What is kept from look to look. */
interface Learned {
  readonly size: AskSize
  readonly heard: Map<Address, Heard>
  readonly soFar: LostSoFar
  /** The last look was at those of which logs are known to be missing. */
  wasAtLost: boolean
}

/** Never ends and never fails. Does nothing where there is nobody to ask. With AUDIT off only what a node is known to have left out is looked at. */
export const auditInBackground = Effect.fnUntraced(function* (settings: AuditSettings, ledger: FollowedLedger) {
  const { chainId, auditSeconds } = settings
  const services = Option.all([
    yield* Effect.serviceOption(AuditStore),
    yield* Effect.serviceOption(TokenViews),
    yield* Effect.serviceOption(ChainSource),
  ])
  if (Option.isNone(services)) return
  const [store, views, source] = services.value
  const learned: Learned = { size: firstAskSize(), heard: new Map(), soFar: new WeakMap(), wasAtLost: false }
  let failures = 0
  const look = lookAtTokens(settings, ledger, learned).pipe(
    Effect.provideService(AuditStore, store),
    Effect.provideService(TokenViews, views),
    Effect.provideService(ChainSource, source),
    Effect.andThen((audited) => logAudited(chainId, audited)),
    // A bug must not end the audit in silence either.
    Effect.catchDefect(Effect.fail),
    Effect.matchEffect({
      onSuccess: () =>
        Effect.sync(() => {
          failures = 0
        }),
      onFailure: (cause) =>
        ++failures === silentFailures
          ? Effect.logWarning(`chain ${chainId}: tokens cannot be compared with the node at the moment`, cause)
          : Effect.void,
    }),
  )
  const pauseMs = (auditSeconds ?? lostSeconds) * 1000
  // Chains that start together do not look together.
  yield* Effect.sleep(pauseMs * (yield* Random.next))
  while (true) {
    const before = yield* steadyMillis
    if (isLive(settings, ledger, before)) yield* look
    const passed = (yield* steadyMillis) - before
    yield* Effect.sleep(Math.max(pauseMs - passed, shortestPauseMs))
  }
})

/** Whoever makes tokens may choose their addresses: none of these is always in front. */
const randomAddress = Effect.map(Random.nextInt, (number) =>
  addressOfHex(`0x${(number >>> 0).toString(16).padStart(8, "0")}${"0".repeat(32)}`),
)

/** The node's newest states are those that it keeps for sure. A fast chain's window is over in less than a second. */
const isLive = (settings: AuditSettings, { checkpoint, nodeHead, pace }: FollowedLedger, now: number): boolean => {
  const { head } = checkpoint()
  if (head === undefined) return false
  return nodeHead() - head.number < windowOf(settings) || pace.isNear(head.number + 1, now)
}

/** Those of which the ledger may lack logs come first, and alone: theirs are asked for whatever their figures say. Every other look is the others', for that may take long. */
const lookAtTokens = Effect.fnUntraced(function* (
  { wrappedNative, chainId, auditSeconds }: AuditSettings,
  { writer, checkpoint, lost, pace }: FollowedLedger,
  learned: Learned,
) {
  const store = yield* AuditStore
  const due = (yield* TokenViews).perCall(chainId) > 1 ? dueTogether : dueAlone
  const places = [yield* Random.next, yield* Random.next]
  const isOthers = learned.wasAtLost && auditSeconds !== undefined
  const inDoubt = isOthers ? [] : lost.due(due, yield* steadyMillis)
  learned.wasAtLost = inDoubt.length > 0
  const tokens = inDoubt.map(({ token }) => token)
  if (tokens.length === 0 && auditSeconds === undefined) return []
  const choice = tokens.length > 0 ? { tokens } : { due, from: yield* randomAddress }
  const { asOf, value } = yield* store.sample(chainId, choice, { top: 3, recent: 2, places })
  // Where no block has come since, there is nothing new to say of it.
  const isNew = ({ last }: AuditSample) => last?.blockNumber !== asOf[0]?.blockNumber
  const samples = tokens.length > 0 ? value : value.filter(isNew)
  if (asOf[0] === undefined || (samples.length === 0 && inDoubt.length === 0)) return [] as ReadonlyArray<Audited>
  yield* Effect.sleep(Math.min(settling.ms, settling.blocks * (pace.blockMs() ?? settling.ms)))
  const letZeroAddressHold: LetZeroAddressHold = (found) => Effect.as(writer.letZeroAddressHold(found), true)
  const { finalizedBlock: finalBlock } = checkpoint()
  const settings = { chainId, wrappedNative }
  const explaining = {
    settings,
    writer,
    letZeroAddressHold,
    finalBlock,
    size: learned.size,
    heard: learned.heard,
    calls: logCalls,
    others: otherLogs,
    lost: { tokens: inDoubt, told: lost, calls: lostCalls, soFar: learned.soFar },
  }
  const compared = yield* Effect.result(compareOrSetApart({ asOf, value: samples }, letZeroAddressHold))
  if (Result.isSuccess(compared)) {
    const audited = yield* explainAudited(explaining, asOf[0], compared.success)
    if (tokens.length === 0) yield* describeAnew(chainId, writer, samples)
    return audited
  }
  const error = compared.failure
  // What is known to be lost does not hang on figures.
  if (error._tag === "SourceUnavailable" && inDoubt.length > 0) {
    yield* logAudited(chainId, yield* explainAudited(explaining, asOf[0], asBefore(samples, error)))
  }
  return yield* Effect.fail(error)
})
