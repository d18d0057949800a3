/** A block whose logs are not believed: it is not stored, and read again. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { type ChainSourceClient, type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"

/** The first block whose logs are denied. Those before it stand. */
export interface Rejection {
  readonly header: SourceHeader
  readonly why: string
  readonly error: SourceUnavailable
  /** All that were found, where that is more than the first. */
  readonly denied?: ReadonlyArray<SourceHeader>
}

interface Rejected {
  readonly header: SourceHeader
  readonly logs: ReadonlyArray<Log>
  readonly why: string
  /** Default: `logs`. */
  readonly kind?: "receipts" | "order"
}

/** It is read from another node first, where there is one. */
export const reject = (node: Pick<ChainSourceClient, "failover">, rejected: Rejected) =>
  Effect.as(node.failover, rejectOf(rejected))

export const rejectOf = ({ header, logs, why, kind }: Rejected): Rejection => {
  const message = `block ${header.number}: ${logs.length} token logs came, ${why}; it is not stored until the answers agree`
  return { header, why, error: new SourceUnavailable({ kind: kind ?? "logs", message }) }
}
