/** SQL of the ids of an ERC-721 contract as of a block. */
import type { Fragment, Sql } from "postgres"
import type { PageRequest } from "../../domain/model/page.ts"
import type { Address } from "../../domain/model/primitives.ts"
import type { NftKey } from "../../domain/model/token.ts"
import type { Window } from "../../ports/HolderStore.ts"
import { ownerAt, selectIdsAt } from "./atBlock.ts"
import { placeOf } from "./page.ts"
import type { ChainTables } from "./tables.ts"

/** `NftRow`s of live ids in the order read, one more than the limit. */
export const selectNftsAt = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  page: PageRequest<NftKey>,
  blockNumber: number,
): Fragment => {
  const { key, reading } = placeOf(page, "asc")
  const up = reading === "asc"
  const beyond = key === undefined ? sql`` : sql`and n.nft_id ${up ? sql`>` : sql`<`} ${key.tokenId}::numeric`
  const order = sql`order by n.nft_id ${up ? sql`asc` : sql`desc`}`
  const ids = selectIdsAt(sql, chain, tokenId, blockNumber, beyond, sql`${order} limit ${page.limit + 1}`)
  return sql`
    select coalesce(json_agg(json_build_object('id', n.nft_id::text, 'uri', n.uri, 'mint_time', n.mint_time)), '[]')
    from (select * from (${ids}) n ${order}) n`
}

/** The ids that an address owns as texts, ascending, by page and offset. */
export const selectInventoryAt = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  owner: Address,
  { page, offset }: Window,
  blockNumber: number,
): Fragment => sql`
  select coalesce(json_agg(n.nft_id::text), '[]') from (
    select n.nft_id from ${chain.nft} n
    where n.token_id = (${tokenId}) and ${ownerAt(sql, chain, blockNumber)} = ${owner}::bytea
    order by n.nft_id limit ${offset} offset ${(page - 1) * offset}
  ) n`
