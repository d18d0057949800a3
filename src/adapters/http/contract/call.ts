/** What an endpoint is asked, and what it answers, as plain data: no HTTP object goes further than the pipeline. */
import type { Effect } from "effect"
import type { AskedContract, AuditRead } from "../../../domain/audit/auditStatus.ts"
import type { AsOf, LeftOut } from "../../../model/block.ts"
import type { Address } from "../../../model/primitives.ts"
import type { AuditStore } from "../../../ports/AuditStore.ts"
import type { NodeTurnRefused } from "../../../ports/NodeTurn.ts"
import type { Fault } from "./faults.ts"
import type { MediaType } from "./mediaType.ts"
import type { Ports } from "./ports.ts"
import type { Query } from "./query.ts"
import type { RateState } from "./rateLimit.ts"

/** Asks this very service, as the same caller: path and query. Never rejects. */
export type Ask = (target: string) => Promise<Response>

/** Of endpoints that speak another protocol: what the client sent beside path, query and body. */
export interface Client {
  readonly header: (name: string) => string | null
  readonly ask: Ask
}

/** What a request asks. */
export interface Call {
  /** The path as it stood in the URL, for links. */
  readonly path: string
  /** Scheme and host by which the client came: its own word, for answers that nobody keeps. */
  readonly origin: () => string
  /** The path's parameters by name, decoded; `""` for a name the template does not have. */
  readonly param: (name: string) => string
  readonly query: Query
  readonly method: string
  /** What was sent with it, of endpoints with methods of their own. */
  readonly body?: string
  /** Whether the caller's key may manage webhooks. */
  readonly mayManage: () => boolean
  /** Whether the caller would be let in now: its key may be taken away while a stream is open. */
  readonly isLetIn: () => boolean
  /** The header `Last-Event-ID`: what a client of server-sent events had last. */
  readonly lastEventId?: string
  readonly client: Client
  /** Who calls, for counting; never a key. */
  readonly caller: string
  /** What the caller would like to read. */
  readonly media: MediaType
  /** Begins to read what the audit says of a contract. For those who know that they will answer: it may cost a statement. */
  readonly readAudit: (contract: AskedContract) => Effect.Effect<AuditRead, never, AuditStore>
  /** For those who are about to wait for a node: see the port NodeTurn. */
  readonly turnOfNode: Effect.Effect<void, NodeTurnRefused>
  /** What the caller has left of its limits, this call counted. */
  readonly rate: () => RateState
}

/** A body that comes in pieces. */
export interface TextChunks<R = Ports> {
  /** The next piece; undefined = that was all. One at a time. */
  readonly pull: Effect.Effect<string | undefined, Fault, R>
  /** Lets go what the pieces come from; always, at the end too. */
  readonly close: Effect.Effect<void>
  /** Whether somebody waits for what this holds: who is told so closes it. */
  readonly mustYield?: () => boolean
}

/** A body at the pace of whoever makes it. Either is called, once. */
export interface OpenStream {
  readonly open: () => ReadableStream<Uint8Array>
  /** Nobody is to read it. */
  readonly drop: () => void
}

/** Whom a question may be passed to: a service of Etherscan's API, or the chain's own node. */
export type Outside = "upstream" | "node"

/** Figures (balances, supplies, counts) of one contract; with `account`, the balances of that one. */
export interface FiguresOf {
  readonly token: Address
  readonly account?: Address
}

export interface Answer {
  /** The blocks the body speaks of; empty = unknown, the pipeline asks. */
  readonly asOf: ReadonlyArray<AsOf>
  /** Of how many chains it was asked; absent = one. */
  readonly chains?: number
  /** Chains that the request names, and of which it says nothing; absent = none. */
  readonly leftOut?: ReadonlyArray<LeftOut>
  /** Wire-shaped: `JSON.stringify` is its encoder. */
  readonly body: unknown
  /** Absent = fine. */
  readonly status?: number
  /** Of this moment or of this caller: neither kept by anybody nor validated. */
  readonly fleeting?: true
  /** Who was asked instead of the ledger: then no block of the ledger stands for the answer. */
  readonly outside?: Outside
  /** Some of it is a node's word, or what the audit says of it could not be read: it is made anew for each, and may be validated. */
  readonly ofNode?: true
  /** All of it is figures of these: neither what is learned nor what others do changes anything in it. */
  readonly figuresOf?: FiguresOf
  /** Instead of `body`: it is never validated. A content type must be among the headers. */
  readonly chunks?: TextChunks
  /** Instead of `body`, likewise. */
  readonly stream?: OpenStream
  /** Headers of its own. With a content type among them `body` is a text, sent as it is. */
  readonly headers?: Readonly<Record<string, string>>
}
