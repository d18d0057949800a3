/** SQL of the ids of an ERC-721 contract as of a block. */
import type { Fragment } from "postgres"
import type { PageRequest } from "../../../../model/page.ts"
import { zeroAddress } from "../../../../model/primitives.ts"
import type { NftKey } from "../../../../model/token.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { endOf, ownerAt } from "../common/atBlock.ts"
import { seekOf } from "../common/page.ts"

/**
 * `NftRow`s of live ids in the order read, one more than the limit. The uri is what was said of the id's latest mint: known
 * of ids that live still and were not minted anew since.
 */
export const selectNftsAt = (
  chain: ChainSql,
  tokenId: Fragment,
  page: PageRequest<NftKey>,
  blockNumber: number,
): Fragment => {
  const { sql, nft, transfers } = chain
  const { key, reading } = seekOf(page, "asc")
  const up = reading === "asc"
  const beyond = key === undefined ? sql`` : sql`and n.nft_id ${up ? sql`>` : sql`<`} ${key.tokenId}::numeric`
  const order = sql`order by n.nft_id ${up ? sql`asc` : sql`desc`}`
  const end = endOf(sql, blockNumber)
  const ofId = sql`t.token_id = n.token_id and t.nft_id = n.nft_id and t.pos < ${end} and not n.old_mint`
  const ids = sql`
    select n.nft_id, n.owner, n.uri, case when n.old_mint then n.mint_time else mint.time end as mint_time
    from (
      select n.token_id, n.nft_id, owned.owner, n.mint_time, coalesce(n.mint_pos < ${end}, false) as old_mint,
        case when n.owner is not null and n.mint_pos < ${end} then n.uri end as uri
      from ${nft} n cross join lateral (select ${ownerAt(chain, blockNumber)} as owner offset 0) owned
      where n.token_id = (${tokenId}) and owned.owner is not null ${beyond} ${order} limit ${page.limit + 1}
    ) n
    left join lateral (
      -- not by the index of all burns of the contract: by the id's own rows
      select t.pos, t.sub from ${transfers.erc721} t where ${ofId} and nullif(t.to_addr, ${zeroAddress}::bytea) is null
      order by t.pos desc, t.sub desc limit 1
    ) burn on true
    left join lateral (
      select t.time from ${transfers.erc721} t where ${ofId} and (t.pos, t.sub) > (coalesce(burn.pos, -1), coalesce(burn.sub, 0))
      order by t.pos, t.sub limit 1
    ) mint on true`
  return sql`
    select coalesce(json_agg(json_build_object('id', n.nft_id::text, 'uri', n.uri, 'mint_time', n.mint_time)), '[]')
    from (select * from (${ids}) n ${order}) n`
}
