/** Final blocks of a chain from elsewhere than its node: a portal, or a folder of files. Nothing of it is believed for itself. */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { Log } from "../model/block.ts"
import { FaultKind } from "../model/fault.ts"
import type { ChainId } from "../model/primitives.ts"
import type { SourceHeader } from "./ChainSource.ts"

/** It does not answer, or what came cannot be. In plain words without secrets. `retryAfterMs`: when it wants to be asked again. */
export class HistoryUnavailable extends Schema.TaggedError<HistoryUnavailable>()("HistoryUnavailable", {
  message: Schema.String,
  kind: FaultKind,
  retryAfterMs: Schema.optionalKey(Schema.Finite),
}) {}

export interface HistoryHeader extends Omit<SourceHeader, "receipts"> {
  /** Its hash is that of its fields: then all of them are those of the block of that hash. */
  readonly isHashed: boolean
  /** Root of its receipts; absent = not told. */
  readonly receiptsRoot?: string
  /** 256 bytes in hex; absent = not told. */
  readonly logsBloom?: string
}

/** Blocks that follow each other, as the source has them: held against nothing. */
export interface HistoryPart {
  /** At least one. */
  readonly headers: ReadonlyArray<HistoryHeader>
  /** Token logs of these blocks, each after the one that came before it in the source. */
  readonly logs: ReadonlyArray<Log>
  /** Unpacked. */
  readonly bytes: number
}

export interface HistorySpan {
  readonly from: number
  /** The newest final block that it has; below `from` where it has none. */
  readonly to: number
}

export interface HistoryReader {
  /** The next blocks; undefined = it ended. */
  readonly next: Effect.Effect<HistoryPart | undefined, HistoryUnavailable>
}

export interface HistoryClient {
  /** What may be shown of where it is. */
  readonly label: string
  readonly span: Effect.Effect<HistorySpan, HistoryUnavailable>
  /** Reads blocks `from` to `to` in order, as many as come, until the scope ends. Begins with the first `next`. */
  readonly read: (from: number, to: number) => Effect.Effect<HistoryReader, never, Scope.Scope>
}

export class HistorySource extends Context.Service<
  HistorySource,
  {
    /** Undefined where none is configured for the chain. */
    of(chainId: ChainId): HistoryClient | undefined
  }
>()("cowry/HistorySource") {}
