/** Opens a chain's ledger and follows the chain into it, again and again, until that cannot go on. */
import { Effect, Result } from "effect"
import { type Backoff, sleepBackoff } from "../../model/time/backoff.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { Ledger, LedgerUnavailable } from "../../ports/Ledger.ts"
import { type FollowedChain, openAndFollow } from "./openAndFollow.ts"
import type { ForkTooDeep } from "./state/forkErrors.ts"
import { untilAnswered } from "./status/retry.ts"
import { findForeign, readGenesis } from "./verify/identity.ts"

/** What has gone well for so long is no part of a row of failures. */
const wellMs = 60_000
/** Soon even: a store that is back is found within seconds. */
const waits: Backoff = { firstMs: 500, capMs: 5000 }
/** Of one problem the log has a line now and then. */
const quietMs = 60_000

/** A bug must not end a chain in silence. */
const tellBug = Effect.catchDefect((cause: unknown) => new LedgerUnavailable({ cause }))

/** Never ends well. `fork`: where it ended before. A ledger with the same head still would end there again. */
export const keepOpening = Effect.fnUntraced(function* (chain: FollowedChain, fork?: ForkTooDeep) {
  const { settings, node, trust, report } = chain
  const foreign = yield* untilAnswered(report, findForeign(node, settings.chainId))
  trust(foreign === undefined)
  if (foreign !== undefined) return yield* foreign
  const ledgers = yield* Ledger
  let said = { why: "", at: Number.NEGATIVE_INFINITY }
  for (let failures = 0; ; failures++) {
    const before = yield* steadyMillis
    const open = Effect.gen(function* () {
      const stored = yield* tellBug(ledgers.genesis(settings.chainId))
      const genesisHash = yield* untilAnswered(report, readGenesis(node, stored))
      return yield* tellBug(Effect.scoped(openAndFollow(chain, genesisHash, fork)))
    })
    const end = yield* Effect.result(open)
    if (Result.isSuccess(end)) continue
    const error = end.failure
    if (error._tag === "ForeignNode") trust(false)
    if (error._tag === "LedgerRefused" || error._tag === "ForkTooDeep" || error._tag === "ForeignNode")
      return yield* error
    const problem = error._tag === "LedgerUnavailable" ? error.problem : error.message
    const why = problem ?? "it is opened again"
    const now = yield* steadyMillis
    if (now - before > wellMs) failures = 0
    if (failures === 0 || said.why !== why || now - said.at >= quietMs) {
      yield* Effect.logWarning(`chain ${settings.chainId}: the ledger cannot be written: ${why}`, error)
      said = { why, at: now }
    }
    report.phase("waiting")
    report.problem(problem ?? "the store cannot be reached; it is asked again every few seconds")
    yield* sleepBackoff(waits, failures)
  }
})
