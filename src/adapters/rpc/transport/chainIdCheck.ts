/** Whether a node may be asked: it says of which chain it is, at first and again every minute, for it may be another one by then. */
import { Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import { chainIdCall, type Outcome } from "./answers.ts"
import { type Exchange, isOutcomes } from "./exchange.ts"
import { isPermanent, type RpcFault } from "./fault.ts"
import type { Node } from "./nodes.ts"

/** Until a node has to say it again. */
const knownForMs = 60_000
/** Until one of another chain is asked again: where there are others, and where it is the only one. */
const foreignRestMs = { amongOthers: 600_000, alone: 5000 }

export interface AdmissionOptions {
  /** Absent = whichever. */
  readonly chainId: ChainId | undefined
  readonly timeoutMs: number
  /** There is no other node. */
  readonly alone: boolean
}

/** Why the node may not be asked (now); undefined = it may. A node that does not know the question is believed. */
export const makeAdmission = (exchange: Exchange, { chainId, timeoutMs, alone }: AdmissionOptions) =>
  Effect.fnUntraced(function* (node: Node) {
    const now = yield* steadyMillis
    if (chainId === undefined || now < node.knownUntil) return undefined
    const answer = yield* exchange(node, [chainIdCall], Math.min(timeoutMs, 5000))
    const outcome: Outcome = isOutcomes(answer) ? answer[0]! : { fault: answer }
    if ("fault" in outcome && !isPermanent(outcome.fault)) return outcome.fault
    const other = "value" in outcome && outcome.value !== chainId ? String(outcome.value) : undefined
    const isNews = other !== node.foreign
    node.foreign = other
    if (other === undefined) {
      node.knownUntil = now + knownForMs
      if (isNews) yield* Effect.logInfo(`chain ${chainId}: ${node.endpoint.label} is of this chain again`)
      return undefined
    }
    const message = `a node of chain ${other}, not ${chainId}`
    if (isNews) yield* Effect.logError(`chain ${chainId}: ${node.endpoint.label} is ${message}; it is left out`)
    const retryAfterMs = alone ? foreignRestMs.alone : foreignRestMs.amongOthers
    return { kind: "http", message, what: "chain", retryAfterMs } satisfies RpcFault
  })
