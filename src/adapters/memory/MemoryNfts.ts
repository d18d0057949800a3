/** The NftStore port in memory. */
import { Effect, Layer } from "effect"
import { type ChainId, dateTimeOf } from "../../model/primitives.ts"
import type { Erc721Token, NftKey } from "../../model/token.ts"
import { NftStore } from "../../ports/NftStore.ts"
import { uriOf } from "./enrichment.ts"
import { pinOf } from "./pin.ts"
import { compareBigInts, cut, pageOf } from "./rows.ts"
import { MemoryChains, type MemoryToken, type OwnerVersion, snapshotOf, storedChains, tokenOf } from "./state.ts"

export const layer = Layer.effect(
  NftStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return NftStore.of({
      list: ({ chainId, token: address, page, count, blockNumber }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const token = tokenOf(stored[0], "erc721", address)
          const ids = token === undefined ? [] : liveIds(token, blockNumber).map((id) => record(chainId, token, id))
          const rows = pageOf(ids, ({ tokenId }) => ({ tokenId }), compareKeys, page)
          return snapshotOf(stored, {
            ...rows,
            ...(count ? { count: { count: ids.length, countType: "exact" as const } } : {}),
            ...pinOf(stored[0], blockNumber, page),
          })
        }),
      listInventory: ({ chainId, token: address, owner, window, blockNumber }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const token = tokenOf(stored[0], "erc721", address)
          const live = token === undefined ? [] : liveIds(token, blockNumber)
          const owned = live.filter(({ version }) => version.owner === owner)
          const ids = owned.map(({ tokenId }) => tokenId).sort(compareBigInts)
          return snapshotOf(stored, cut(ids.map(String), window))
        }),
    })
  }),
)

interface LiveId {
  readonly tokenId: bigint
  readonly version: OwnerVersion
}

const liveIds = ({ owners }: MemoryToken, blockNumber = Infinity): ReadonlyArray<LiveId> =>
  [...owners].flatMap(([tokenId, versions]) => {
    const version = versions.findLast((it) => it.blockNumber <= blockNumber)
    return version?.owner === undefined ? [] : [{ tokenId, version }]
  })

const record = (chainId: ChainId, token: MemoryToken, { tokenId, version }: LiveId): Erc721Token => {
  const { mint } = token.owners.get(tokenId)?.at(-1) ?? {}
  const tokenUri = mint === version.mint ? uriOf(token, tokenId) : undefined
  return {
    chainId,
    tokenAddress: token.address,
    tokenId: String(tokenId),
    ...(tokenUri === undefined ? {} : { tokenUri }),
    ...(version.mint === undefined ? {} : { createdAt: dateTimeOf(version.mint.time) }),
  }
}

const compareKeys = (a: NftKey, b: NftKey): number => compareBigInts(BigInt(a.tokenId), BigInt(b.tokenId))
