/** Which of a chain's nodes is asked next: the preferred one while it answers, else the others in order. */
import { Effect } from "effect"
import { type Backoff, backoffMs } from "../../../model/time/backoff.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { RpcFault } from "./fault.ts"
import type { Node } from "./nodes.ts"

/** Until the preferred node is given another chance. */
const preferredAway: Backoff = { firstMs: 60_000, capMs: 16 * 60_000 }

export interface Failover {
  /** Place of the node in use: the one that was chosen last, unless it has failed since. */
  readonly current: () => number
  /** Milliseconds until one of them does not rest. */
  readonly restMs: Effect.Effect<number>
  /** The node in use, or the next one that does not rest; where all rest, waits for the first to come back. */
  readonly choose: Effect.Effect<Node>
  /** Has answered. */
  readonly recordSuccess: (node: Node) => void
  /** Has failed: the next one is in use now. It rests for as long as it asked. */
  readonly recordFailure: (node: Node, fault?: RpcFault) => Effect.Effect<void>
}

/** `nodes` in order of preference; at least one. */
export const makeFailover = (nodes: ReadonlyArray<Node>): Failover => {
  let current = 0
  let preferredBackAt = 0
  let preferredFailures = 0
  return {
    current: () => current,
    restMs: Effect.map(steadyMillis, (now) => Math.max(0, nodes.reduce(earlier).restsUntil - now)),
    choose: Effect.gen(function* () {
      const now = yield* steadyMillis
      // It may rest for longer than it is away, and for other clients of the same nodes.
      if (now >= preferredBackAt && nodes[0]!.restsUntil <= now) current = 0
      const inOrder = nodes.map((_, offset) => nodes[(current + offset) % nodes.length]!)
      const node = inOrder.find(({ restsUntil }) => restsUntil <= now) ?? inOrder.reduce(earlier)
      current = nodes.indexOf(node)
      if (node.restsUntil > now) yield* Effect.sleep(node.restsUntil - now)
      return node
    }),
    recordSuccess: (node) => {
      if (node === nodes[0] && current === 0) preferredFailures = 0
    },
    recordFailure: Effect.fnUntraced(function* (node: Node, fault?: RpcFault) {
      const now = yield* steadyMillis
      if (fault?.retryAfterMs !== undefined) {
        node.restsUntil = now + fault.retryAfterMs
        node.restsAfter = fault.message
      }
      if (nodes[current] !== node) return
      if (current === 0) preferredBackAt = now + backoffMs(preferredAway, preferredFailures++)
      current = (current + 1) % nodes.length
    }),
  }
}

const earlier = (a: Node, b: Node): Node => (b.restsUntil < a.restsUntil ? b : a)
