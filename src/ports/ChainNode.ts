/** Calls of JSON-RPC that callers ask of a chain's own node, answered as the node answers. */
import { Context, type Effect } from "effect"
import type { ChainId } from "../model/primitives.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

/** A node's own refusal, as JSON-RPC has it; `data`: bytes in hex, what a contract reverted with. */
export interface NodeRefusal {
  readonly code: number
  /** Holds no secret of the node's URL. */
  readonly message: string
  readonly data?: string
}

/** A result as JSON, or the refusal. */
export type NodeAnswer = { readonly result: unknown } | { readonly error: NodeRefusal }

export class ChainNode extends Context.Service<
  ChainNode,
  {
    /** Whether signed transactions of callers are passed on. */
    readonly sends: boolean
    /** Bounded in time and size. A node that has no answer, or none in time, is a failure. A chain that is not configured is a defect. */
    call(chainId: ChainId, method: string, params: ReadonlyArray<unknown>): Effect.Effect<NodeAnswer, SourceUnavailable>
  }
>()("cowry/ChainNode") {}
