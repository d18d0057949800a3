/** Questions that no node answers for the moment, and why: they are asked again and again before whoever asked hears of it. */
import type { Unanswered } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"

export interface Watch {
  /** The same call, whose answers and faults are heard of. `byOtherWays`: a fault that the call reads as a value is no trouble. */
  readonly watched: <Value>(call: RpcCall<Value>, byOtherWays?: boolean) => RpcCall<Value>
  /** The method that has failed for longest without an answer since. */
  readonly longest: () => Unanswered | undefined
}

/** Without another fault for so long it is no longer asked: a node is obeyed for a minute at most, and waited for half of one. */
const forgottenMs = 120_000

interface Failing extends Unanswered {
  why: string
  /** Of the last fault, steady milliseconds. */
  at: number
}

/** By method: nodes that give headers may refuse logs. `now`: steady milliseconds. */
export const makeWatch = (now: () => number = () => performance.now()): Watch => {
  const failing = new Map<string, Failing>()
  let lastId = 0
  const fail = (method: string, why: string) => {
    const known = failing.get(method)
    if (known === undefined) failing.set(method, { id: ++lastId, why, at: now() })
    else Object.assign(known, { why, at: now() })
  }
  return {
    watched: (call, byOtherWays = false) => {
      const { method, read, readFault, lastResort } = call
      const answered = <Answer>(answer: Answer): Answer => {
        if (answer !== undefined && failing.size > 0) failing.delete(method)
        return answer
      }
      return {
        ...call,
        read: (result) => {
          const value = read(result)
          failing.delete(method)
          return value
        },
        ...(byOtherWays && readFault ? { readFault: (fault) => answered(readFault(fault)) } : {}),
        ...(byOtherWays && lastResort ? { lastResort: (...given) => answered(lastResort(...given)) } : {}),
        onFault: (why) => fail(method, why),
      }
    },
    longest: () => {
      for (const [method, { at }] of failing) if (now() - at > forgottenMs) failing.delete(method)
      // In the order in which they began.
      return failing.values().next().value
    },
  }
}
