/** SQL of the ids of an ERC-721 contract as they are now, and a row of it → the record. */
import type { Fragment } from "postgres"
import type { PageRequest } from "../../../../model/page.ts"
import { type Address, type BigIntString, type ChainId, dateTimeOf } from "../../../../model/primitives.ts"
import type { Erc721Token, NftKey } from "../../../../model/token.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { seekOf } from "../common/page.ts"
import { selectSupply } from "../holders/balances.ts"
import { selectNftsAt } from "./nftsAt.ts"

export interface NftRow {
  readonly id: BigIntString
  readonly uri: string | null
  readonly mint_time: number | null
}

/** `NftRow`s of live ids in the order read, one more than the limit. */
export const selectNfts = (
  chain: ChainSql,
  tokenId: Fragment,
  page: PageRequest<NftKey>,
  blockNumber: number | undefined,
): Fragment => {
  if (blockNumber !== undefined) return selectNftsAt(chain, tokenId, page, blockNumber)
  const { sql, nft } = chain
  const { key, reading } = seekOf(page, "asc")
  const up = reading === "asc"
  const beyond = key === undefined ? sql`` : sql`and n.nft_id ${up ? sql`>` : sql`<`} ${key.tokenId}::numeric`
  return sql`
    select coalesce(json_agg(json_build_object('id', n.nft_id::text, 'uri', n.uri, 'mint_time', n.mint_time)), '[]') from (
      select n.nft_id, n.uri, n.mint_time from ${nft} n
      where n.token_id = (${tokenId}) and n.owner is not null ${beyond}
      order by n.nft_id ${up ? sql`asc` : sql`desc`} limit ${page.limit + 1}
    ) n`
}

/** Live ids: now as the ledger keeps the number, after a block as many as were minted and not burnt. No row for an unknown contract. */
export const selectNftCount = (chain: ChainSql, tokenId: Fragment, blockNumber: number | undefined): Fragment => {
  if (blockNumber !== undefined) return selectSupply(chain, tokenId, blockNumber)
  const { sql, tokenStat } = chain
  return sql`select s.ids from ${tokenStat} s where s.token_id = (${tokenId})`
}

export const nftOf =
  (chainId: ChainId, tokenAddress: Address) =>
  ({ id, uri, mint_time }: NftRow): Erc721Token => ({
    chainId,
    tokenAddress,
    tokenId: id,
    ...(uri === null ? {} : { tokenUri: uri }),
    ...(mint_time === null ? {} : { createdAt: dateTimeOf(mint_time) }),
  })
