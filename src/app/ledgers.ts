/** A chain's ledger as the service keeps it: followed, and beside it enriched, priced, audited and told of to other processes. */
import { Effect } from "effect"
import type { ChainConfig } from "../config/chainConfig.ts"
import type { Config } from "../config/readConfig.ts"
import { auditInBackground } from "../domain/audit/background.ts"
import { learnCodes } from "../domain/enrich/codes.ts"
import { enrich } from "../domain/enrich/enrich.ts"
import { markAccounts } from "../domain/enrich/marks.ts"
import { keepNotes } from "../domain/enrich/trust.ts"
import { follow } from "../domain/ingest/follow.ts"
import { type FollowedLedger, makeFollowed } from "../domain/ingest/status/FollowedLedger.ts"
import { publishChain, tellStatuses } from "../domain/registry/keepRegistry.ts"
import type { ChainId } from "../model/primitives.ts"
import { keepGoing } from "../model/time/survive.ts"
import { priceKeeper } from "./prices.ts"

/** What the ledgers of a process share. */
interface Shared {
  /** The chains whose ledger is open here, each with that of its opening. */
  readonly opened: Map<ChainId, FollowedLedger>
  readonly keepPrices: Effect.Success<ReturnType<typeof priceKeeper>>
}

/** Never ends. All that answers depend on is written while the ledger is open here: another process has other settings. */
const keepLedger = Effect.fn("keepLedger")(function* (chain: ChainConfig, { opened, keepPrices }: Shared) {
  const { chainId } = chain
  const followed = yield* makeFollowed(chainId)
  const tell = (ledger: FollowedLedger) =>
    Effect.acquireUseRelease(
      Effect.sync(() => opened.set(chainId, ledger)),
      () => Effect.andThen(publishChain(chain), Effect.never),
      () => Effect.sync(() => opened.delete(chainId)),
    )
  const all = [
    follow(chain, followed),
    followed.whileOpen((ledger) => enrich(chain, ledger)),
    followed.whileOpen((ledger) => learnCodes(chain, ledger)),
    followed.whileOpen((ledger) => markAccounts(chain, ledger)),
    followed.whileOpen((ledger) => auditInBackground(chain, ledger)),
    followed.whileOpen((ledger) => keepPrices(chain, ledger)),
    followed.whileOpen(tell),
  ]
  yield* Effect.all(all, { concurrency: "unbounded", discard: true })
})

/** Never ends, whatever becomes of one of them. */
export const keepLedgers = Effect.fn("keepLedgers")(function* (config: Config) {
  const { chains } = config
  const opened = new Map<ChainId, FollowedLedger>()
  const isOpen = (chainId: ChainId) => opened.has(chainId)
  const shared = { opened, keepPrices: yield* priceKeeper(config) }
  const kept = [
    ...chains.map((chain) => keepGoing(`chain ${chain.chainId}`, keepLedger(chain, shared))),
    keepGoing("what other processes are told", tellStatuses(chains, isOpen)),
    keepGoing(
      "notes of tokens",
      keepNotes((chainId) => opened.get(chainId)),
    ),
  ]
  yield* Effect.all(kept, { concurrency: "unbounded", discard: true })
})
