/** A compatibility action is data: module, action, its parameters, and the domain's answer. */
import { Effect, Exit, Result, type Schema } from "effect"
import type { BalanceSource } from "../../../domain/audit/askNode.ts"
import {
  type AboutStandard,
  type AuditRead,
  type AuditStatus,
  noAudit,
  toldState,
} from "../../../domain/audit/auditStatus.ts"
import type { AuditState } from "../../../model/audit.ts"
import type { FigureUnknown, HistoryNotAvailable, InvalidParameter, StoreError } from "../../../model/errors.ts"
import type { Snapshot } from "../../../model/page.ts"
import type { Address, ChainId } from "../../../model/primitives.ts"
import { NodeTurn } from "../../../ports/NodeTurn.ts"
import type { Answer, Call, FiguresOf } from "../contract/call.ts"
import { type Cost, costOf } from "../contract/cost.ts"
import type { Newness } from "../contract/endpoint.ts"
import type { CompatFault } from "../contract/faults.ts"
import {
  type Decoded,
  decodeParameters,
  defined,
  docsOf,
  type ParameterDocs,
  type Parameters,
} from "../contract/parameter.ts"
import type { Ports } from "../contract/ports.ts"
import type { RateState } from "../contract/rateLimit.ts"
import type { Dialect, ListKind } from "./dialect.ts"
import { invalidBlock, refusal } from "./parameters.ts"

/** An action's result, where its figures come from if that is to be said, and the state of what it is about. */
type Sourced = Snapshot<unknown> & {
  readonly source?: BalanceSource
  readonly state?: AuditState
  /** Whether some of it is a node's word, or what the audit says of it could not be read: then it is nothing to be given to others. */
  readonly ofNode?: boolean
  /** All of it is figures of these. */
  readonly figuresOf?: FiguresOf
}

/** What an action is asked: the chain, in which wording, and the call with its query's names in lower case. */
export interface CompatCall extends Pick<Call, "query" | "readAudit" | "turnOfNode"> {
  readonly chainId: ChainId
  readonly dialect: Dialect
}

/** What the documentation says of an action beyond its names. */
export interface CompatActionDoc {
  readonly summary: string
  /** The query beside `module` and `action`, in the order in which its faults are found. */
  readonly query: ParameterDocs
  /** The `result` of the envelope. */
  readonly result: Schema.Top
}

interface AnyAction {
  readonly module: string
  readonly action: string
  readonly doc: CompatActionDoc
  /** Of a query with names in lower case. */
  readonly cost: (query: Call["query"]) => Cost
}

/** Speaks of one chain. */
export interface ChainAction extends AnyAction {
  readonly of: "chain"
  /** Absent = an empty list is worded as any other answer. */
  readonly list?: ListKind
  readonly result: (call: CompatCall) => Effect.Effect<Sourced, CompatFault | StoreError, Ports>
}

/** Speaks of the caller, not of a chain: a `chainid` beside it says nothing. */
export interface CallerAction extends AnyAction {
  readonly of: "caller"
  readonly result: (rate: RateState) => unknown
}

/** Answered by others than the ledger, in a body of its own. */
export interface NodeAction extends Pick<AnyAction, "module" | "action"> {
  readonly of: "node"
  readonly doc: Omit<CompatActionDoc, "result">
  readonly cost: () => Cost
  /** Absent = `none`. */
  readonly newness?: Newness
  /** `query` with names in lower case. */
  readonly answer: (
    call: Omit<CompatCall, "readAudit" | "turnOfNode">,
  ) => Effect.Effect<Answer, CompatFault | StoreError, Ports>
}

export type CompatAction = ChainAction | CallerAction

/** It reads nothing. */
export const callerAction = (spec: {
  readonly module: string
  readonly action: string
  readonly summary: string
  readonly shape: Schema.Top
  readonly result: CallerAction["result"]
}): CallerAction => ({
  of: "caller",
  module: spec.module,
  action: spec.action,
  doc: { summary: spec.summary, query: {}, result: spec.shape },
  cost: () => "cheap",
  result: spec.result,
})

