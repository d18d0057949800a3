/** Logs of the newest blocks, each asked by its hash and held against its bloom and its receipts. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { checkBlooms } from "./bloomCheck.ts"
import { learnReliable } from "./blooms.ts"
import { type LogsByHash, notAnswered, settleByHash } from "./byHash.ts"
import { checkReceipts, proveAhead, type TransactionPlaces, withPlaces } from "./receiptsCheck.ts"
import type { Verifier } from "./verifier.ts"

/** Blocks whose logs are kept; more are of blocks that were replaced since. */
const mostKept = 128

export interface NewestLogs {
  /** The first of these blocks whose logs are believed, and those; at least one block, or it fails. Of nodes that are not level, each call may meet another. */
  readonly read: (headers: ReadonlyArray<SourceHeader>) => Effect.Effect<BelievedBlocks, SourceUnavailable>
  /** Those that are stored: what was read of them is kept no longer. */
  readonly forget: (headers: ReadonlyArray<Pick<SourceHeader, "hash">>) => void
}

export interface BelievedBlocks {
  readonly headers: ReadonlyArray<SourceHeader>
  readonly logs: ReadonlyArray<Log>
}

export const makeNewestLogs = (verifier: Verifier): NewestLogs => {
  /** Of blocks that are not stored yet, where one before them keeps them waiting. */
  const known: LogsByHash = new Map()
  const logsOf = (headers: ReadonlyArray<SourceHeader>) => headers.flatMap(({ hash }) => known.get(hash) ?? [])
  const read = Effect.fnUntraced(function* (headers: ReadonlyArray<SourceHeader>) {
    const [settled, ahead] = yield* Effect.all(
      [settleByHash(verifier, headers, known), proveAhead(verifier, headers)],
      {
        concurrency: 2,
      },
    )
    verifier.traits.settledSinceLag += settled
    if (settled === 0) return yield* notAnswered(headers[0]!)
    let believed = headers.slice(0, settled)
    learnReliable(verifier.traits, believed, logsOf(believed))
    let error: SourceUnavailable | undefined
    const places: TransactionPlaces = new Map()
    for (const check of [checkBlooms, checkReceipts]) {
      const rejection = yield* check(verifier, believed, logsOf(believed), { ahead, places })
      if (rejection === undefined) continue
      const place = believed.indexOf(rejection.header)
      // What the same node told of the blocks behind it is asked again too.
      for (const { hash } of believed.slice(place)) known.delete(hash)
      believed = believed.slice(0, place)
      error = rejection.error
    }
    if (believed.length === 0 && error !== undefined) return yield* error
    // Those before it are stored: the block may come right from another node before anybody fails.
    if (error !== undefined) yield* verifier.report.refused(error)
    return { headers: believed, logs: withPlaces(logsOf(believed), places) }
  })
  const trim = Effect.sync(() => {
    if (known.size > mostKept) known.clear()
  })
  return {
    read: (headers) =>
      read(headers).pipe(
        Effect.tap(trim),
        Effect.tapError(() => trim),
      ),
    forget: (headers) => {
      for (const { hash } of headers) known.delete(hash)
    },
  }
}
