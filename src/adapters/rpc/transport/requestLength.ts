/** Whether it was its length that made a request fail. */
import type { Outcome } from "./answers.ts"
import { isOutcomes } from "./exchange.ts"
import { isBatchRefusal, isPermanent, mayBeRateLimit, type RpcFault, speaksOfBatches } from "./fault.ts"
import type { Node } from "./nodes.ts"

interface WholeFailure {
  readonly answer: ReadonlyArray<Outcome> | RpcFault
  readonly fault: RpcFault
  readonly failures: number
  readonly now: number
}

/**
 * Whether a request that failed as a whole is to be made in halves: its length was `refused`, or is `doubtful`. The node's
 * batch size learns from it.
 */
export const judgeLength = (
  { batchSize }: Node,
  calls: number,
  { answer, fault, failures, now }: WholeFailure,
): "refused" | "doubtful" | undefined => {
  if (isOutcomes(answer) && isPermanent(fault) && !speaksOfBatches(fault)) return undefined
  const isRefused = isOutcomes(answer) ? speaksOfBatches(fault) : isBatchRefusal(fault)
  const isLimited = mayBeRateLimit(fault)
  const isUnproven = !isLimited && batchSize.isUnproven(calls)
  if (!isRefused && !isLimited) batchSize.failed(calls, now)
  if (calls === 1) return undefined
  if (isRefused) {
    batchSize.refused(calls, now)
    return "refused"
  }
  return isUnproven || fault.kind === "timeout" || failures > (isLimited ? 2 : 1) ? "doubtful" : undefined
}
