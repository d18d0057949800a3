/** A chain's ledger as the service keeps it: followed, and beside it enriched and audited. */
import { Effect } from "effect"
import type { ChainConfig } from "../config/chainConfig.ts"
import { auditInBackground } from "../domain/audit/background.ts"
import { enrich } from "../domain/enrich/enrich.ts"
import { follow } from "../domain/ingest/follow.ts"
import { makeFollowed } from "../domain/ingest/status/FollowedLedger.ts"

/** Never ends. */
export const keepLedger = Effect.fn("keepLedger")(function* (chain: ChainConfig) {
  const followed = yield* makeFollowed(chain.chainId)
  const all = [
    follow(chain, followed),
    followed.whileOpen((ledger) => enrich(chain, ledger)),
    followed.whileOpen((ledger) => auditInBackground(chain, ledger)),
  ]
  yield* Effect.all(all, { concurrency: "unbounded", discard: true })
})
