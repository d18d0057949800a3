/** SQL of what an ERC-20 contract itself sent to the zero address. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"

/** A sum as text, read off the index of the token's rows to the zero address. */
export const selectSentByItself = (
  { sql, token, transfers }: ChainSql,
  contract: Address,
  blockNumber: number,
): Fragment => sql`(
  select coalesce(sum(t.amount), 0)::text from ${token} k cross join lateral (
    select t.amount from ${transfers.erc20} t
    where t.token_id = k.token_id and t.to_addr = '\\x0000000000000000000000000000000000000000'
      and t.from_addr = k.address and t.pos < (${blockNumber}::int8 + 1) << 24
  ) t where k.address = ${contract}::bytea and k.standard = ${standardNumbers.erc20})`
