/** Opens a chain's ledger, waiting for it where another instance writes it, and follows the chain into it while it is open. */

import { Effect, Option } from "effect"
import type { Hash } from "../../model/primitives.ts"
import type { ChainSourceClient } from "../../ports/ChainSource.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { type Doubts, doubtsOf } from "./evidence/doubts.ts"
import { recheckDoubtful } from "./evidence/recheck.ts"
import { keepStepping } from "./followLoop.ts"
import type { History } from "./history/History.ts"
import { makePoolFinder } from "./pools/PoolFinder.ts"
import type { CommitSize } from "./state/commitSize.ts"
import type { FollowState } from "./state/FollowState.ts"
import { endsThereAgain, type ForkTooDeep, forkTooDeep } from "./state/forkErrors.ts"
import { makeOpenLedger } from "./state/OpenLedger.ts"
import { contractsOf, type FollowSettings, ledgerSettingsOf } from "./state/settings.ts"
import type { Followed } from "./status/FollowedLedger.ts"
import { loadingPhase } from "./status/loadingPhase.ts"
import { makePace } from "./status/pace.ts"
import type { Pulse } from "./status/pulse.ts"
import type { Report } from "./status/report.ts"
import { untilAnswered } from "./status/retry.ts"
import { findOther, landmarksLookedAt } from "./verify/landmarks.ts"
import { makeVerifiedSource } from "./verify/VerifiedSource.ts"
import type { ChainTraits } from "./verify/verifier.ts"

/** What is kept of a chain from one look at its ledger to the next. */
export interface FollowedChain {
  readonly settings: FollowSettings
  readonly node: ChainSourceClient
  readonly trust: Pulse["trust"]
  readonly report: Report
  readonly traits: ChainTraits
  readonly doubts: Doubts
  readonly history?: History | undefined
  readonly commitSize: CommitSize
  /** Told of each opened ledger. */
  readonly followed: Followed
}

/** `genesisHash`: of the node's chain. `fork`: where it ended before. */
export const openAndFollow = Effect.fnUntraced(function* (
  chain: FollowedChain,
  genesisHash: Hash,
  fork: ForkTooDeep | undefined,
) {
  const { settings, node, report, traits, followed, doubts, history, commitSize } = chain
  const { chainId, tokens, verify } = settings
  const ledgers = yield* Ledger
  const waiting = yield* Effect.forkScoped(waitForLedger(chain))
  const writer = yield* ledgers.open(ledgerSettingsOf(settings, genesisHash))
  waiting.interruptUnsafe()
  const pools = yield* makePoolFinder(chainId)
  let birth = yield* writer.birth
  const { evidence, lost } = doubtsOf(doubts, birth)
  const onLoad = (loaded: string) => {
    birth = loaded
    doubts.birth = birth
  }
  const ledger = yield* makeOpenLedger({ chainId, writer, report, onRollback: pools.forget, onLoad })
  const checkpoint = ledger.checkpoint()
  if (fork && (yield* untilAnswered(report, endsThereAgain(fork, node, checkpoint)))) return yield* fork
  const source = makeVerifiedSource({
    node,
    chainId,
    genesisHash,
    traits,
    report,
    everyHeader: verify === "full",
    ...(tokens && { tokens }),
  })
  const other = yield* findOther(node, yield* writer.landmarks(landmarksLookedAt)).pipe(
    // A node that is another chain's is told of in other words; one that does not answer is asked all the time.
    Effect.tap((found) => (found === undefined ? Effect.void : source.checkIdentity)),
    Effect.orElseSucceed(() => undefined),
  )
  if (other !== undefined) return yield* forkTooDeep({ ...other, checkpoint, settings })
  const state: FollowState = {
    settings,
    contracts: contractsOf(settings),
    source,
    pools,
    ledger,
    report,
    evidence,
    history,
    commitSize,
    pace: makePace(settings.pollMs),
    nodeHead: -1,
  }
  report.phase(yield* loadingPhase(chainId))
  report.problem(undefined)
  report.indexed(checkpoint)
  const { news, heal } = ledger
  yield* followed.publish({
    writer: { ...writer, heal },
    checkpoint: ledger.checkpoint,
    birth: () => birth,
    nodeHead: () => state.nodeHead,
    nodeTime: () => state.nodeTime,
    pace: state.pace,
    news,
    lost,
  })
  yield* Effect.forkScoped(recheckDoubtful({ verifier: source.verifier, evidence, lost, report }))
  return yield* keepStepping(state)
})

/** Opening is given so long before the status says that it is waited for. */
const openingMs = 3000
const shortestPauseMs = 1000

/** Who waits serves what the other writes, and must know how far behind the head that is. */
const waitForLedger = Effect.fnUntraced(function* ({ settings, node, report }: FollowedChain) {
  yield* Effect.sleep(openingMs)
  yield* Effect.addFinalizer(() => Effect.sync(() => report.awaitsLedger(false)))
  report.awaitsLedger(true)
  report.problem(
    "waiting for the ledger: it is being opened, another instance writes it, or the database has no connection left for it",
  )
  while (true) {
    const head = yield* Effect.option(node.head)
    if (Option.isSome(head)) report.head(head.value.number)
    // Until the other has loaded it, nothing of the chain can be read here either.
    report.phase(yield* loadingPhase(settings.chainId))
    yield* Effect.sleep(Math.max(settings.pollMs, shortestPauseMs))
  }
}, Effect.scoped)
