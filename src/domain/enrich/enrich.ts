/** What is found of tokens beside their ledger: what they say of themselves, who made them, where ids point. */
import { Effect } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { ContractOrigins } from "../../ports/ContractOrigins.ts"
import { TokenMetadata } from "../../ports/TokenMetadata.ts"
import type { FollowedLedger } from "../ingest/status/FollowedLedger.ts"
import { askExhausted } from "./exhausted.ts"
import { creations, descriptions, uris } from "./jobs.ts"
import { runJob } from "./runJob.ts"

export interface EnrichSettings {
  readonly chainId: ChainId
  /** TOKEN_URIS: whether ERC-721 ids are asked for their `tokenURI`; default yes. */
  readonly tokenUris?: boolean
}

/** Never ends. The jobs go side by side, each with one small batch at a time. */
export const enrich = Effect.fn("enrich")(function* (
  { chainId, tokenUris = true }: EnrichSettings,
  ledger: FollowedLedger,
) {
  const metadata = yield* TokenMetadata
  const origins = yield* ContractOrigins
  const jobs = [
    runJob(descriptions({ chainId, ledger, metadata }), ledger.news()),
    runJob(creations({ chainId, ledger, origins }), ledger.news()),
    askExhausted({ chainId, ledger, origins }),
    ...(tokenUris ? [runJob(uris({ chainId, ledger, metadata }), ledger.news())] : []),
  ]
  return yield* Effect.all(jobs, { concurrency: "unbounded", discard: true })
})
