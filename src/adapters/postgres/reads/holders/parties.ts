/** Whom a token's rows since a block name: tables `since` and `party` of a statement that has the table `near`. */
import type { Fragment, Sql } from "postgres"
import type { Standard } from "../../../../model/token.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { type BlockSql, endOf, ownerAt } from "../common/atBlock.ts"

/** Scalar: whether rows since the block are few; null for an unknown token. */
export const isNear = (sql: Sql): Fragment => sql`(select near.is_near from near)`

/** `holder` of each account that a row of any standard, a Deposit or a Withdrawal touched. */
export const holderParties = (chain: ChainSql, tokenId: Fragment, blockNumber: BlockSql): Fragment => {
  const { sql, wrap, nft } = chain
  const { erc20, erc721, erc1155 } = chain.transfers
  const wraps = sql`select w.holder from ${wrap} w
    where w.token_id = (${tokenId}) and w.pos >= ${endOf(sql, blockNumber)} and (${isWrapped(chain, tokenId)})`
  const isSince = (standard: Standard) => isRowSince(sql, tokenId, blockNumber, standard)
  return sql`
    since as materialized (
      select t.from_addr, t.to_addr, null::numeric as nft_id from ${erc20} t where ${isSince("erc20")}
      union all
      select t.from_addr, t.to_addr, t.nft_id from ${erc721} t where ${isSince("erc721")}
      union all
      select t.from_addr, t.to_addr, null from ${erc1155} t where ${isSince("erc1155")}
    ),
    party as materialized (
      select from_addr as holder from since
      union select to_addr from since
      union ${wraps} and ${isNear(sql)}
      -- who lost an id is whom the ledger held for its owner, whatever the log says
      union select ${ownerAt(chain, blockNumber)} from (select distinct nft_id from since where nft_id is not null) i
        cross join lateral (
          select * from ${nft} n where n.token_id = (${tokenId}) and n.nft_id = i.nft_id offset 0
        ) n
    )`
}

/** `holder`, `nft_id` of each account and id that a row of an ERC-1155 touched. */
export const unitParties = ({ sql, transfers }: ChainSql, tokenId: Fragment, blockNumber: BlockSql): Fragment => sql`
    since as materialized (
      select t.from_addr, t.to_addr, t.nft_id from ${transfers.erc1155} t
      where ${isRowSince(sql, tokenId, blockNumber, "erc1155")}
    ),
    party as materialized (
      select from_addr as holder, nft_id from since union select to_addr, nft_id from since
    )`

/** Condition on a transfer `t`. Feeds of other standards are not even opened: where tokens are few they would be read by place. */
const isRowSince = (sql: Sql, tokenId: Fragment, blockNumber: BlockSql, standard: Standard): Fragment => sql`
  t.token_id = (${tokenId}) and t.pos >= ${endOf(sql, blockNumber)}
  and (select near.is_near and near.standard = ${standardNumbers[standard]} from near)`

/** Scalar: whether a token is wrapped native, whose Deposits and Withdrawals count: the ledger's settings name it so. */
export const isWrapped = ({ sql, state, token }: ChainSql, tokenId: Fragment): Fragment => sql`
  select coalesce((s.settings::json -> 'wrappedNative')::jsonb ? ('0x' || encode(k.address, 'hex')), false)
  from ${state} s cross join ${token} k where k.token_id = (${tokenId})`
