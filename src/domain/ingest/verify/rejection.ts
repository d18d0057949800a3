/** A block whose logs are not believed: it is not stored, and read again. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { type ChainSourceClient, type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"

/** The first block whose logs are denied. Those before it stand. */
export interface Rejection {
  readonly header: SourceHeader
  readonly error: SourceUnavailable
}

interface Rejected {
  readonly header: SourceHeader
  readonly logs: ReadonlyArray<Log>
  readonly why: string
  /** Default: `logs`. */
  readonly kind?: "receipts" | "order"
}

/** It is read from another node first, where there is one. */
export const reject = Effect.fnUntraced(function* (
  node: Pick<ChainSourceClient, "failover">,
  { header, logs, why, kind }: Rejected,
) {
  const message = `block ${header.number}: ${logs.length} token logs came, ${why}; it is not stored until the answers agree`
  yield* node.failover
  return { header, error: new SourceUnavailable({ kind: kind ?? "logs", message }) } satisfies Rejection
})
