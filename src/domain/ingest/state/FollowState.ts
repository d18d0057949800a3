/** A chain while its ledger is open: what it is read from, and what it is written to. */
import { Effect } from "effect"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { Contracts } from "../decode/sorting.ts"
import type { Evidence } from "../evidence/Evidence.ts"
import type { History } from "../history/History.ts"
import type { PoolFinder } from "../pools/PoolFinder.ts"
import type { Pace } from "../status/pace.ts"
import type { Report } from "../status/report.ts"
import type { VerifiedSource } from "../verify/VerifiedSource.ts"
import type { CommitSize } from "./commitSize.ts"
import type { OpenLedger } from "./OpenLedger.ts"
import type { FollowSettings } from "./settings.ts"

export interface FollowState {
  readonly settings: FollowSettings
  readonly contracts: Contracts
  readonly source: VerifiedSource
  readonly pools: PoolFinder
  readonly ledger: OpenLedger
  readonly report: Report
  readonly evidence: Evidence
  /** From elsewhere than the node; absent = the node alone. */
  readonly history?: History | undefined
  readonly commitSize: CommitSize
  /** How fast its head moves. */
  readonly pace: Pace
  /** The newest block that the node announced last; -1 = none yet. */
  nodeHead: number
  /** The time of the block that it announced last, seconds; absent = none yet. */
  nodeTime?: number
}

/** The block that is read next: where there is no block 0 the first is block 1. */
export const nextToRead = ({ ledger, source }: Pick<FollowState, "ledger" | "source">): number =>
  Math.max(ledger.checkpoint().nextBlock, source.verifier.traits.lacksBlockZero ? 1 : 0)

/** The node announced this block; gives whether that says where the chain is. */
export const hearHead = Effect.fnUntraced(function* (
  state: FollowState,
  { number, time }: Pick<SourceHeader, "number" | "time">,
) {
  const { ledger, pace, report } = state
  const isTold = pace.heard(number, yield* steadyMillis, ledger.checkpoint().nextBlock - 1)
  state.nodeTime = time
  report.head(number)
  return isTold
})
