/** SQL of the ids of an ERC-721 contract that an address owns, now and as of a block. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import type { Window } from "../../../../ports/HolderStore.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { blockOf, ownerAt } from "../common/atBlock.ts"

/** The ids that an address owns as texts, ascending, by page and offset; now, or after a block. */
export const selectInventory = (
  chain: ChainSql,
  tokenId: Fragment,
  owner: Address | Fragment,
  { page, offset, blockNumber }: Window & { readonly blockNumber: number | undefined },
): Fragment => {
  if (blockNumber !== undefined) return selectInventoryAt(chain, tokenId, owner, { page, offset, blockNumber })
  const { sql, nft } = chain
  return sql`
    select coalesce(json_agg(n.nft_id::text), '[]') from (
      select n.nft_id from ${nft} n where n.token_id = (${tokenId}) and n.owner = ${owner}::bytea
      order by n.nft_id limit ${offset} offset ${(page - 1) * offset}
    ) n`
}

/** Blocks that touched the owner's pair are followed where they are no more than the ids that live, or than these. */
const fewBlocks = 1000

/**
 * The ids that an address owned as texts, ascending, by page and offset. They are among those that it received, in the
 * blocks that touched its pair; where these are many, all ids of the contract are gone through in their order.
 */
const selectInventoryAt = (
  chain: ChainSql,
  tokenId: Fragment,
  owner: Address | Fragment,
  { page, offset, blockNumber }: Window & { readonly blockNumber: number },
): Fragment => {
  const { sql } = chain
  const block = blockOf(sql, blockNumber)
  const owns = sql`${ownerAt(chain, blockNumber)} = ${owner}::bytea`
  return sql`
    with pair as materialized (
      select b.holder_no, b.block_number from ${chain.balance} b
      where b.holder = ${owner}::bytea and b.token_id = (${tokenId})
    ), most as materialized (
      select greatest(${fewBlocks}, s.ids) as blocks from ${chain.tokenStat} s where s.token_id = (${tokenId})
    ), touch as materialized (
      select pair.block_number from pair where pair.block_number <= ${block}
      union all (
        select h.block_number from ${chain.history} h
        where h.token_id = (${tokenId}) and h.holder_no = (select holder_no from pair) and h.block_number <= ${block}
        order by h.block_number desc limit (select blocks + 1 from most))
    ), way as materialized (
      select (select count(*) from touch) <= (select blocks from most) as by_blocks
    ), received as materialized (
      select distinct t.nft_id from touch cross join lateral (
        select t.nft_id from ${chain.transfers.erc721} t
        where t.token_id = (${tokenId}) and t.to_addr = ${owner}::bytea
          and t.pos >= touch.block_number::int8 << 24 and t.pos < (touch.block_number::int8 + 1) << 24
        offset 0
      ) t where (select by_blocks from way)
    )
    select coalesce(json_agg(n.nft_id::text), '[]') from (
      select * from (
        select n.nft_id from received cross join lateral (
          select * from ${chain.nft} n where n.token_id = (${tokenId}) and n.nft_id = received.nft_id offset 0
        ) n where ${owns}
        union all (
          select n.nft_id from ${chain.nft} n
          where n.token_id = (${tokenId}) and not (select by_blocks from way) and ${owns}
          order by n.nft_id limit ${page * offset})
      ) n order by n.nft_id limit ${offset} offset ${(page - 1) * offset}
    ) n`
}
