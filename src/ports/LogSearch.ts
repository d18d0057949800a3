/** Searches a chain's logs, asked of its own node: all that match, or a failure; never a part of them. */
import { Context, type Effect, Schema } from "effect"
import type { Log } from "../model/block.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

export interface LogFilter {
  readonly fromBlock: number
  /** Absent = up to the node's newest block. */
  readonly toBlock?: number
  readonly address?: Address
  /** By place; absent = any. */
  readonly topics: readonly [string?, string?, string?, string?]
  /** Whether all of them must be as given, or one of them. */
  readonly match: "all" | "any"
}

/** A log with what Etherscan tells beside it. */
export interface FoundLog extends Log {
  /** Of its block, seconds. */
  readonly time: number
  /** In wei, what was paid. */
  readonly gasPrice: bigint
  readonly gasUsed: bigint
  readonly txIndex: number
}

export interface FoundLogs {
  /** Ascending by block and place. */
  readonly logs: ReadonlyArray<FoundLog>
  /** Up to which block all that match is known to be before the window's end. */
  readonly searchedTo: number
}

/** The range is too wide for the node, or takes too many questions. */
export class LogsRefused extends Schema.TaggedError<LogsRefused>()("LogsRefused", { message: Schema.String }) {}

/** Those behind the first `skip`, `take` at most. */
export interface LogWindow {
  readonly skip: number
  readonly take: number
}

export class LogSearch extends Context.Service<
  LogSearch,
  {
    find(
      chainId: ChainId,
      filter: LogFilter,
      window: LogWindow,
    ): Effect.Effect<FoundLogs, LogsRefused | SourceUnavailable>
  }
>()("cowry/LogSearch") {}
