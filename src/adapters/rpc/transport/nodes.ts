/** A chain's nodes, and what we learned about each. */
import { type FaultKind, noFaults } from "../../../model/fault.ts"
import { type Budget, makeBudget } from "../../../model/time/budget.ts"
import { type BatchSize, makeBatchSize } from "./batchSize.ts"
import { type Endpoint, endpointOf } from "./endpoint.ts"

/** Shared by all clients that ask it. */
export interface Node {
  readonly endpoint: Endpoint
  readonly budget: Budget
  /** Calls it takes in one request. */
  readonly batchSize: BatchSize
  /** Milliseconds of the steady clock: not to be asked before. */
  restsUntil: number
  /** With which words it asked for that: of a whole request, so they name no call. */
  restsAfter: string
  /** Likewise: until then it need not say again that it is of the chain we follow. */
  knownUntil: number
  /** Of which other chain it said it is, when asked last. */
  foreign: string | undefined
  /** Its answers that were refused so far, by kind. */
  readonly refused: Record<FaultKind, number>
  /** Of them those to callers' questions. */
  readonly refusedOfCallers: Record<FaultKind, number>
  /** The newest of the others: which call, and why. `order` rises over all nodes. */
  readonly newestRefused: Partial<Record<FaultKind, { readonly text: string; readonly order: number }>>
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
      restsAfter: "",
      knownUntil: Number.NEGATIVE_INFINITY,
      foreign: undefined,
      refused: { ...noFaults },
      refusedOfCallers: { ...noFaults },
      newestRefused: {},
    }
  })
