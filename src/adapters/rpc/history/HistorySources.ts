/** The HistorySource port: a portal over HTTP or a folder of files, for each chain that has one configured. */
import { Layer } from "effect"
import { followedTopics } from "../../../domain/ingest/decode/topics.ts"
import { HistorySource } from "../../../ports/HistorySource.ts"
import { bloomOf, wantedOf } from "../chain/bloom.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import { makeFolder } from "./folder.ts"
import { clientOf } from "./place.ts"
import { makePortal, type PortalQuery, portalLimits } from "./portal.ts"

export interface HistoryChain extends Pick<RpcChain, "chainId" | "tokens" | "swaps" | "approvals" | "bloom"> {
  /** A portal's URL, which may hold a secret, or a folder; absent = the node alone. */
  readonly history?: string
}

export const layer = (chains: ReadonlyArray<HistoryChain>) =>
  Layer.sync(HistorySource, () => {
    const clients = new Map(
      chains.flatMap(({ history, ...chain }) =>
        history === undefined ? [] : [[chain.chainId, historyOf({ ...chain, history })]],
      ),
    )
    return HistorySource.of({ of: (chainId) => clients.get(chainId) })
  })

/** Exported for tests. */
export const historyOf = (
  { history, tokens, swaps, approvals, bloom }: HistoryChain & { readonly history: string },
  limits = portalLimits,
) => {
  const topics = followedTopics(swaps, approvals)
  const wanted = wantedOf(topics, tokens)
  const query: PortalQuery = {
    topics,
    ...(tokens && { addresses: tokens }),
    readBloom: bloom === false ? undefined : (hex) => bloomOf(hex, wanted),
  }
  return clientOf(/^https?:/i.test(history) ? makePortal(history, query, limits) : makeFolder(history, query))
}
