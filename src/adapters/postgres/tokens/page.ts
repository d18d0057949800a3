/** A page of a sorted token list across chains. */
import type { Fragment, Sql } from "postgres"
import type { TokenKey } from "../../../domain/model/token.ts"
import { unionAll } from "../acrossChains.ts"
import type { ChainTables } from "../tables.ts"
import { type TokenReading, tokenBranches } from "./branches.ts"
import { selectDetails, type TokenDetails } from "./record.ts"

export interface TokenRow {
  readonly chain_id: string
  readonly value: TokenKey["value"]
  readonly details: TokenDetails
}

/** `TokenRow`s in the order read as one JSON array; what is known of a token is looked up for the page's rows only. */
export const selectTokenPage = (sql: Sql, chains: ReadonlyArray<ChainTables>, reading: TokenReading): Fragment => {
  const branches = chains.flatMap((chain) => tokenBranches(sql, chain, reading))
  if (branches.length === 0) return sql`select '[]'::json`
  const absent = reading.absent === "last" ? sql`asc` : sql`desc`
  const order =
    reading.direction === "desc"
      ? sql`order by place.value is null ${absent}, place.value desc, place.chain_id, place.address`
      : sql`order by place.value is null ${absent}, place.value, place.chain_id desc, place.address desc`
  return sql`
    select coalesce(json_agg(r), '[]') from (
      select place.chain_id::text as chain_id, place.value, case place.chain_id ${chains.map(
        (chain) =>
          sql`when ${chain.chainId}::int8 then (${selectDetails(sql, chain, sql`k.token_id = place.token_id`, sql`k.standard = 20`)})`,
      )} end as details
      from (select * from (${unionAll(sql, branches)}) place ${order} limit ${reading.limit}) place ${order}
    ) r`
}

export const tokenKeyOf = ({ chain_id, value, details }: TokenRow): TokenKey => ({
  value,
  chainId: chain_id,
  address: details.address,
})
