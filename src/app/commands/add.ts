/** `cowry add`: tokens that TOKENS_<id> newly names come into the stored ledger, read beside it and merged in one transaction. */
import { Duration, Effect, Layer } from "effect"
import { Database, type DatabaseShape } from "../../adapters/postgres/database/Database.ts"
import type { Session } from "../../adapters/postgres/ledger/wire/session.ts"
import {
  type Addition,
  findAddition,
  type Head,
  holdStored,
  isDescribed,
  keepClaim,
  letStoredGo,
  mergeAdded,
  NextLedger,
  progressOf,
  type RebuildFailed,
} from "../../adapters/postgres/rebuild/rebuild.ts"
import * as RpcChainSource from "../../adapters/rpc/chain/RpcChainSource.ts"
import * as HistorySources from "../../adapters/rpc/history/HistorySources.ts"
import { say } from "../../adapters/terminal/print.ts"
import { showProgress } from "../../adapters/terminal/progress.ts"
import type { ChainConfig } from "../../config/chainConfig.ts"
import { enrich } from "../../domain/enrich/enrich.ts"
import { catchUp } from "../../domain/ingest/catchUp.ts"
import { ledgerSettingsOf } from "../../domain/ingest/state/settings.ts"
import { makeFollowed } from "../../domain/ingest/status/FollowedLedger.ts"
import { windowOf } from "../../domain/ingest/status/window.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { anewOption, forgetWhereAnew, keptAtFork } from "./built.ts"
import { type Command, configuredChain } from "./command.ts"

/** Between two tries to find both ledgers at the same block. */
const tryAgainMs = 1000
/** The stored ledger is held so long at most until the other stands at its block. */
const mostHeldMs = 15_000

export const add: Command = {
  name: "add",
  takes: ["<chainId>"],
  options: anewOption,
  meaning: "read the tokens that TOKENS_<chainId> newly names, and add them to the stored ledger",
  check: ({ words }, config) => configuredChain(words[0]!, config),
  run: Effect.fn("add")(function* (typed, config) {
    const chain = yield* configuredChain(typed.words[0]!, config)
    const { chainId } = chain
    const database = yield* Database
    const claim = yield* keepClaim(database, chainId)
    const addition = yield* findAddition(database, chainId, (genesis) => ledgerSettingsOf(chain, genesis))
    if (addition.added.length === 0) {
      say(`chain ${chainId}: the stored ledger has all tokens of TOKENS_${chainId}`)
      return 0 as const
    }
    say(`chain ${chainId}: to be added: ${addition.added.join(", ")}; what is stored goes on answering`)
    yield* forgetWhereAnew(typed, database, chainId)
    const progress = yield* Effect.forkChild(showProgress)
    const adding: Adding = { chain, database, claim, addition, eventsDays: config.eventsDays }
    // Logs, blooms and receipts of the added tokens alone: what is said of a block must be what is proven of it.
    const only = [{ ...chain, tokens: addition.added }]
    const sources = Layer.merge(RpcChainSource.layer(only), HistorySources.layer(only))
    const { tokens, block } = yield* addAll(adding).pipe(
      Effect.provide(Layer.merge(sources, NextLedger.layer({ cacheBytes: config.cacheBytes }))),
    )
    progress.interruptUnsafe()
    say(
      `chain ${chainId}: done. ${tokens} tokens were added at block ${block}; start the service with the new TOKENS_${chainId}`,
    )
    return 0 as const
  }),
}

interface Adding {
  readonly chain: ChainConfig
  readonly database: DatabaseShape
  /** Gives the session that has the claim on the chain. */
  readonly claim: Effect.Effect<Session, RebuildFailed>
  readonly addition: Addition
  readonly eventsDays: number
}

const addAll = Effect.fnUntraced(function* (adding: Adding) {
  const { chain, database } = adding
  const { chainId } = chain
  yield* follow(adding, isDescribed(database, chainId))
  for (let tries = 1; ; tries++) {
    const { stored = -1, next = -1 } = yield* progressOf(database, chainId)
    // The other goes back no further than its window.
    const isNear = next - stored < windowOf(chain)
    if (isNear) {
      const done = yield* tryToAdd(adding)
      if (done !== undefined) return done
    }
    if (tries % 30 === 0) {
      say(
        `chain ${chainId}: waiting until the stored ledger, at block ${stored}, is near block ${next}: a service that follows the chain with the former TOKENS_${chainId} brings it there`,
      )
    }
    yield* Effect.sleep(tryAgainMs)
    // No further: the stored ledger is to come to it, and a fast chain's head is above that by more than the window.
    if (isNear) yield* follow(adding, Effect.succeed(true), Math.max(stored, next))
  }
})

/** The ledger of the added tokens, up to the node's head, or to that block. */
const follow = Effect.fnUntraced(function* (
  { chain, addition }: Adding,
  isComplete: Effect.Effect<boolean, RebuildFailed>,
  last?: number,
) {
  const added: ChainConfig = { ...chain, tokens: addition.added }
  const followed = yield* makeFollowed(chain.chainId)
  const enriching = yield* Effect.forkChild(followed.whileOpen((ledger) => enrich(added, ledger)))
  yield* catchUp(added, { followed, isComplete, ...(last !== undefined && { last }) }).pipe(
    Effect.catchTag("ForkTooDeep", (fork) => Effect.fail(keptAtFork({ ...chain, command: "add" }, fork))),
  )
  enriching.interruptUnsafe()
})

/** Undefined = the two ledgers did not come to stand at the same block: the stored one is as it was. */
const tryToAdd = Effect.fnUntraced(function* (adding: Adding) {
  const session = yield* adding.claim
  return yield* Effect.acquireUseRelease(
    holdStored(adding.database, session, adding.chain.chainId),
    (head) =>
      Effect.gen(function* () {
        const { chain, database, addition, eventsDays } = adding
        const isThere = Effect.map(progressOf(database, chain.chainId), ({ next = -1 }) => next >= head.number)
        if (!(yield* isThere)) {
          yield* Effect.timeoutOption(follow(adding, isThere, head.number), Duration.millis(mostHeldMs))
          if (!(yield* isThere)) return undefined
        }
        if (!(yield* goTo(adding, head))) return undefined
        const settings = ledgerSettingsOf(chain, addition.genesisHash)
        const tokens = yield* Effect.uninterruptible(mergeAdded(database, session, settings, addition, eventsDays))
        if (tokens === undefined) {
          say(
            `chain ${chain.chainId}: somebody else was at work on the same rows; what was done is taken back, and tried again`,
          )
          return undefined
        }
        return { tokens, block: head.number }
      }),
    () => letStoredGo(session),
  )
})

/** The ledger of the added tokens ends with that block; false = it has another one there. */
const goTo = Effect.fnUntraced(function* ({ chain, addition }: Adding, { number, hash }: Head) {
  const settings = ledgerSettingsOf({ ...chain, tokens: addition.added }, addition.genesisHash)
  const writer = yield* (yield* Ledger).open(settings)
  const { head } = yield* writer.checkpoint
  if (head?.hash === hash) return true
  if (head === undefined || head.number <= number) return false
  const known = yield* writer.recentHeaders
  if (!known.some((header) => header.number === number && header.hash === hash)) return false
  yield* writer.rollback(number + 1)
  return true
}, Effect.scoped)
