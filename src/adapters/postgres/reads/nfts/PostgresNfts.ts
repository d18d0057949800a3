/** The NftStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Pin } from "../../../../model/page.ts"
import { NftStore } from "../../../../ports/NftStore.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { cut } from "../common/page.ts"
import { pinColumn, pinOf } from "../common/pin.ts"
import { selectTokenId } from "../common/tokenIds.ts"
import { selectInventory } from "./inventory.ts"
import { type NftRow, nftOf, selectNftCount, selectNfts } from "./nfts.ts"

export const layer = Layer.effect(
  NftStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return NftStore.of({
      list: Effect.fnUntraced(function* ({ chainId, token, page, count, blockNumber }) {
        const none: { rows: Array<NftRow>; total?: number; pin?: Pin } = { rows: [] }
        const { asOf, value } = yield* across.readOne(chainId, none, (chain) => {
          const { sql } = chain
          const tokenId = selectTokenId(chain, "erc721", token)
          return sql`(${selectNfts(chain, tokenId, page, blockNumber)}) as rows
            ${count ? sql`, coalesce((${selectNftCount(chain, tokenId, blockNumber)}), 0)::int8 as total` : sql``}
            ${pinColumn(chain, blockNumber, page)}`
        })
        const { rows, hasMore } = cut(page, value.rows)
        return {
          asOf,
          value: {
            items: rows.map(nftOf(chainId, token)),
            keys: rows.map(({ id }) => ({ tokenId: id })),
            hasMore,
            ...(count ? { count: { count: value.total ?? 0, countType: "exact" as const } } : {}),
            ...pinOf(value.pin),
          },
        }
      }),
      listInventory: Effect.fnUntraced(function* ({ chainId, token, owner, window, blockNumber }) {
        const none: { ids: Array<string> } = { ids: [] }
        const { asOf, value } = yield* across.readOne(chainId, none, (chain) => {
          const tokenId = selectTokenId(chain, "erc721", token)
          return chain.sql`(${selectInventory(chain, tokenId, owner, { ...window, blockNumber })}) as ids`
        })
        return { asOf, value: value.ids }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
