/** An answer of a node that is refused: counted by kind, and named with the call and the reason. */
import { Effect } from "effect"
import type { FaultKind } from "../../../model/fault.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "./answers.ts"
import { callText } from "./callText.ts"
import { isNullRound, isPruned, type RpcFault } from "./fault.ts"
import type { Node } from "./nodes.ts"

/** `http://node: eth_getBlockByNumber("0x32", true): transactions: expected a list, got null`. */
export const refusalText = ({ endpoint }: Node, call: RpcCall<unknown>, fault: RpcFault): string =>
  `${endpoint.label}: ${callText(call)}: ${fault.message}${isNullRound(fault) ? wayOfNullRounds : ""}`

const wayOfNullRounds = "; a chain that leaves out block numbers cannot be followed"

export const unavailable = (node: Node, call: RpcCall<unknown>, fault: RpcFault) =>
  Effect.fail(new SourceUnavailable({ message: refusalText(node, call, fault) }))

/** Over all nodes: tells which is the newest. */
let counted = 0

/** What a caller asked is nobody's concern, and must not hide what the service asked itself: it is only counted. */
export const countFault = (node: Node, call: RpcCall<unknown>, fault: RpcFault, isOfCaller: boolean): void => {
  const kind = fault.what ?? (isPruned(fault) ? "pruned" : "call")
  node.refused[kind]++
  if (isOfCaller) node.refusedOfCallers[kind]++
  else node.newestRefused[kind] = { text: refusalText(node, call, fault), order: ++counted }
}

/** Of these nodes, by kind; undefined = none. */
export const newestRefusal = (nodes: ReadonlyArray<Node>, kind: FaultKind): string | undefined =>
  nodes.flatMap(({ newestRefused }) => newestRefused[kind] ?? []).sort((a, b) => b.order - a.order)[0]?.text

/** Of a node that asked to be left alone, and why. Whose call that answered is nobody's concern: it may be a caller's, and /ready is open. */
export const restingFault = ({ restsAfter }: Node, restMs: number): RpcFault => {
  const message = `wants to be left alone for ${Math.ceil(restMs / 1000)} s${restsAfter && `, after ${restsAfter}`}`
  return { kind: "http", message }
}
