/** A chain's ledger as the service keeps it: followed, and beside it enriched, audited and told of to other processes. */
import { Effect } from "effect"
import type { ChainConfig } from "../config/chainConfig.ts"
import { auditInBackground } from "../domain/audit/background.ts"
import { learnCodes } from "../domain/enrich/codes.ts"
import { enrich } from "../domain/enrich/enrich.ts"
import { markAccounts } from "../domain/enrich/marks.ts"
import { follow } from "../domain/ingest/follow.ts"
import { makeFollowed } from "../domain/ingest/status/FollowedLedger.ts"
import { publishChain, tellStatuses } from "../domain/registry/keepRegistry.ts"
import type { ChainId } from "../model/primitives.ts"

/** Never ends. `opened`: the chains whose ledger is open here; this one's comes and goes. */
const keepLedger = Effect.fn("keepLedger")(function* (chain: ChainConfig, opened: Set<ChainId>) {
  const { chainId } = chain
  const followed = yield* makeFollowed(chainId)
  const told = Effect.acquireUseRelease(
    Effect.sync(() => opened.add(chainId)),
    () => Effect.andThen(publishChain(chain), Effect.never),
    () => Effect.sync(() => opened.delete(chainId)),
  )
  const all = [
    follow(chain, followed),
    followed.whileOpen((ledger) => enrich(chain, ledger)),
    followed.whileOpen((ledger) => learnCodes(chain, ledger)),
    followed.whileOpen((ledger) => markAccounts(chain, ledger)),
    followed.whileOpen((ledger) => auditInBackground(chain, ledger)),
    followed.whileOpen(() => told),
  ]
  yield* Effect.all(all, { concurrency: "unbounded", discard: true })
})

/** Never ends. */
export const keepLedgers = Effect.fn("keepLedgers")(function* (chains: ReadonlyArray<ChainConfig>) {
  const opened = new Set<ChainId>()
  const kept = chains.map((chain) => keepLedger(chain, opened))
  const told = tellStatuses(chains, (chainId) => opened.has(chainId))
  yield* Effect.all([...kept, told], { concurrency: "unbounded", discard: true })
})