/** `parameters` in the order in which their faults are found: address, contractaddress, block, window. */
export const compatAction = <P extends Parameters<CompatFault>>(spec: {
  readonly module: string
  readonly action: string
  readonly summary: string
  readonly shape: Schema.Top
  readonly list?: ListKind
  /** It reads much, whatever is asked; absent = its parameters say. */
  readonly isCostly?: boolean
  /** `always`: what it tells is the chain's node's. `perhaps`: some of it may be, and the turn that it has goes on to others then. */
  readonly node?: "always" | "perhaps"
  /** Whoever asks it at the same moment is answered together, where it is cheap. */
  readonly isJoined?: boolean
  /** All that it tells is figures of its `contractaddress`, or the balance of its `address` there: neither what is learned nor what others do changes anything in it. Counts with `about`. */
  readonly isOfFigures?: boolean
  /** What of its `contractaddress` it speaks of; absent = it is about no one contract. */
  readonly about?: AboutStandard
  readonly parameters: P
  readonly result: (
    parameters: Decoded<P> & Pick<CompatCall, "chainId" | "dialect"> & { readonly auditRead: AuditRead },
  ) => Effect.Effect<Sourced, CompatFault | InvalidParameter | HistoryNotAvailable | FigureUnknown | StoreError, Ports>
}): ChainAction => ({
  of: "chain",
  module: spec.module,
  action: spec.action,
  ...defined({ list: spec.list }),
  doc: { summary: spec.summary, query: docsOf(spec.parameters), result: spec.shape },
  cost: (query) => {
    if (spec.node === "always") return "node"
    const cost = spec.isCostly === true ? "costly" : costOf(spec.parameters, query, false)
    return cost === "cheap" && spec.isJoined === true ? "joined" : cost
  },
  result: ({ chainId, dialect, query, readAudit, turnOfNode }) => {
    const decoded = decodeParameters<CompatFault, P>(spec.parameters, query)
    if (Result.isFailure(decoded)) return Effect.fail(decoded.failure)
    const parameters = decoded.success
    const { about } = spec
    const { contractaddress: token, address: account, blockno, tag } = parameters as Named
    const figuresOf = token && { token, ...(account && { account }) }
    const ofFigures = spec.isOfFigures === true && figuresOf !== undefined ? { figuresOf } : undefined
    const answer = (auditRead: AuditRead) => {
      const result = spec.result({ ...parameters, chainId, dialect, auditRead })
      const inTurn = spec.node === "perhaps" ? Effect.provideService(result, NodeTurn, turnOfNode) : result
      const found = Effect.catch(inTurn, (error) => Effect.fail(inWordsOfBlocks(error)))
      if (auditRead === noAudit) return found
      const withState = (it: Sourced, status: AuditStatus | undefined): Sourced => {
        const state = toldState(status, blockno ?? tag)
        // Of a contract without rows: an event that makes no row moves no figure, and yet its "0" is refused from then on.
        return { ...(state && { state }), ...it, ...(status?.unseen === undefined && ofFigures) }
      }
      // Most are known: then nothing is waited for behind the figure.
      if (Exit.isExit(auditRead) && Exit.isSuccess(auditRead)) {
        const status = auditRead.value as AuditStatus | undefined
        return Effect.map(found, (it) => withState(it, status))
      }
      return Effect.flatMap(found, (it) => Effect.map(auditRead, (status) => withState(it, status)))
    }
    return about === undefined || token === undefined
      ? answer(noAudit)
      : Effect.flatMap(readAudit({ chainId, token, about }), answer)
  },
})

/** The only values that the domain judges itself are blocks. */
const inWordsOfBlocks = (
  error: CompatFault | InvalidParameter | HistoryNotAvailable | FigureUnknown | StoreError,
): CompatFault | StoreError => {
  switch (error._tag) {
    case "InvalidParameter":
      return invalidBlock(`expected ${error.wanted}, got ${error.value}`, error.asOf)
    case "HistoryNotAvailable":
      return invalidBlock(error.message, error.asOf)
    case "FigureUnknown":
      return refusal(`Error! ${error.message}`, error.asOf)
    default:
      return error
  }
}

/** The contract, and the block after which figures are (absent = now) by whichever of its names the action has. */
interface Named {
  readonly contractaddress?: Address
  readonly address?: Address
  readonly blockno?: number
  readonly tag?: number
}
