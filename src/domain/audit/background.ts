/** Compares tokens beside the ledger for as long as it is written: a few at a time, never in its way. */
import { Effect, Option, Random } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { AuditStore } from "../../ports/AuditStore.ts"
import { TokenViews } from "../../ports/TokenViews.ts"
import type { FollowedLedger } from "../ingest/status/FollowedLedger.ts"
import { windowOf } from "../ingest/status/window.ts"
import { logAudited } from "./auditLog.ts"
import { type Audited, compareOrSetApart } from "./compare.ts"

/** Tokens that are due at a look, and up to half as many more: where one call carries many questions, and where it does not. */
const dueTogether = 24
const dueAlone = 2
/** Between reading the ledger and asking the node: behind one address some nodes are a block late. */
const settlingMs = 2000
const shortestPauseMs = 1000
/** Looks in a row that fail until the log says so. */
const silentFailures = 3

export interface AuditSettings {
  readonly chainId: ChainId
  /** FINALITY: blocks this far below the head never change. */
  readonly finality: number
  /** AUDIT_SECONDS: between two looks at tokens that are compared with the node; absent = AUDIT is off. */
  readonly auditSeconds?: number
}

/** Never ends and never fails. Does nothing where there is nobody to ask, or AUDIT is off. */
export const auditInBackground = Effect.fnUntraced(function* (settings: AuditSettings, ledger: FollowedLedger) {
  const { chainId, auditSeconds } = settings
  const services = Option.all([yield* Effect.serviceOption(AuditStore), yield* Effect.serviceOption(TokenViews)])
  if (auditSeconds === undefined || Option.isNone(services)) return
  const [store, views] = services.value
  let failures = 0
  const look = lookAtTokens(chainId, ledger).pipe(
    Effect.provideService(AuditStore, store),
    Effect.provideService(TokenViews, views),
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
  // Chains that start together do not look together.
  yield* Effect.sleep(auditSeconds * 1000 * (yield* Random.next))
  while (true) {
    const before = yield* steadyMillis
    if (isLive(settings, ledger)) yield* look
    const passed = (yield* steadyMillis) - before
    yield* Effect.sleep(Math.max(auditSeconds * 1000 - passed, shortestPauseMs))
  }
})

/** The node's newest states are those that it keeps for sure. */
const isLive = (settings: AuditSettings, { checkpoint, nodeHead }: FollowedLedger): boolean => {
  const { head } = checkpoint()
  return head !== undefined && nodeHead() - head.number < windowOf(settings)
}

const lookAtTokens = Effect.fnUntraced(function* (chainId: ChainId, { writer }: FollowedLedger) {
  const store = yield* AuditStore
  const due = (yield* TokenViews).perCall(chainId) > 1 ? dueTogether : dueAlone
  const places = [yield* Random.next, yield* Random.next]
  const { asOf, value } = yield* store.sample(chainId, { due }, { top: 3, recent: 2, places })
  // Where no block has come since, there is nothing new to say of it.
  const samples = value.filter(({ last }) => last?.blockNumber !== asOf[0]?.blockNumber)
  if (samples.length === 0) return [] as ReadonlyArray<Audited>
  yield* Effect.sleep(settlingMs)
  return yield* compareOrSetApart({ asOf, value: samples }, (tokens) =>
    Effect.as(writer.letZeroAddressHold(tokens), true),
  )
})
