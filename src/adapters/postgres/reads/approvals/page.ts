/** SQL of an owner's approvals: the last row of each key, of those that still hold. */
import type { Fragment } from "postgres"
import { type ApprovalKey, approvalKinds } from "../../../../model/approval.ts"
import type { PageRequest } from "../../../../model/page.ts"
import { type Address, zeroAddress } from "../../../../model/primitives.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { bytesOf } from "../../database/client.ts"
import { seekOf } from "../common/page.ts"
import { orderWord } from "../feed/feed.ts"

/** Table `live`: rows in the order of their keys, at most `limit` of them. An index gives them so, and nothing is read beyond. */
const selectLive = (
  { sql, approval, token, nft }: ChainSql,
  owner: Address,
  { key, way, limit }: { readonly key: ApprovalKey | undefined; readonly way: Fragment; readonly limit: number },
  beyond: Fragment,
): Fragment => {
  const zero = bytesOf(zeroAddress)
  const start =
    key === undefined
      ? sql``
      : sql`and (a.contract, a.kind, a.nft_id, a.spender) ${beyond} (${bytesOf(key.tokenAddress)},
          ${approvalKinds.indexOf(key.kind)}::int2, ${key.tokenId}::numeric, ${bytesOf(key.spender)})`
  return sql`
    select * from (
      select distinct on (a.contract, a.kind, a.nft_id, a.spender) a.*
      from ${approval} a where a.owner = ${bytesOf(owner)} ${start}
      order by a.contract ${way}, a.kind ${way}, a.nft_id ${way}, a.spender ${way}, a.pos desc
    ) said
    where said.amount > 0 and (said.kind <> 1 or said.approved <> ${zero} and not exists (
      -- A transfer of the id ends it, whatever is said.
      select from ${token} k join ${nft} n on n.token_id = k.token_id and n.nft_id = said.nft_id
      where k.address = said.contract and k.standard = 721 and (n.owner is distinct from said.owner or n.pos > said.pos)
    ))
    limit ${limit}`
}

/** `ApprovalRow`s as one JSON array, in the order read, one more than the limit if there are. */
export const selectPage = (chain: ChainSql, owner: Address, page: PageRequest<ApprovalKey>): Fragment => {
  const { sql } = chain
  const { key, reading } = seekOf(page, "asc")
  const way = orderWord(sql, reading)
  const beyond = reading === "asc" ? sql`>` : sql`<`
  return sql`
    select coalesce(json_agg(json_build_object(
      'contract', '0x' || encode(contract, 'hex'), 'kind', kind, 'nft_id', nft_id::text,
      'spender', '0x' || encode(spender, 'hex'), 'approved', '0x' || encode(approved, 'hex'), 'amount', amount::text,
      'block_number', pos >> 24, 'log_index', pos & 16777215, 'time', time,
      'tx_hash', '0x' || encode(tx_hash, 'hex'), 'tx_index', tx_index
    ) order by contract ${way}, kind ${way}, nft_id ${way}, spender ${way}), '[]')
    from (${selectLive(chain, owner, { key, way, limit: page.limit + 1 }, beyond)}) live`
}

/** How many there are, up to `most`. */
export const selectNumber = (chain: ChainSql, owner: Address, most: number): Fragment => {
  const { sql } = chain
  return sql`select count(*) from (${selectLive(chain, owner, { key: undefined, way: sql`asc`, limit: most }, sql`>`)}) live`
}
