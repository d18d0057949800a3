/** A chain's nodes, what we learned about each, and which of them is asked next. */
import { Effect } from "effect"
import { type FaultKind, noFaults } from "../../../model/fault.ts"
import { steadyMillis } from "../../../model/steadyClock.ts"
import { type BatchSize, makeBatchSize } from "./batchSize.ts"
import { type Budget, makeBudget } from "./budget.ts"
import type { RpcFault } from "./fault.ts"
import { type Endpoint, endpointOf } from "./post.ts"

/** Shared by all clients that ask it. */
export interface Node {
  readonly endpoint: Endpoint
  readonly budget: Budget
  /** Calls it takes in one request. */
  readonly batchSize: BatchSize
  /** Milliseconds of the steady clock: not to be asked before. */
  restsUntil: number
  /** Likewise: until then it need not say again that it is of the chain we follow. */
  knownUntil: number
  /** Of which other chain it said it is, when asked last. */
  foreign: string | undefined
  /** Its answers that were refused so far, by kind. */
  readonly refused: Record<FaultKind, number>
}

export interface NodeOptions {
  /** Calls in one request, until a node wants fewer. Default 50. */
  readonly batchSize?: number
  /** Calls each node is asked in a second at most. Default: no limit. */
  readonly callsPerSecond?: number | undefined
}

/** Throws where a URL cannot be. */
export const nodesOf = (urls: ReadonlyArray<string>, { batchSize = 50, callsPerSecond }: NodeOptions = {}) =>
  urls.map((url): Node => {
    const budget = makeBudget(callsPerSecond)
    return {
      endpoint: endpointOf(url),
      budget,
      batchSize: makeBatchSize(Math.min(batchSize, budget.mostAtOnce)),
      restsUntil: Number.NEGATIVE_INFINITY,
      knownUntil: Number.NEGATIVE_INFINITY,
      foreign: undefined,
      refused: { ...noFaults },
    }
  })

/** The preferred node is given another chance after so long, in milliseconds; each time it fails, after twice that. */
const shortestAway = 60_000
const longestAway = 16 * shortestAway

export interface Turns {
  /** Place of the node in use. */
  readonly current: () => number
  /** Milliseconds until one of them does not rest. */
  readonly rest: Effect.Effect<number>
  /** The node in use, or the next one that does not rest; where all rest, waits for the first to come back. */
  readonly choose: Effect.Effect<Node>
  /** Has answered. */
  readonly recordSuccess: (node: Node) => void
  /** Has failed: the next one is in use now. It rests for as long as it asked. */
  readonly recordFailure: (node: Node, fault?: RpcFault) => Effect.Effect<void>
}

/** `nodes` in order of preference; at least one. */
export const makeTurns = (nodes: ReadonlyArray<Node>): Turns => {
  let current = 0
  let backAt = 0
  let away = shortestAway
  return {
    current: () => current,
    rest: Effect.map(steadyMillis, (now) => Math.max(0, nodes.reduce(earlier).restsUntil - now)),
    choose: Effect.gen(function* () {
      const now = yield* steadyMillis
      if (now >= backAt) current = 0
      const inTurn = nodes.map((_, offset) => nodes[(current + offset) % nodes.length]!)
      const node = inTurn.find(({ restsUntil }) => restsUntil <= now) ?? inTurn.reduce(earlier)
      if (node.restsUntil > now) yield* Effect.sleep(node.restsUntil - now)
      return node
    }),
    recordSuccess: (node) => {
      if (node === nodes[0] && current === 0) away = shortestAway
    },
    recordFailure: Effect.fnUntraced(function* (node: Node, fault?: RpcFault) {
      const now = yield* steadyMillis
      if (fault?.retryAfterMs !== undefined) node.restsUntil = now + fault.retryAfterMs
      if (nodes[current] !== node) return
      if (current === 0) {
        backAt = now + away
        away = Math.min(away * 2, longestAway)
      }
      current = (current + 1) % nodes.length
    }),
  }
}

const earlier = (a: Node, b: Node): Node => (b.restsUntil < a.restsUntil ? b : a)
