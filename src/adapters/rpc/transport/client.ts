/** JSON-RPC over HTTP for one chain: batches, time limits, budgets, retries with backoff, fail-over, bounded concurrency. */
import { Effect } from "effect"
import { addFaults, type FaultCounts, type FaultTexts, faultKinds, noFaults } from "../../../model/fault.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "./answers.ts"
import { makeAdmission } from "./chainIdCheck.ts"
import { makeExchange } from "./exchange.ts"
import { makeFailover } from "./failover.ts"
import { type Node, type NodeOptions, nodesOf } from "./nodes.ts"
import { newestRefusal } from "./refusals.ts"
import { makeSettle } from "./settle.ts"

export interface RpcClient {
  /** Every call's value, in order. Calls that fail are made again, alone and at another URL; one that never succeeds fails the whole. */
  batch<Value>(calls: ReadonlyArray<RpcCall<Value>>): Effect.Effect<ReadonlyArray<Value>, SourceUnavailable>
  /**
   * The same, and which of them one answer of one node held (behind a balancer two may know different chains): by a number
   * each, and whether it held them all. Also the place of the node that told each.
   */
  together<Value>(calls: ReadonlyArray<RpcCall<Value>>): Effect.Effect<Together<Value>, SourceUnavailable>
  /** Place of the node that is asked at the moment. */
  readonly current: () => number
  /** Calls that it takes in one request, as far as is known. */
  readonly perRequest?: () => number
  /** When one of the nodes last answered anyone, steady milliseconds. */
  readonly heardAt?: () => number | undefined
  /** What the nodes said and was refused, whoever asked. */
  readonly refusals?: () => FaultCounts
  /** Of these, those to callers' questions. */
  readonly refusalsOfCallers?: () => FaultCounts
  /** The newest of the others, of each kind: which node, which call, why. */
  readonly newestRefusals?: () => FaultTexts
  /** Scheme and host of the preferred node. */
  readonly label: string
  /** Another node is asked from now on, for a while: this one said what another denies. */
  readonly failover: Effect.Effect<void>
}

export interface Together<Value> {
  readonly values: ReadonlyArray<Value>
  readonly whole: boolean
  readonly origins: ReadonlyArray<number>
  readonly tellers: ReadonlyArray<number>
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
  /** What is asked is always for a caller. Default: where the read is one's (`ReadFor`). */
  readonly forCallers?: boolean
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
    forCallers = false,
  } = options
  const failover = makeFailover(nodes)
  const exchange = makeExchange(concurrency)
  const admit = makeAdmission(exchange, { chainId, timeoutMs, alone: nodes.length === 1 })
  const backoff = { firstMs: backoffMs, capMs: 10_000 }
  const settle = makeSettle({
    ...{ nodes, failover, exchange, admit },
    ...{ concurrency, timeoutMs, attempts, backoff, chainId, longestRestMs, forCallers },
  })

  const together = Effect.fnUntraced(function* <Value>(calls: ReadonlyArray<RpcCall<Value>>) {
    const values = new Array<Value>(calls.length)
    const origins = new Array<number>(calls.length)
    const tellers = new Array<number>(calls.length)
    yield* settle({ calls, values, origins, tellers }, [...calls.keys()])
    return {
      values,
      whole: origins.every((origin) => origin === origins[0]),
      origins,
      tellers,
    } satisfies Together<Value>
  })

  return {
    batch: (calls) => Effect.map(together(calls), ({ values }) => values),
    together,
    current: failover.current,
    perRequest: () => nodes[failover.current()]!.batchSize.current,
    heardAt: () => nodes.map(({ endpoint }) => endpoint.heardAt).reduce(later, undefined),
    refusals: () => nodes.map(({ refused }) => refused).reduce<FaultCounts>(addFaults, noFaults),
    refusalsOfCallers: () =>
      nodes.map(({ refusedOfCallers }) => refusedOfCallers).reduce<FaultCounts>(addFaults, noFaults),
    newestRefusals: () => Object.fromEntries(faultKinds.map((kind) => [kind, newestRefusal(nodes, kind)])),
    label: nodes[0]!.endpoint.label,
    failover: Effect.suspend(() => failover.recordFailure(nodes[failover.current()]!)),
  }
}

const later = (a: number | undefined, b: number | undefined) => (a === undefined || (b !== undefined && b > a) ? b : a)
