/** What is kept beside the ledger, of a process whose reads may go to standbys: it is read there, and kept where a server takes writes. */
import { Effect, Layer } from "effect"
import { KeptCopies } from "../../../ports/KeptCopies.ts"
import { KeptTransactions } from "../../../ports/KeptTransactions.ts"
import { Database, type DatabaseShape } from "../database/Database.ts"

/** Over the same services. Where no server takes writes nothing is kept, and none is tried. */
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
)

const whereWritable = <E, R>({ list, on }: DatabaseShape["servers"], writing: Effect.Effect<void, E, R>) =>
  Effect.suspend(() => {
    const place = list().findIndex(({ isReached, isStandby, takesWrites }) => isReached && takesWrites && !isStandby)
    return place < 0 ? Effect.void : on(place, writing)
  })
