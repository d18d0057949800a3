/** An endpoint is data: its name, its path, the style of its answers, and what it answers to a call. */
import type { Effect, Schema } from "effect"
import type { AuditStatus } from "../../../domain/audit/current.ts"
import type { AsOf } from "../../../model/block.ts"
import type { ApiKeys } from "../../../ports/ApiKeys.ts"
import type { AuditStore } from "../../../ports/AuditStore.ts"
import type { Freshness } from "../../../ports/Freshness.ts"
import type { HolderStore } from "../../../ports/HolderStore.ts"
import type { LedgerCounts } from "../../../ports/LedgerCounts.ts"
import type { NativeSupplySource } from "../../../ports/NativeSupplySource.ts"
import type { Networks } from "../../../ports/Networks.ts"
import type { NftStore } from "../../../ports/NftStore.ts"
import type { Snapshots } from "../../../ports/Snapshots.ts"
import type { SupplyStore } from "../../../ports/SupplyStore.ts"
import type { SwapStore } from "../../../ports/SwapStore.ts"
import type { SyncStatus } from "../../../ports/SyncStatus.ts"
import type { TokenStore } from "../../../ports/TokenStore.ts"
import type { TokenViews } from "../../../ports/TokenViews.ts"
import type { TransferStore } from "../../../ports/TransferStore.ts"
import type { TrustedTokens } from "../../../ports/TrustedTokens.ts"
import type { Fault } from "./faults.ts"
import type { MediaType } from "./mediaType.ts"
import type { ParameterDocs } from "./parameter.ts"
import { decodeSegment, type Query } from "./query.ts"
import type { RateState } from "./rateLimit.ts"

/** What answering may need. */
export type Ports =
  | ApiKeys
  | AuditStore
  | Freshness
  | HolderStore
  | LedgerCounts
  | NativeSupplySource
  | Networks
  | NftStore
  | Snapshots
  | SupplyStore
  | SwapStore
  | SyncStatus
  | TokenStore
  | TokenViews
  | TransferStore
  | TrustedTokens

/** How refusals are phrased: with HTTP statuses, or in the compatibility envelope. */
export type Style = "native" | "compat"

/** What a request asks, as plain data: no HTTP object goes further than the pipeline. */
export interface Call {
  /** The path as it stood in the URL, for links. */
  readonly path: string
  /** The path's parameters by name, decoded; `""` for a name the template does not have. */
  readonly param: (name: string) => string
  readonly query: Query
  /** What the caller would like to read. */
  readonly media: MediaType
  /** What the audit says of the one contract that is asked about; absent = nothing, or it is not about one. */
  readonly auditStatus?: AuditStatus
  /** What the caller has left of its limits, this call counted. */
  readonly rate: () => RateState
}

/** A body that comes in pieces. */
export interface TextChunks<R = Ports> {
  /** The next piece; undefined = that was all. One at a time. */
  readonly pull: Effect.Effect<string | undefined, Fault, R>
  /** Lets go what the pieces come from; always, at the end too. */
  readonly close: Effect.Effect<void>
}

export interface Answer {
  /** The blocks the body speaks of; empty = unknown, the pipeline asks. */
  readonly asOf: ReadonlyArray<AsOf>
  /** Wire-shaped: `JSON.stringify` is its encoder. */
  readonly body: unknown
  /** The block after which the body's figures are; absent = now. */
  readonly ofBlock?: number
  /** Absent = fine. */
  readonly status?: number
  /** Of this moment or of this caller: neither kept by anybody nor validated. */
  readonly fleeting?: true
  /** Instead of `body`: it is never validated. A content type must be among the headers. */
  readonly chunks?: TextChunks
  /** Headers of its own. With a content type among them `body` is a text, sent as it is. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What the documentation says of an endpoint beyond its path. */
export interface EndpointDoc {
  readonly summary: string
  readonly description?: string
  /** The query, in the order in which its faults are found. */
  readonly query: ParameterDocs
  /** The body of an answer with status 200. */
  readonly body: Schema.Top
  /** Its rows come as NDJSON and CSV too, where `Accept` asks for them. */
  readonly streamed?: true
  /** The refusals of its own, beside those of every endpoint of its style. */
  readonly faults: ReadonlyArray<Fault["_tag"]>
}

export interface Endpoint {
  readonly id: string
  /** `{name}` stands for one segment. */
  readonly path: string
  readonly style: Style
  /** Answers to everybody, without key and limit. */
  readonly open?: boolean
  readonly doc: EndpointDoc
  readonly answer: (call: Call) => Effect.Effect<Answer, Fault, Ports>
}

/** What every path about a chain starts with. */
export const chainPath = "/v2/network/{networkId}/evm/{chainId}"

/** The values that a path has where the template has names. Both are compared by position only. */
export const pathParameters = (template: string, path: string): ReadonlyMap<string, string> => {
  const segments = path.split("/")
  const named = template.split("/").flatMap((part, index): ReadonlyArray<[string, string]> => {
    const segment = segments[index]
    return part.startsWith("{") && segment !== undefined ? [[part.slice(1, -1), decodeSegment(segment)]] : []
  })
  return new Map(named)
}
