/** A contract's own figures, at the very block of an answer. */
import { Duration, Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import type { Address } from "../../model/primitives.ts"
import { AccountCodes } from "../../ports/AccountCodes.ts"
import { TokenViews, type ViewQuestion } from "../../ports/TokenViews.ts"
import type { AuditStatus } from "./auditStatus.ts"

/** Where the figures of an answer come from; only said where the ledger's own are in doubt. */
export type BalanceSource = "node" | "ledger"

/** How long an answer waits for the node. */
const nodeTimeout = Duration.seconds(2)
/** Questions that an answer may cost: where one call carries many, and where each is one. */
const mostTogether = 1001
const mostAlone = 101

/** Every answer, or undefined: the node cannot tell, does not in time, or need not be asked. */
export const askNode = Effect.fnUntraced(function* (
  { mixed }: Pick<AuditStatus, "mixed">,
  [at]: ReadonlyArray<AsOf>,
  questions: ReadonlyArray<ViewQuestion>,
) {
  if (mixed || at === undefined) return undefined
  const views = yield* TokenViews
  if (questions.length > (views.perCall(at.chainId, at.blockNumber) > 1 ? mostTogether : mostAlone)) return undefined
  return yield* views.ask(at.chainId, questions, at).pipe(
    Effect.timeout(nodeTimeout),
    Effect.catchCause(() => Effect.succeed(undefined)),
  )
})

/** Whether there is a contract after that block (absent = the answer's), or undefined: the node cannot tell, or does not in time. */
export const askCode = Effect.fnUntraced(function* (
  [at]: ReadonlyArray<AsOf>,
  address: Address,
  blockNumber = at?.blockNumber,
) {
  if (at === undefined || blockNumber === undefined) return undefined
  const answers = yield* (yield* AccountCodes).areContracts(at.chainId, [address], blockNumber).pipe(
    Effect.timeout(nodeTimeout),
    Effect.catchCause(() => Effect.succeed(undefined)),
  )
  return answers?.[0]
})
