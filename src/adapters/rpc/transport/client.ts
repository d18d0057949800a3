/** JSON-RPC over HTTP for one chain: batches, time limits, budgets, retries with backoff, fail-over, bounded concurrency. */
import { Effect, Random } from "effect"
import { addFaults, type FaultCounts, noFaults } from "../../../model/fault.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/steadyClock.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { makeAdmission } from "./admission.ts"
import { chainIdCall, outcomeOfFault, type RpcCall } from "./answers.ts"
import { isOutcomes, makeExchange } from "./exchange.ts"
import { isBatchRefusal, isPermanent, isPruned, mayBeRateLimit, type RpcFault, speaksOfBatches } from "./fault.ts"
import { makeTurns, type Node, type NodeOptions, nodesOf } from "./nodes.ts"

export interface RpcClient {
  /** Every call's value, in order. Calls that fail are made again, alone and at another URL; one that never succeeds fails the whole. */
  batch<Value>(calls: ReadonlyArray<RpcCall<Value>>): Effect.Effect<ReadonlyArray<Value>, SourceUnavailable>
  /** The same, and whether one answer of one node held them all: behind a balancer two may know different chains. */
  together<Value>(
    calls: ReadonlyArray<RpcCall<Value>>,
  ): Effect.Effect<{ readonly values: ReadonlyArray<Value>; readonly whole: boolean }, SourceUnavailable>
  /** Place of the node that is asked at the moment. */
  readonly current: () => number
  /** When one of the nodes last answered anyone, milliseconds since 1970. */
  readonly heardAt?: () => number | undefined
  /** What the nodes said and was refused, whoever asked. */
  readonly refusals?: () => FaultCounts
  /** Scheme and host of the preferred node. */
  readonly label: string
  /** Another node is asked from now on, for a while: this one said what another denies. */
  readonly failover: Effect.Effect<void>
}

export interface RpcClientOptions {
  /** Requests on the wire at once. */
  readonly concurrency: number
  /** Of one request, body included. Default 30 s. */
  readonly timeoutMs?: number
  /** Tries of one call without any progress. Default 5. */
  readonly attempts?: number
  /** First wait after a failure; doubles up to 10 s, less up to a half by chance. Default 250 ms. */
  readonly backoffMs?: number
  /** The chain that a node must say it is of before it is asked anything but that. Default: whichever. */
  readonly chainId?: ChainId
  /** Where every node wants to be left alone for longer, nothing is waited for. Default: for ever. */
  readonly longestRestMs?: number
}

/** Throws where a URL cannot be. */
export const makeClient = (urls: ReadonlyArray<string>, options: RpcClientOptions & NodeOptions): RpcClient =>
  clientOfNodes(nodesOf(urls, options), options)

