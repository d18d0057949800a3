/** What is kept beside the ledger, of a process whose reads may go to standbys: it is read there, and kept where a server takes writes. */
import { Effect, Layer } from "effect"
import { type StoreError, StoreUnavailable } from "../../../model/errors.ts"
import { KeptCopies } from "../../../ports/KeptCopies.ts"
import { KeptTransactions } from "../../../ports/KeptTransactions.ts"
import { WebhookStore } from "../../../ports/WebhookStore.ts"
import { Database, type DatabaseShape } from "../database/Database.ts"

/** Over the same services. Where no server takes writes nothing is kept, and none is tried; a change of a webhook fails there. */
export const layer = Layer.mergeAll(
  Layer.effect(
    KeptTransactions,
    Effect.gen(function* () {
      const inner = yield* KeptTransactions
      const { servers } = yield* Database
      return KeptTransactions.of({
        find: inner.find,
        keep: (chainId, transactions) => whereWritable(servers, inner.keep(chainId, transactions)),
      })
    }),
  ),
  Layer.effect(
    KeptCopies,
    Effect.gen(function* () {
      const inner = yield* KeptCopies
      const { servers } = yield* Database
      return KeptCopies.of({ find: inner.find, keep: (key, copy) => whereWritable(servers, inner.keep(key, copy)) })
    }),
  ),
  Layer.effect(
    WebhookStore,
    Effect.gen(function* () {
      const inner = yield* WebhookStore
      const { servers } = yield* Database
      const change = <A>(writing: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError> =>
        onWritable(servers, writing, Effect.fail(new StoreUnavailable({ cause: noneWritable, reason: noneWritable })))
      // Whoever changed one sees it changed at once: no standby is asked.
      const read = <A>(reading: Effect.Effect<A, StoreError>) => onWritable(servers, reading, reading)
      return WebhookStore.of({
        ...inner,
        create: (webhook) => change(inner.create(webhook)),
        change: (id, patch, seen) => change(inner.change(id, patch, seen)),
        remove: (id) => change(inner.remove(id)),
        list: read(inner.list),
        find: (id) => read(inner.find(id)),
      })
    }),
  ),
)

const noneWritable =
  "webhooks are changed where a server takes writes, and this process reaches none: ask one whose DATABASE_URL leads to the primary"

const whereWritable = <E, R>(servers: DatabaseShape["servers"], writing: Effect.Effect<void, E, R>) =>
  onWritable(servers, writing, Effect.void)

const onWritable = <A, E, R, E2>(
  { list, on }: DatabaseShape["servers"],
  work: Effect.Effect<A, E, R>,
  otherwise: Effect.Effect<A, E2, R>,
) =>
  Effect.suspend((): Effect.Effect<A, E | E2, R> => {
    const place = list().findIndex(({ isReached, isStandby, takesWrites }) => isReached && takesWrites && !isStandby)
    return place < 0 ? otherwise : on(place, work)
  })
