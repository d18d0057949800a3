/** JSON-RPC over HTTP for one chain: batches, time limits, budgets, retries with backoff, fail-over, bounded concurrency. */
import { Effect, Random, Result, Semaphore } from "effect"
import type { ChainId } from "../../domain/model/primitives.ts"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { chainIdCall, matchAnswers, type Outcome, outcomeOfFault, type RpcCall } from "./answers.ts"
import { isBatchRefusal, isPermanent, type RpcFault } from "./fault.ts"
import { makeTurns, type Node, type NodeOptions, nodesOf } from "./nodes.ts"
import { post, redact } from "./post.ts"

export interface RpcClient {
  /** Every call's value, in order. Calls that fail are made again, alone and at another URL; one that never succeeds fails the whole. */
  batch<Value>(calls: ReadonlyArray<RpcCall<Value>>): Effect.Effect<ReadonlyArray<Value>, SourceUnavailable>
  /** The same, and whether one answer of one node held them all: behind a balancer two may know different chains. */
  together<Value>(
    calls: ReadonlyArray<RpcCall<Value>>,
  ): Effect.Effect<{ readonly values: ReadonlyArray<Value>; readonly whole: boolean }, SourceUnavailable>
  /** Place of the node that is asked at the moment. */
  readonly current: () => number
  /** Another node is asked from now on, for a while: this one said what another denies. */
  readonly turn: Effect.Effect<void>
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
  /** The chain that a node must say it is of before it is asked anything else. Default: whichever. */
  readonly chainId?: ChainId
}

/** Throws where a URL cannot be. */
export const makeClient = (urls: ReadonlyArray<string>, options: RpcClientOptions & NodeOptions): RpcClient =>
  clientOfNodes(nodesOf(urls, options), options)

/** A node of another chain is not asked again for so long, in milliseconds. */
const banishment = 600_000

/** `nodes` in order of preference; other clients may share them. */
export const clientOfNodes = (nodes: ReadonlyArray<Node>, options: RpcClientOptions): RpcClient => {
  const { concurrency, timeoutMs = 30_000, attempts = 5, backoffMs = 250, chainId } = options
  const turns = makeTurns(nodes)
  const permits = Semaphore.makeUnsafe(Math.max(1, concurrency))
  let lastId = 0
  let exchanges = 0

  const exchange = Effect.fnUntraced(function* (node: Node, calls: ReadonlyArray<RpcCall<unknown>>) {
    const firstId = lastId + 1
    lastId += calls.length
    const requests = calls.map(({ method, params }, index) => ({ jsonrpc: "2.0", id: firstId + index, method, params }))
    const body = JSON.stringify(calls.length === 1 ? requests[0] : requests)
    const answer = yield* node.budget.spend(calls.length).pipe(
      Effect.andThen(
        Effect.tryPromise({
          try: (signal) => post(node.endpoint, body, timeoutMs, signal),
          catch: (error) => error as RpcFault,
        }),
      ),
      permits.withPermit,
      Effect.result,
    )
    const clean = (text: string) => redact(node.endpoint, text)
    return Result.isFailure(answer)
      ? answer.failure
      : matchAnswers(calls, firstId, answer.success.body, answer.success.status, clean)
  })

  /** Why the node may not be asked (now); a node that was down at the start says only here which chain it is of. */
  const admit = Effect.fnUntraced(function* (node: Node) {
    if (node.known || chainId === undefined) return undefined
    const answer = yield* exchange(node, [chainIdCall])
    const outcome: Outcome = isOutcomes(answer) ? answer[0]! : { fault: answer }
    if ("fault" in outcome && !isPermanent(outcome.fault)) return outcome.fault
    node.known = !("value" in outcome) || outcome.value === chainId
    if (node.known) return undefined
    const message = `a node of chain ${(outcome as { value: unknown }).value}, not ${chainId}`
    yield* Effect.logError(`chain ${chainId}: ${node.endpoint.label} is ${message}; it is left out`)
    return { kind: "http", message, retryAfterMs: banishment } satisfies RpcFault
  })

  /** Fills `values` at `indexes`, and `origins` with the number of the exchange that brought each. */
  const settle: Settle = Effect.fnUntraced(function* (calls, values, origins, indexes) {
    let open = indexes
    let failures = 0
    while (open.length > 0) {
      const node = yield* turns.choose
      const refusal = yield* admit(node)
      if (refusal !== undefined) {
        if (++failures >= attempts) return yield* unavailable(node, chainIdCall, refusal)
        yield* stepBack(node, refusal, failures)
        continue
      }
      if (open.length > node.batchSize) return yield* inParts(calls, values, origins, open, node.batchSize)
      const exchanged = ++exchanges
      const sent = open.map((index) => calls[index]!)
      const answer = yield* exchange(node, sent)
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
        }
      })
      if (fault === undefined) return turns.praise(node)
      failures = left.length < open.length ? 1 : failures + 1
      open = left
      if (left.length > 1 && !isOutcomes(answer)) {
        const half = Math.ceil(left.length / 2)
        const tooMany = isBatchRefusal(answer)
        if (tooMany) node.batchSize = Math.min(node.batchSize, half)
        if (tooMany || answer.kind === "timeout" || (answer.kind === "answer" && failures > 1)) {
          return yield* inParts(calls, values, origins, left, half)
        }
      }
      if (failures >= (isPermanent(fault) ? nodes.length : attempts)) {
        return yield* unavailable(node, calls[left[0]!]!, fault)
      }
      yield* stepBack(node, fault, failures)
    }
  })

  const inParts = (
    calls: ReadonlyArray<RpcCall<unknown>>,
    values: Array<unknown>,
    origins: Array<number>,
    indexes: ReadonlyArray<number>,
    size: number,
  ) => {
    const parts: Array<ReadonlyArray<number>> = []
    for (let from = 0; from < indexes.length; from += size) parts.push(indexes.slice(from, from + size))
    return Effect.forEach(parts, (part) => settle(calls, values, origins, part), { concurrency, discard: true })
  }

  /** Turns to the next node; waits when every one has had its turn. */
  const stepBack = Effect.fnUntraced(function* (node: Node, fault: RpcFault, failures: number) {
    yield* turns.blame(node, fault)
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
    turn: Effect.suspend(() => turns.blame(nodes[turns.current()]!)),
  }
}

type Settle = (
  calls: ReadonlyArray<RpcCall<unknown>>,
  values: Array<unknown>,
  origins: Array<number>,
  indexes: ReadonlyArray<number>,
) => Effect.Effect<void, SourceUnavailable>

const unavailable = ({ endpoint }: Node, { method }: RpcCall<unknown>, { message }: RpcFault) =>
  Effect.fail(new SourceUnavailable({ message: `${endpoint.label}: ${method}: ${message}` }))

const isOutcomes = (answer: ReadonlyArray<Outcome> | RpcFault): answer is ReadonlyArray<Outcome> =>
  Array.isArray(answer)
