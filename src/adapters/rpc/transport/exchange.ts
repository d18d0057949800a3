/** One request to one node: calls sent within its budget, their outcomes read; never more requests at once than allowed. */
import { Effect, Result, Semaphore } from "effect"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import { matchAnswers, type Outcome, type RpcCall } from "./answers.ts"
import { redact } from "./endpoint.ts"
import type { RpcFault } from "./fault.ts"
import type { Node } from "./nodes.ts"
import { post } from "./post.ts"

/** One outcome per call, or the fault of the whole request. `timeoutMs`: of the request, body included. */
export type Exchange = (
  node: Node,
  calls: ReadonlyArray<RpcCall<unknown>>,
  timeoutMs: number,
) => Effect.Effect<ReadonlyArray<Outcome> | RpcFault>

/** `concurrency`: requests on the wire at once. */
export const makeExchange = (concurrency: number): Exchange => {
  const permits = Semaphore.makeUnsafe(Math.max(1, concurrency))
  let lastId = 0
  return Effect.fnUntraced(function* (node, calls, timeoutMs) {
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
    if (Result.isSuccess(answer)) node.endpoint.heardAt = yield* steadyMillis
    const clean = (text: string) => redact(node.endpoint, text)
    return Result.isFailure(answer) ? answer.failure : matchAnswers(calls, { ...answer.success, firstId, clean })
  })
}

export const isOutcomes = (answer: ReadonlyArray<Outcome> | RpcFault): answer is ReadonlyArray<Outcome> =>
  Array.isArray(answer)
