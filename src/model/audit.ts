/** What comparing a token's ledger with the node's word at the same block has shown. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId, DateTimeString } from "./primitives.ts"
import { standards } from "./token.ts"

/**
 * `exact`: every figure compared was equal. `drift`: one was not (a mint or a fee without event, a wrong event),
 * or the ledger lacks logs that nodes give.
 * `rebasing`: balances move without events. `unverified`: not compared yet, or nobody can tell.
 */
export const auditStates = ["exact", "drift", "rebasing", "unverified"] as const
export const AuditState = Schema.Literals(auditStates).annotate({
  description:
    "`exact`: all that was compared with the node is equal; `drift`: something is not; `rebasing`: balances change " +
    "without events; `unverified`: not compared, or it cannot be",
})
export type AuditState = typeof AuditState.Type

/** How much a state says against a token's figures, least first. */
const bySeverity: ReadonlyArray<AuditState> = ["exact", "unverified", "rebasing", "drift"]

/** What may be said of figures of several tokens together; undefined of none. */
export const worstState = (states: ReadonlyArray<AuditState>): AuditState | undefined =>
  bySeverity.findLast((state) => states.includes(state))

/** What may make a token's figures suspect: of every block, or of those up to one. */
export interface Doubt {
  readonly state: AuditState
  /** The last block at which something differed; absent = never. */
  readonly differedTo?: number
  /** It may be older than the ledger, and is not known to be whole. */
  readonly partial?: true
}

/** A state that is told of a chain's tokens. */
export interface ChainState {
  readonly chainId: ChainId
  readonly state: AuditState
}

export const AuditDifference = Schema.Struct({
  of: Schema.Literals(["supply", "balance", "owner"]).annotateKey({ description: "Which figure is not the same" }),
  holder: Schema.optionalKey(Address).annotateKey({ description: "Whose balance it is" }),
  tokenId: Schema.optionalKey(BigIntString).annotateKey({ description: "Of which id" }),
  ledger: Schema.String.annotateKey({ description: "What the ledger says: raw subunits, or an owner" }),
  node: Schema.String.annotateKey({ description: "What the contract says at that block" }),
  counts: Schema.optionalKey(Schema.Literals(["amounts"])).annotateKey({
    description:
      "What the contract counts, where that is no drift. `amounts`: amounts in place of ids, as balances and supply of an " +
      "ERC-721 (ERC-404): those are the ledger's; absent = what the ledger counts",
  }),
}).annotate({ identifier: "AuditDifference" })
export type AuditDifference = typeof AuditDifference.Type

/** Whether it is drift. What a contract counts otherwise is not; who owns an id is, whatever its balances are. */
export const isDrift = (difference: AuditDifference | undefined): boolean =>
  difference !== undefined && (difference.counts === undefined || difference.of === "owner")

export const TokenAudit = Schema.Struct({
  chainId: ChainId,
  address: Address,
  standard: Schema.Literals(standards),
  state: AuditState,
  blockNumber: Schema.optionalKey(Schema.Finite).annotateKey({
    description: "The block at which both were read last; absent = never",
  }),
  timestamp: Schema.optionalKey(DateTimeString).annotateKey({ description: "Time of that block" }),
  compared: Schema.optionalKey(Schema.Finite).annotateKey({ description: "Figures that were compared there" }),
  difference: Schema.optionalKey(AuditDifference).annotateKey({
    description:
      "The first figure that was not the same. Of a token that is `exact` its contract counts something else there, as `counts` says",
  }),
  reason: Schema.optionalKey(Schema.String).annotateKey({ description: "Why it is in that state, in plain words" }),
}).annotate({ identifier: "TokenAudit" })
export type TokenAudit = typeof TokenAudit.Type

/** Why a token that nobody has looked at yet is `unverified`. */
export const neverCompared = "not compared with the node yet"
