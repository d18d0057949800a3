/** JSON-RPC over HTTP for one chain: batches, time limits, retries with backoff, fail-over, bounded concurrency. */
import { Clock, Effect, Random, Result, Semaphore } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { matchAnswers, type Outcome, outcomeOfFault, type RpcCall } from "./answers.ts"
import { isBatchRefusal, isPermanent, type RpcFault } from "./fault.ts"
import { type Endpoint, endpointOf, post, redact } from "./post.ts"

export interface RpcClient {
  /** Every call's value, in order. Calls that fail are made again, alone and at another URL; one that never succeeds fails the whole. */
  batch<Value>(calls: ReadonlyArray<RpcCall<Value>>): Effect.Effect<ReadonlyArray<Value>, SourceUnavailable>
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
  /** Calls in one request, until a node wants fewer. Default 50. */
  readonly batchSize?: number
}

/** A node and what we learned about it. */
interface Node {
  readonly endpoint: Endpoint
  /** Calls it takes in one request. */
  batchSize: number
  /** Milliseconds of the clock: not to be asked before. */
  restsUntil: number
}

/** Throws where a URL cannot be. */
export const makeClient = (urls: ReadonlyArray<string>, options: RpcClientOptions): RpcClient => {
  const { concurrency, timeoutMs = 30_000, attempts = 5, backoffMs = 250, batchSize = 50 } = options
  const nodes = urls.map((url): Node => ({ endpoint: endpointOf(url), batchSize, restsUntil: 0 }))
  const permits = Semaphore.makeUnsafe(Math.max(1, concurrency))
  let current = 0
  let lastId = 0

  /** The node in use, or the next one that does not rest; where all rest, waits for the first to come back. */
  const chooseNode = Effect.fnUntraced(function* () {
    const now = yield* Clock.currentTimeMillis
    const inTurn = nodes.map((_, offset) => nodes[(current + offset) % nodes.length]!)
    const node = inTurn.find(({ restsUntil }) => restsUntil <= now) ?? inTurn.reduce(earlier)
    if (node.restsUntil > now) yield* Effect.sleep(node.restsUntil - now)
    return node
  })

  const exchange = Effect.fnUntraced(function* (node: Node, calls: ReadonlyArray<RpcCall<unknown>>) {
    const firstId = lastId + 1
    lastId += calls.length
    const requests = calls.map(({ method, params }, index) => ({ jsonrpc: "2.0", id: firstId + index, method, params }))
    const body = JSON.stringify(calls.length === 1 ? requests[0] : requests)
    const answer = yield* Effect.tryPromise({
      try: (signal) => post(node.endpoint, body, timeoutMs, signal),
      catch: (error) => error as RpcFault,
    }).pipe(permits.withPermit, Effect.result)
    const clean = (text: string) => redact(node.endpoint, text)
    return Result.isFailure(answer)
      ? answer.failure
      : matchAnswers(calls, firstId, answer.success.body, answer.success.status, clean)
  })

  /** Fills `values` at `indexes`. */
  const settle: Settle = Effect.fnUntraced(function* (calls, values, indexes) {
    let open = indexes
    let failures = 0
    while (open.length > 0) {
      const node = yield* chooseNode()
      if (open.length > node.batchSize) return yield* inParts(calls, values, open, node.batchSize)
      const sent = open.map((index) => calls[index]!)
      const answer = yield* exchange(node, sent)
      const outcomes = isOutcomes(answer) ? answer : sent.map((call) => outcomeOfFault(call, answer))
      let fault: RpcFault | undefined
      const left: Array<number> = []
      outcomes.forEach((outcome, place) => {
        const index = open[place]!
        if ("value" in outcome) values[index] = outcome.value
        else {
          left.push(index)
          fault = outcome.fault
        }
      })
      if (fault === undefined) return
      failures = left.length < open.length ? 1 : failures + 1
      open = left
      if (left.length > 1 && !isOutcomes(answer)) {
        const half = Math.ceil(left.length / 2)
        const tooMany = isBatchRefusal(answer)
        if (tooMany) node.batchSize = Math.min(node.batchSize, half)
        if (tooMany || answer.kind === "timeout" || (answer.kind === "answer" && failures > 1)) {
          return yield* inParts(calls, values, left, half)
        }
      }
      if (failures >= (isPermanent(fault) ? nodes.length : attempts)) {
        const { label } = node.endpoint
        return yield* new SourceUnavailable({ message: `${label}: ${calls[left[0]!]!.method}: ${fault.message}` })
      }
      yield* stepBack(node, fault, failures)
    }
  })

  const inParts = (
    calls: ReadonlyArray<RpcCall<unknown>>,
    values: Array<unknown>,
    indexes: ReadonlyArray<number>,
    size: number,
  ) => {
    const parts: Array<ReadonlyArray<number>> = []
    for (let from = 0; from < indexes.length; from += size) parts.push(indexes.slice(from, from + size))
    return Effect.forEach(parts, (part) => settle(calls, values, part), { concurrency, discard: true })
  }

  /** Turns to the next node; waits when every one has had its turn. */
  const stepBack = Effect.fnUntraced(function* (node: Node, fault: RpcFault, failures: number) {
    if (nodes[current % nodes.length] === node) current = (current + 1) % nodes.length
    if (fault.retryAfterMs !== undefined) node.restsUntil = (yield* Clock.currentTimeMillis) + fault.retryAfterMs
    if (failures < nodes.length || fault.retryAfterMs !== undefined) return
    const wait = Math.min(backoffMs * 2 ** (failures - nodes.length), 10_000)
    yield* Effect.sleep(wait * (0.5 + 0.5 * (yield* Random.next)))
  })

  return {
    batch: Effect.fnUntraced(function* <Value>(calls: ReadonlyArray<RpcCall<Value>>) {
      const values = new Array<Value>(calls.length)
      yield* settle(calls, values, [...calls.keys()])
      return values
    }),
  }
}

type Settle = (
  calls: ReadonlyArray<RpcCall<unknown>>,
  values: Array<unknown>,
  indexes: ReadonlyArray<number>,
) => Effect.Effect<void, SourceUnavailable>

const isOutcomes = (answer: ReadonlyArray<Outcome> | RpcFault): answer is ReadonlyArray<Outcome> =>
  Array.isArray(answer)
const earlier = (a: Node, b: Node): Node => (b.restsUntil < a.restsUntil ? b : a)
