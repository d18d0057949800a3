/** A request and its answer as plain data, at both ends of the pipeline. */
import type { AsOf } from "../../../model/block.ts"
import type { Client, FiguresOf, OpenStream, Outside, TextChunks } from "../contract/call.ts"
import type { Query } from "../contract/query.ts"
import type { Kind } from "../contract/statuses.ts"
import type { Encoding } from "../encoding/accepted.ts"

/** Until a body must have come whole. */
export const bodyPatienceMs = 10_000

export interface Incoming {
  readonly method: string
  /** Path and query as they stood in the URL. */
  readonly target: string
  /** As it stood in the URL. */
  readonly path: string
  /** Scheme and host by which the client came; absent = not known. */
  readonly origin?: () => string
  /** What a form has comes behind what the URL has. */
  readonly query: Query
  /** The body, where the endpoint takes one. */
  readonly body?: string
  /** Why it cannot be used. */
  readonly bodyProblem?: readonly [got: string, wanted: string]
  /** Why the form cannot be used. */
  readonly formProblem?: string
  /** Whether it could not be read beside all that were being read. */
  readonly hasNoRoom?: true
  /** The API key as sent. */
  readonly key: string | undefined
  /** The header `Accept` as sent. */
  readonly accept?: string | undefined
  /** The header `If-None-Match` as sent. */
  readonly ifNoneMatch?: string | undefined
  /** The header `Last-Event-ID` as sent. */
  readonly lastEventId?: string | undefined
  /** The header `Accept-Encoding` as sent. */
  readonly acceptEncoding?: string | undefined
  /** The header `x-min-block` as sent. */
  readonly minBlock?: string | undefined
  /** The caller's IP address. */
  readonly address: string
  readonly client: Client
}

export interface Outgoing {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Those that it has besides, in common with others: to be copied. Absent = none. */
  readonly alike?: Headers
  /** Absent = no body, or one in pieces. */
  readonly text?: string
  /** Whoever sends them closes them. */
  readonly chunks?: TextChunks
  readonly stream?: OpenStream
  /** What the body goes in; absent = as it is. */
  readonly encoding?: Encoding
  /** Why it is a refusal; absent = it is an answer. */
  readonly fault?: Kind
}

/** An answer without the headers of every answer. */
export interface Reply extends Outgoing {
  /** Empty = unknown as yet, unless `isRead`. */
  readonly asOf: ReadonlyArray<AsOf>
  /** The ledger was read for it: where that has no points, a later look at them would be of another ledger. */
  readonly isRead?: boolean
  /** Of how many chains it was asked; absent = one. */
  readonly chains?: number
  /** Whose answer it is, where it is not the ledger's. */
  readonly outside?: Outside
  /** To a fault found before anything was read: it must cost nothing either. */
  readonly cheap?: boolean
  /** Whether some of it is a node's word, or what the audit says of it could not be read. */
  readonly ofNode?: boolean
  /** All of it is figures of these; absent = it is not. */
  readonly figuresOf?: FiguresOf
  /** Whether the text has a tag of its own. */
  readonly validated?: boolean
  /** That tag, where it is known. */
  readonly etag?: string
}
