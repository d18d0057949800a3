/** A contract's own figures, at the very block of an answer. */
import { Duration, Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { TokenViews, type ViewQuestion } from "../../ports/TokenViews.ts"
import { lacksNode } from "../turns/nodeWait.ts"
import type { AuditStatus } from "./auditStatus.ts"

/** Where the figures of an answer come from; only said where the ledger's own are in doubt. */
export type BalanceSource = "node" | "ledger"

/** How long an answer waits for the node, and for its turn there. */
export const nodeTimeout = Duration.seconds(2)
/** Questions that an answer may cost: where one call carries many, and where each is one. */
const mostTogether = 1001
const mostAlone = 101

/** Every answer, or undefined: the node cannot tell, does not in time, or need not be asked. */
export const askNode = (
  status: Pick<AuditStatus, "mixed">,
  asOf: ReadonlyArray<AsOf>,
  questions: ReadonlyArray<ViewQuestion>,
) => Effect.map(askViews(status, asOf, questions), (answers) => (answers === "nobody" ? undefined : answers))

/** The same; `nobody`: there is no node. */
export const askViews = Effect.fnUntraced(function* (
  { mixed }: Pick<AuditStatus, "mixed">,
  [at]: ReadonlyArray<AsOf>,
  questions: ReadonlyArray<ViewQuestion>,
) {
  if (mixed || at === undefined) return undefined
  const views = yield* TokenViews
  if (questions.length > (views.perCall(at.chainId, at.blockNumber) > 1 ? mostTogether : mostAlone)) return undefined
  return yield* views.ask(at.chainId, questions, at).pipe(
    Effect.timeout(nodeTimeout),
    Effect.catch((error) => Effect.succeed(lacksNode(error) ? ("nobody" as const) : undefined)),
    Effect.catchCause(() => Effect.succeed(undefined)),
  )
})
