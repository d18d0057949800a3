/** A contract's own figures, at the very block of an answer. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { TokenViews, type ViewQuestion } from "../../ports/TokenViews.ts"
import { briefNodeTimeout, lacksNode } from "../turns/nodeWait.ts"
import type { AuditStatus } from "./auditStatus.ts"

/** Where the figures of an answer come from; only said where the ledger's own are in doubt. */
export type BalanceSource = "node" | "ledger"

/** Questions that an answer may cost: where one call carries many, and where each is one. */
const mostTogether = 1001
const mostAlone = 101

/** Every answer, or undefined: the node cannot tell, does not in time, or need not be asked. */
export const askNode = (
  status: Pick<AuditStatus, "unaskable">,
  asOf: ReadonlyArray<AsOf>,
  questions: ReadonlyArray<ViewQuestion>,
) => Effect.map(askViews(status, asOf, questions), (answers) => (answers === "nobody" ? undefined : answers))

/** The same; `nobody`: there is no node. */
export const askViews = Effect.fnUntraced(function* (
  { unaskable }: Pick<AuditStatus, "unaskable">,
  [at]: ReadonlyArray<AsOf>,
  questions: ReadonlyArray<ViewQuestion>,
) {
  if (unaskable || at === undefined) return undefined
  const views = yield* TokenViews
  if (questions.length > (views.perCall(at.chainId, at.blockNumber) > 1 ? mostTogether : mostAlone)) return undefined
  return yield* views.ask(at.chainId, questions, at).pipe(
    Effect.timeout(briefNodeTimeout),
    Effect.catch((error) => Effect.succeed(lacksNode(error) ? ("nobody" as const) : undefined)),
    Effect.catchCause(() => Effect.succeed(undefined)),
  )
})
