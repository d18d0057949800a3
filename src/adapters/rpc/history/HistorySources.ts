/** The HistorySource port: a portal over HTTP for each chain that has one configured. */
import { Layer } from "effect"
import { followedTopics } from "../../../domain/ingest/decode/topics.ts"
import { HistorySource } from "../../../ports/HistorySource.ts"
import { bloomOf, wantedOf } from "../chain/bloom.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import { clientOf } from "./place.ts"
import { makePortal } from "./portal.ts"

export interface HistoryChain extends Pick<RpcChain, "chainId" | "tokens" | "swaps" | "approvals" | "bloom"> {
  /** A portal's URL; absent = the node alone. It may hold a secret. */
  readonly history?: string
}

export const layer = (chains: ReadonlyArray<HistoryChain>) =>
  Layer.sync(HistorySource, () => {
    const clients = new Map(chains.flatMap((chain) => (chain.history ? [[chain.chainId, historyOf(chain)]] : [])))
    return HistorySource.of({ of: (chainId) => clients.get(chainId) })
  })

/** Exported for tests. */
export const historyOf = ({ history, tokens, swaps, approvals, bloom }: HistoryChain) => {
  const topics = followedTopics(swaps, approvals)
  const wanted = wantedOf(topics, tokens)
  return clientOf(
    makePortal(history!, {
      topics,
      ...(tokens && { addresses: tokens }),
      readBloom: bloom === false ? undefined : (hex) => bloomOf(hex, wanted),
    }),
  )
}
