/** Makes calls until each has a value: in requests that fit, what failed once more, at another node, in halves. */
import { Array as Arr, Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { type Backoff, backoffMs, sleepBackoff } from "../../../model/time/backoff.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { ReadFor } from "../../../ports/ReadFor.ts"
import { chainIdCall, type Outcome, outcomeOfFault, type RpcCall } from "./answers.ts"
import type { makeAdmission } from "./chainIdCheck.ts"
import { type Exchange, isOutcomes } from "./exchange.ts"
import type { Failover } from "./failover.ts"
import { isPermanent, mayBeRateLimit, type RpcFault } from "./fault.ts"
import type { Node } from "./nodes.ts"
import { countFault, refusalText, restingFault, unavailable } from "./refusals.ts"
import { judgeLength } from "./requestLength.ts"

/** Calls, and what came of them so far, each in the call's place. */
export interface Asked {
  readonly calls: ReadonlyArray<RpcCall<unknown>>
  readonly values: Array<unknown>
  /** The number of the exchange that brought the value. */
  readonly origins: Array<number>
  /** The place of the node that told it. */
  readonly tellers: Array<number>
}

export interface SettleOptions {
  /** In order of preference. */
  readonly nodes: ReadonlyArray<Node>
  readonly failover: Failover
  readonly exchange: Exchange
  readonly admit: ReturnType<typeof makeAdmission>
  readonly concurrency: number
  readonly timeoutMs: number
  readonly attempts: number
  /** Between tries, once each node has had one. */
  readonly backoff: Backoff
  readonly chainId: ChainId | undefined
  readonly longestRestMs: number
  /** What is asked is always for a caller; else where the read is one's. */
  readonly forCallers: boolean
}

/** Fills the values at the places that are `open`. `failedBefore`: times they failed together with others. */
export type Settle = (
  asked: Asked,
  open: ReadonlyArray<number>,
  failedBefore?: number,
) => Effect.Effect<void, SourceUnavailable>

export const makeSettle = (options: SettleOptions): Settle => {
  const {
    nodes,
    failover,
    exchange,
    admit,
    concurrency,
    timeoutMs,
    attempts,
    backoff,
    chainId,
    longestRestMs,
    forCallers,
  } = options
  let exchanges = 0

  /** Fails where nobody is left to wait for. */
  const chooseNode = Effect.fnUntraced(function* (call: RpcCall<unknown>) {
    const restMs = yield* failover.restMs
    if (restMs > 0 && nodes.every((node) => node.foreign !== undefined)) {
      const message = `a node of chain ${nodes[0]!.foreign}, not ${chainId}`
      return yield* unavailable(nodes[0]!, call, { kind: "http", message })
    }
    if (restMs > longestRestMs) return yield* unavailable(nodes[0]!, call, restingFault(nodes[0]!, restMs))
    if (restMs > 0) call.onFault?.(refusalText(nodes[0]!, call, restingFault(nodes[0]!, restMs)))
    return yield* failover.choose
  })

  /** The next node is in use; waits when every one has had its try, unless the node itself asked for as long. */
  const stepBack = Effect.fnUntraced(function* (node: Node, fault: RpcFault, failures: number) {
    yield* failover.recordFailure(node, fault)
    const before = failures - nodes.length
    if (before < 0 || (fault.retryAfterMs ?? 0) >= backoffMs(backoff, before)) return
    yield* sleepBackoff(backoff, before)
  })

  /** One half after the other: a node that is down is not asked for all the calls in all lengths. */
  const inHalves = (asked: Asked, open: ReadonlyArray<number>, failures: number) => {
    const half = Math.ceil(open.length / 2)
    return Effect.andThen(settle(asked, open.slice(0, half), failures), settle(asked, open.slice(half)))
  }

  const settle: Settle = Effect.fnUntraced(function* (asked, places, failedBefore = 0) {
    const { calls, values, origins, tellers } = asked
    let open = places
    let failures = failedBefore
    const isOfCaller = forCallers || (yield* ReadFor).caller !== ""
    while (open.length > 0) {
      const first = calls[open[0]!]!
      const node = yield* chooseNode(first)
      const refusal = first === chainIdCall ? undefined : yield* admit(node)
      if (refusal !== undefined) {
        countFault(node, chainIdCall, refusal, false)
        first.onFault?.(refusalText(node, chainIdCall, refusal))
        if (++failures >= attempts) return yield* unavailable(node, chainIdCall, refusal)
        yield* stepBack(node, refusal, failures)
        continue
      }
      const most = node.batchSize.current
      if (open.length > most) {
        const parts = Arr.chunksOf(open, most)
        return yield* Effect.forEach(parts, (part) => settle(asked, part), { concurrency, discard: true })
      }
      const exchanged = ++exchanges
      const sent = open.map((place) => calls[place]!)
      const answer = yield* exchange(node, sent, timeoutMs)
      const now = yield* steadyMillis
      const { left, fault } = takeValues(asked, open, {
        node,
        place: nodes.indexOf(node),
        answer,
        exchanged,
        isOfCaller,
      })
      if (isOutcomes(answer) && left.length < open.length) node.batchSize.answered(open.length, now)
      if (fault === undefined) return failover.recordSuccess(node)
      const whole = left.length === open.length
      failures = whole ? failures + 1 : 1
      open = left
      const length = whole ? judgeLength(node, open.length, { answer, fault, failures, now }) : undefined
      if (length !== undefined) {
        if (length !== "refused") yield* stepBack(node, fault, failures)
        return yield* inHalves(asked, open, mayBeRateLimit(fault) ? failures : Math.min(failures, 1))
      }
      const last = failures >= (isPermanent(fault) ? nodes.length : attempts)
      const own = open.length === 1 ? calls[open[0]!]!.lastResort?.(fault, failures, last) : undefined
      if (own !== undefined) {
        values[open[0]!] = own.value
        origins[open[0]!] = exchanged
        tellers[open[0]!] = nodes.indexOf(node)
        return
      }
      if (last) return yield* unavailable(node, calls[left[0]!]!, fault)
      yield* stepBack(node, fault, failures)
    }
  })
  return settle
}

interface Exchanged {
  readonly node: Node
  readonly place: number
  readonly answer: ReadonlyArray<Outcome> | RpcFault
  readonly exchanged: number
  readonly isOfCaller: boolean
}

/** The places that are left open, and the fault of the last of them. */
const takeValues = (
  { calls, values, origins, tellers }: Asked,
  open: ReadonlyArray<number>,
  { node, place: teller, answer, exchanged, isOfCaller }: Exchanged,
): { readonly left: ReadonlyArray<number>; readonly fault: RpcFault | undefined } => {
  let fault: RpcFault | undefined
  const left = open.filter((place, index) => {
    const call = calls[place]!
    if (!isOutcomes(answer)) call.onFault?.(refusalText(node, call, answer))
    const outcome = isOutcomes(answer) ? answer[index]! : outcomeOfFault(call, answer)
    if ("fault" in outcome) {
      fault = outcome.fault
      if (isOutcomes(answer)) {
        countFault(node, call, fault, isOfCaller)
        call.onFault?.(refusalText(node, call, fault))
      }
      return true
    }
    values[place] = outcome.value
    origins[place] = exchanged
    tellers[place] = teller
    return false
  })
  if (!isOutcomes(answer)) countFault(node, calls[open[0]!]!, answer, isOfCaller)
  return { left, fault }
}
