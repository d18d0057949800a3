/** A compatibility action is data: module, action, its parameters, and the domain's answer. */
import { Effect, type Schema } from "effect"
import type { BalanceSource } from "../../../domain/audit/current.ts"
import type { AboutStandard } from "../../../domain/audit/list.ts"
import type { AuditState } from "../../../model/audit.ts"
import type { HistoryNotAvailable, InvalidParameter, StoreError } from "../../../model/errors.ts"
import type { Snapshot } from "../../../model/page.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { Answer, Call, Ports } from "../contract/endpoint.ts"
import type { CompatFault } from "../contract/faults.ts"
import {
  type Decoded,
  decodeParameters,
  defined,
  docsOf,
  type ParameterDocs,
  type Parameters,
} from "../contract/parameter.ts"
import { invalidBlock } from "./parameters.ts"

/** An action's result, where its figures come from if that is to be said, and the worst state of several tokens. */
type Sourced = Snapshot<unknown> & { readonly source?: BalanceSource; readonly state?: AuditState }

/** The block after which its figures are; absent = now. */
type Dated = Sourced & Pick<Answer, "ofBlock">

/** What an action is asked: the chain, and the call with its query's names in lower case. */
export interface CompatCall extends Pick<Call, "query" | "rate" | "auditStatus"> {
  readonly chainId: ChainId
}

/** What the documentation says of an action beyond its names. */
export interface CompatActionDoc {
  readonly summary: string
  /** The query beside `module` and `action`, in the order in which its faults are found. */
  readonly query: ParameterDocs
  /** The `result` of the envelope. */
  readonly result: Schema.Top
}

export interface CompatAction {
  readonly module: string
  readonly action: string
  /** Speaks of the caller, not of the chain: a `chainid` beside it says nothing. */
  readonly ofAnyChain: boolean
  /** What of its contract it speaks of. */
  readonly about: AboutStandard
  readonly doc: CompatActionDoc
  readonly result: (call: CompatCall) => Effect.Effect<Dated, CompatFault | StoreError, Ports>
}

/** `parameters` in the order in which their faults are found: address, contractaddress, block, window. */
export const compatAction = <P extends Parameters<CompatFault>>(spec: {
  readonly module: string
  readonly action: string
  readonly summary: string
  readonly shape: Schema.Top
  readonly ofAnyChain?: boolean
  /** Absent = of the first standard: balances and supplies without a standard are its. */
  readonly about?: AboutStandard
  readonly parameters: P
  readonly result: (
    parameters: Decoded<P> & Pick<CompatCall, "chainId" | "rate" | "auditStatus">,
  ) => Effect.Effect<Sourced, InvalidParameter | HistoryNotAvailable | StoreError, Ports>
}): CompatAction => ({
  module: spec.module,
  action: spec.action,
  ofAnyChain: spec.ofAnyChain === true,
  about: spec.about ?? "first",
  doc: { summary: spec.summary, query: docsOf(spec.parameters), result: spec.shape },
  result: Effect.fnUntraced(function* ({ chainId, query, rate, auditStatus }) {
    const parameters = yield* Effect.fromResult(decodeParameters<CompatFault, P>(spec.parameters, query))
    // Whichever of its names the action has for a block.
    const { blockno, tag } = parameters as { readonly blockno?: number; readonly tag?: number }
    const found = yield* spec.result({ ...parameters, chainId, rate, ...defined({ auditStatus }) }).pipe(
      // The only values the domain judges itself are blocks.
      Effect.catchTags({
        InvalidParameter: ({ wanted, value, asOf }) =>
          Effect.fail(invalidBlock(`expected ${wanted}, got ${value}`, asOf)),
        HistoryNotAvailable: ({ message, asOf }) => Effect.fail(invalidBlock(message, asOf)),
      }),
    )
    return { ...found, ...defined({ ofBlock: blockno ?? tag }) }
  }),
})
