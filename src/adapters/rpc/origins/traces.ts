/** Which contracts a transaction made from within: by a trace, where a node serves one. */
import { Effect } from "effect"
import type { Hash } from "../../../model/primitives.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isPermanent, isRateLimit, isUnknownMethod, type RpcFault } from "../transport/fault.ts"
import { Malformed, quote } from "../wire/shapes.ts"

/** Addresses in lower case. */
export type Made = ReadonlySet<string>

export interface Traces {
  /** Undefined = no trace is to be had. */
  made(transaction: Hash): Effect.Effect<Made | undefined, SourceUnavailable>
}

/** The methods are tried in this order; one that the node does not serve is not asked for again. */
export const tracesOf = (client: RpcClient): Traces => {
  const ways: Array<Way> = [callTracer, flatTrace]
  return {
    made: Effect.fnUntraced(function* (transaction) {
      for (const way of [...ways]) {
        const [answer] = yield* client.batch([way(transaction)])
        if (typeof answer === "object") return answer
        if (answer === "not served") ways.splice(ways.indexOf(way), 1)
      }
      return undefined
    }),
  }
}

/** "none": of this transaction. */
type Answer = Made | "not served" | "none"
type Way = (transaction: Hash) => RpcCall<Answer>

const callTracer: Way = (transaction) => ({
  method: "debug_traceTransaction",
  params: [transaction, { tracer: "callTracer" }],
  read: (result) => creationsIn(result),
  readFault,
})

const flatTrace: Way = (transaction) => ({
  method: "trace_transaction",
  params: [transaction],
  read: (result) => {
    if (result === null) return "none"
    if (!Array.isArray(result)) throw new Malformed(`expected a list, got ${quote(result)}`)
    const steps = result.flatMap((step) => (step ? [{ step, path: pathOf(step) }] : []))
    // What is undone by a caller's failure lies below it: next in this order.
    steps.sort((one, other) => (one.path < other.path ? -1 : 1))
    let undone: string | undefined
    const made: Array<unknown> = []
    for (const { step, path } of steps) {
      if (undone !== undefined && path.startsWith(undone)) continue
      if (step.error) undone = path
      else if (step.type === "create") made.push(step.result?.address)
    }
    return addressesOf(made)
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

const creationsIn = (result: unknown): Answer => {
  if (result === null) return "none"
  if (typeof result !== "object") throw new Malformed(`expected a frame, got ${quote(result)}`)
  const made: Array<unknown> = []
  const open: Array<Frame> = [result as Frame]
  for (let frame = open.pop(); frame !== undefined; frame = open.pop()) {
    if (frame.error) continue
    if (String(frame.type).startsWith("CREATE")) made.push(frame.to)
    for (const call of frame.calls ?? []) open.push(call)
  }
  return addressesOf(made)
}

const addressesOf = (values: ReadonlyArray<unknown>): Made =>
  new Set(values.flatMap((value) => (typeof value === "string" ? [value.toLowerCase()] : [])))

/** A trace is a favour: a node that refuses it is not asked again, whatever its reason. */
const readFault = (fault: RpcFault): { readonly value: Answer } | undefined => {
  if (isRateLimit(fault)) return undefined
  if (isUnknownMethod(fault) || isPermanent(fault)) return { value: "not served" }
  return fault.kind === "answer" ? { value: "none" } : undefined
}
