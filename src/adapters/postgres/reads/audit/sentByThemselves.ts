/** SQL of what ERC-20 contracts themselves sent to the zero address. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import { hexArray } from "../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"

/** A JSON list of sums as texts, in the order of the contracts: read off the index of each one's rows to the zero address. */
export const selectSentByThemselves = (
  { sql, token, transfers }: ChainSql,
  tokens: ReadonlyArray<Address>,
  blockNumber: number,
): Fragment => sql`(
  select coalesce(json_agg(coalesce((
    select sum(t.amount) from ${token} k cross join lateral (
      select t.amount from ${transfers.erc20} t
      where t.token_id = k.token_id and t.to_addr = '\\x0000000000000000000000000000000000000000'
        and t.from_addr = k.address and t.pos < (${blockNumber}::int8 + 1) << 24
    ) t where k.address = w.address and k.standard = ${standardNumbers.erc20}), 0)::text order by w.place), '[]')
  from unnest(${hexArray(tokens)}::text::bytea[]) with ordinality as w (address, place))`