/** `nodes` in order of preference; other clients may share them. */
export const clientOfNodes = (nodes: ReadonlyArray<Node>, options: RpcClientOptions): RpcClient => {
  const {
    concurrency,
    timeoutMs = 30_000,
    attempts = 5,
    backoffMs = 250,
    chainId,
    longestRestMs = Number.POSITIVE_INFINITY,
  } = options
  const turns = makeTurns(nodes)
  const exchange = makeExchange(concurrency)
  const admit = makeAdmission(exchange, { chainId, timeoutMs, alone: nodes.length === 1 })
  let exchanges = 0

  /** Fills `values` at `indexes`, and `origins` with the number of the exchange that brought each. */
  const settle: Settle = Effect.fnUntraced(function* (calls, values, origins, indexes, failedBefore = 0) {
    let open = indexes
    let failures = failedBefore
    while (open.length > 0) {
      const rest = yield* turns.rest
      // Nobody is left to wait for.
      if (rest > 0 && nodes.every((node) => node.foreign !== undefined)) {
        return yield* unavailable(nodes[0]!, calls[open[0]!]!, {
          kind: "http",
          message: `a node of chain ${nodes[0]!.foreign}, not ${chainId}`,
        })
      }
      if (rest > longestRestMs) return yield* unavailable(nodes[0]!, calls[open[0]!]!, resting)
      const node = yield* turns.choose
      const refusal = calls[open[0]!] === chainIdCall ? undefined : yield* admit(node)
      if (refusal !== undefined) {
        count(node, refusal)
        if (++failures >= attempts) return yield* unavailable(node, chainIdCall, refusal)
        yield* stepBack(node, refusal, failures)
        continue
      }
      const most = node.batchSize.current
      if (open.length > most) return yield* inParts(calls, values, origins, open, most)
      const exchanged = ++exchanges
      const sent = open.map((index) => calls[index]!)
      const answer = yield* exchange(node, sent, timeoutMs)
      const now = yield* steadyMillis
      const outcomes = isOutcomes(answer) ? answer : sent.map((call) => outcomeOfFault(call, answer))
      let fault: RpcFault | undefined
      const left: Array<number> = []
      outcomes.forEach((outcome, place) => {
        const index = open[place]!
        if ("value" in outcome) {
          values[index] = outcome.value
          origins[index] = exchanged
        } else {
          left.push(index)
          fault = outcome.fault
          if (isOutcomes(answer)) count(node, fault)
        }
      })
      if (!isOutcomes(answer)) count(node, answer)
      if (isOutcomes(answer) && left.length < open.length) node.batchSize.answered(open.length, now)
      if (fault === undefined) return turns.recordSuccess(node)
      const whole = left.length === open.length
      failures = whole ? failures + 1 : 1
      open = left
      if (whole && !(isOutcomes(answer) && isPermanent(fault) && !speaksOfBatches(fault))) {
        const tooMany = isOutcomes(answer) ? speaksOfBatches(fault) : isBatchRefusal(fault)
        const limited = mayBeRateLimit(fault)
        const unproven = !limited && node.batchSize.isUnproven(open.length)
        if (!tooMany && !limited) node.batchSize.failed(open.length, now)
        if (tooMany && open.length > 1) node.batchSize.refused(open.length, now)
        if (open.length > 1 && (tooMany || unproven || fault.kind === "timeout" || failures > (limited ? 2 : 1))) {
          if (!tooMany) yield* stepBack(node, fault, failures)
          return yield* inHalves(calls, values, origins, open, limited ? failures : Math.min(failures, 1))
        }
      }
      const last = failures >= (isPermanent(fault) ? nodes.length : attempts)
      const own = open.length === 1 ? calls[open[0]!]!.lastResort?.(fault, failures, last) : undefined
      if (own !== undefined) {
        values[open[0]!] = own.value
        origins[open[0]!] = exchanged
        return
      }
      if (last) return yield* unavailable(node, calls[left[0]!]!, fault)
      yield* stepBack(node, fault, failures)
    }
  })

  const inParts: Settle<[size: number]> = (calls, values, origins, indexes, size) => {
    const parts: Array<ReadonlyArray<number>> = []
    for (let from = 0; from < indexes.length; from += size) parts.push(indexes.slice(from, from + size))
    return Effect.forEach(parts, (part) => settle(calls, values, origins, part), { concurrency, discard: true })
  }

  /** One half after the other: a node that is down is not asked for all the calls in all lengths. */
  const inHalves: Settle<[failures: number]> = (calls, values, origins, indexes, failures) => {
    const half = Math.ceil(indexes.length / 2)
    return Effect.andThen(
      settle(calls, values, origins, indexes.slice(0, half), failures),
      settle(calls, values, origins, indexes.slice(half)),
    )
  }

  /** Turns to the next node; waits when every one has had its turn. */
  const stepBack = Effect.fnUntraced(function* (node: Node, fault: RpcFault, failures: number) {
    yield* turns.recordFailure(node, fault)
    if (failures < nodes.length || fault.retryAfterMs !== undefined) return
    const wait = Math.min(backoffMs * 2 ** (failures - nodes.length), 10_000)
    yield* Effect.sleep(wait * (0.5 + 0.5 * (yield* Random.next)))
  })

  const together = Effect.fnUntraced(function* <Value>(calls: ReadonlyArray<RpcCall<Value>>) {
    const values = new Array<Value>(calls.length)
    const origins = new Array<number>(calls.length)
    yield* settle(calls, values, origins, [...calls.keys()])
    return { values, whole: origins.every((origin) => origin === origins[0]) }
  })

  return {
    batch: (calls) => Effect.map(together(calls), ({ values }) => values),
    together,
    current: turns.current,
    heardAt: () => nodes.map(({ endpoint }) => endpoint.heardAt).reduce(later, undefined),
    refusals: () => nodes.map(({ refused }) => refused).reduce<FaultCounts>(addFaults, noFaults),
    label: nodes[0]!.endpoint.label,
    failover: Effect.suspend(() => turns.recordFailure(nodes[turns.current()]!)),
  }
}

type Settle<More extends ReadonlyArray<unknown> = [failedBefore?: number]> = (
  calls: ReadonlyArray<RpcCall<unknown>>,
  values: Array<unknown>,
  origins: Array<number>,
  indexes: ReadonlyArray<number>,
  ...more: More
) => Effect.Effect<void, SourceUnavailable>

const resting: RpcFault = { kind: "http", message: "wants to be left alone for a while" }

const unavailable = ({ endpoint }: Node, { method }: RpcCall<unknown>, { message }: RpcFault) =>
  Effect.fail(new SourceUnavailable({ message: `${endpoint.label}: ${method}: ${message}` }))

const count = ({ refused }: Node, fault: RpcFault): void => {
  refused[fault.what ?? (isPruned(fault) ? "pruned" : "call")]++
}

const later = (a: number | undefined, b: number | undefined) => (a === undefined || (b ?? 0) > a ? b : a)
