/** Compares tokens beside the ledger for as long as it is written: a few at a time, never in its way. */
import { Clock, Effect, Option, Random } from "effect"
import { AuditStore } from "../../ports/AuditStore.ts"
import { TokenViews } from "../../ports/TokenViews.ts"
import { type Following, windowOf } from "../ingest/state.ts"
import { logAudited } from "./auditLog.ts"
import { type Audited, compareOrSetApart } from "./compare.ts"

/** Tokens that are due at a look, and up to half as many more: where one call carries many questions, and where it does not. */
const dueTogether = 24
const dueAlone = 2
/** Between reading the ledger and asking the node, in milliseconds: behind one address some nodes are a block late. */
const settling = 2000
/** Looks in a row that fail until the log says so. */
const patience = 3

/** Never ends and never fails. Does nothing where there is nobody to ask, or AUDIT is off. */
export const auditInBackground = Effect.fn("auditInBackground")(function* (following: Following) {
  const { chainId, auditSeconds } = following.settings
  const services = Option.all([yield* Effect.serviceOption(AuditStore), yield* Effect.serviceOption(TokenViews)])
  if (auditSeconds === undefined || Option.isNone(services)) return
  const [store, views] = services.value
  let failures = 0
  const look = lookAtTokens(following).pipe(
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
        ++failures === patience
          ? Effect.logWarning(`chain ${chainId}: tokens cannot be compared with the node at the moment`, cause)
          : Effect.void,
    }),
  )
  // Chains that start together do not look together.
  yield* Effect.sleep(auditSeconds * 1000 * (yield* Random.next))
  while (true) {
    const before = yield* Clock.currentTimeMillis
    if (isLive(following)) yield* look
    const passed = (yield* Clock.currentTimeMillis) - before
    yield* Effect.sleep(Math.max(auditSeconds * 1000 - passed, 1000))
  }
})

/** The node's newest states are those that it keeps for sure. */
const isLive = ({ checkpoint: { head }, nodeHead, settings }: Following): boolean =>
  head !== undefined && nodeHead - head.number < windowOf(settings)

const lookAtTokens = Effect.fnUntraced(function* ({ settings: { chainId }, writer }: Following) {
  const store = yield* AuditStore
  const due = (yield* TokenViews).perCall(chainId) > 1 ? dueTogether : dueAlone
  const places = [yield* Random.next, yield* Random.next]
  const { asOf, value } = yield* store.sample(chainId, { due }, { top: 3, recent: 2, places })
  // Where no block has come since, there is nothing new to say of it.
  const samples = value.filter(({ last }) => last?.blockNumber !== asOf[0]?.blockNumber)
  if (samples.length === 0) return [] as ReadonlyArray<Audited>
  yield* Effect.sleep(settling)
  return yield* compareOrSetApart({ asOf, value: samples }, (tokens) =>
    Effect.as(writer.letZeroAddressHold(tokens), true),
  )
})
