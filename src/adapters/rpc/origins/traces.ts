/** Whether a transaction made a contract from within: by a trace, where a node serves one. */
import { Effect } from "effect"
import type { Address, Hash } from "../../../model/primitives.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isPermanent, isRateLimit, isUnknownMethod, type RpcFault } from "../transport/fault.ts"
import { Malformed, quote } from "../wire/shapes.ts"

export interface Traces {
  /** Undefined = no trace is to be had. */
  made(contract: Address, transaction: Hash): Effect.Effect<boolean | undefined, SourceUnavailable>
}

/** The methods are tried in this order; one that the node does not serve is not asked for again. */
export const tracesOf = (client: RpcClient): Traces => {
  const ways: Array<Way> = [callTracer, flatTrace]
  return {
    made: Effect.fnUntraced(function* (contract, transaction) {
      for (const way of [...ways]) {
        const [answer] = yield* client.batch([way(contract, transaction)])
        if (typeof answer === "boolean") return answer
        if (answer === "not served") ways.splice(ways.indexOf(way), 1)
      }
      return undefined
    }),
  }
}

/** "none": of this transaction. */
type Answer = boolean | "not served" | "none"
type Way = (contract: Address, transaction: Hash) => RpcCall<Answer>

const callTracer: Way = (contract, transaction) => ({
  method: "debug_traceTransaction",
  params: [transaction, { tracer: "callTracer" }],
  read: (result) => hasCreation(result, contract),
  readFault,
})

const flatTrace: Way = (contract, transaction) => ({
  method: "trace_transaction",
  params: [transaction],
  read: (result) => {
    if (result === null) return "none"
    if (!Array.isArray(result)) throw new Malformed(`expected a list, got ${quote(result)}`)
    // What is undone by a caller's failure lies below it.
    const failed = result.filter((step) => step?.error).map(pathOf)
    return result.some(
      (step) =>
        step?.type === "create" &&
        isSame(step.result?.address, contract) &&
        !failed.some((place) => pathOf(step).startsWith(place)),
    )
  },
  readFault,
})

/** "/0/2/" */
const pathOf = (step: { readonly traceAddress?: ReadonlyArray<number> }): string =>
  `/${(step.traceAddress ?? []).map((number) => `${number}/`).join("")}`

interface Frame {
  readonly type?: unknown
  readonly to?: unknown
  readonly error?: unknown
  readonly calls?: ReadonlyArray<Frame>
}

const hasCreation = (result: unknown, contract: Address): Answer => {
  if (result === null) return "none"
  if (typeof result !== "object") throw new Malformed(`expected a frame, got ${quote(result)}`)
  const open: Array<Frame> = [result as Frame]
  for (let frame = open.pop(); frame !== undefined; frame = open.pop()) {
    if (frame.error) continue
    if (String(frame.type).startsWith("CREATE") && isSame(frame.to, contract)) return true
    for (const call of frame.calls ?? []) open.push(call)
  }
  return false
}

const isSame = (value: unknown, address: Address): boolean =>
  typeof value === "string" && value.toLowerCase() === address

/** A trace is a favour: a node that refuses it is not asked again, whatever its reason. */
const readFault = (fault: RpcFault): { readonly value: Answer } | undefined => {
  if (isRateLimit(fault)) return undefined
  if (isUnknownMethod(fault) || isPermanent(fault)) return { value: "not served" }
  return fault.kind === "answer" ? { value: "none" } : undefined
}
