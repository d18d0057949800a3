/** `cowry resync`: a chain's ledger built anew with the present settings, beside the stored one, and put in its place. */
import { Effect } from "effect"
import { Database } from "../../adapters/postgres/database/Database.ts"
import {
  carryAudits,
  carryZeroAddressHolders,
  finishEarlier,
  isDescribed,
  keepClaim,
  NextLedger,
  progressOf,
  swapIn,
} from "../../adapters/postgres/rebuild/rebuild.ts"
import { say } from "../../adapters/terminal/print.ts"
import { showProgress } from "../../adapters/terminal/progress.ts"
import { enrich } from "../../domain/enrich/enrich.ts"
import { catchUp } from "../../domain/ingest/catchUp.ts"
import { ledgerSettingsOf } from "../../domain/ingest/state/settings.ts"
import { makeFollowed } from "../../domain/ingest/status/FollowedLedger.ts"
import type { Hash } from "../../model/primitives.ts"
import { anewOption, forgetWhereAnew, keptAtFork } from "./built.ts"
import { type Command, configuredChain } from "./command.ts"
import { tellOfWait } from "./tellOfWait.ts"

export const resync: Command = {
  name: "resync",
  takes: ["<chainId>"],
  options: anewOption,
  makesDatabase: true,
  meaning: "build a chain anew with the present settings, while the stored one answers, and put it in its place",
  check: ({ words }, config) => configuredChain(words[0]!, config),
  run: Effect.fn("resync")(function* (typed, config, onDone) {
    const chain = yield* configuredChain(typed.words[0]!, config)
    const { chainId } = chain
    const database = yield* Database
    const claim = yield* keepClaim(database, chainId)
    const settingsOf = (genesis: Hash) => ledgerSettingsOf(chain, genesis)
    if ((yield* finishEarlier(database, chainId, settingsOf)) && typed.options.anew !== true) {
      say(
        `chain ${chainId}: what an earlier run had replaced is removed: that run was done, and its ledger answers. To build the chain anew once more run it again`,
      )
      return 0 as const
    }
    yield* forgetWhereAnew(typed, database, chainId)
    const { stored, next } = yield* progressOf(database, chainId)
    say(
      stored === undefined
        ? `chain ${chainId}: nothing is stored of it; it is built from block ${chain.startBlock}`
        : `chain ${chainId}: built anew from block ${chain.startBlock}; what is stored, up to block ${stored}, goes on answering`,
    )
    if (next !== undefined) say(`chain ${chainId}: an earlier run has come to block ${next}`)
    const progress = yield* Effect.forkChild(showProgress)
    const followed = yield* makeFollowed(chainId)
    // Not audited: the audit reads the ledger that answers, which is not the one that is written here.
    const enriching = yield* Effect.forkChild(followed.whileOpen((ledger) => enrich(chain, ledger)))
    const block = yield* catchUp(chain, { followed, isComplete: isDescribed(database, chainId) }).pipe(
      Effect.catchTag("ForkTooDeep", (fork) => Effect.fail(keptAtFork({ ...chain, command: "resync" }, fork))),
      Effect.tap(() => carryZeroAddressHolders(database, settingsOf, chainId)),
      Effect.tap(() => carryAudits(database, chainId)),
      Effect.provide(NextLedger.layer({ cacheBytes: config.cacheBytes })),
    )
    enriching.interruptUnsafe()
    progress.interruptUnsafe()
    const session = yield* claim
    const onSwapped = () => {
      say(`chain ${chainId}: the new ledger answers now; what was replaced is being removed`)
      onDone("it is done; what was replaced is removed by the service that has the chain, or by the next cowry resync")
    }
    const unremoved = yield* swapIn(database, session, chainId, tellOfWait(chainId), onSwapped)
    if (unremoved !== undefined)
      say(
        `chain ${chainId}: what was replaced could not be removed (${unremoved}). The service that has the chain does it`,
      )
    say(`chain ${chainId}: done. The new ledger stands at block ${block} and answers`)
    return 0 as const
  }),
}
