/** A page of a sorted token list across chains. */

import type { Fragment, Sql } from "postgres"
import type { Count, PageRequest, Rows } from "../../../../model/page.ts"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import type { TokenKey, TokenRecords } from "../../../../model/token.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import { cut, seekOf } from "../common/page.ts"
import { type TokenReading, tokenBranches } from "./branches.ts"
import { isSupplyKnown, selectDetails, type TokenDetails, tokenOf } from "./record.ts"

export interface TokenRow {
  readonly chain_id: ChainId
  readonly absent: boolean
  /** Of `marketCap` as text, where it is not absent. */
  readonly value: TokenKey["value"]
  readonly details: TokenDetails
}

/** What a page is asked for, in a list's own terms. */
export interface TokenPageQuery {
  readonly kind: TokenReading["kind"]
  readonly sort: Pick<TokenReading, "field" | "direction">
  readonly page: PageRequest<TokenKey>
  readonly addresses?: ReadonlyArray<Address>
}

/** `TokenRow`s in the order read as one JSON array; what is known of a token is looked up for the page's rows only. */
export const selectTokenPage = (
  sql: Sql,
  chains: ReadonlyArray<ChainSql>,
  { kind, sort: { field, direction }, page, addresses }: TokenPageQuery,
): Fragment => {
  const { key, reading: way } = seekOf(page, direction)
  const absent = page.before === undefined ? "last" : "first"
  const reading: TokenReading = {
    kind,
    field,
    direction: way,
    absent,
    key,
    limit: page.limit + 1,
    ...(addresses && { addresses }),
  }
  const branches = chains.flatMap((chain) => tokenBranches(chain, reading))
  if (branches.length === 0) return sql`select '[]'::json`
  const absentOnes = absent === "last" ? sql`place.absent` : sql`place.absent desc`
  const order =
    way === "desc"
      ? sql`order by ${absentOnes}, place.value desc, place.chain_id, place.address`
      : sql`order by ${absentOnes}, place.value, place.chain_id desc, place.address desc`
  // As JSON numbers the digits of market capitalisations would be lost.
  const value =
    field === "marketCap"
      ? sql`case when place.absent then to_json(place.value) else to_json(place.value::text) end`
      : sql`place.value`
  return sql`
    select coalesce(json_agg(r), '[]') from (
      select place.chain_id::text as chain_id, place.absent, ${value} as value, case place.chain_id ${chains.map(
        (chain) =>
          sql`when ${chain.chainId}::int8 then (${selectDetails(chain, sql`k.token_id = place.token_id`, sql`k.standard = 20 and ${isSupplyKnown(chain)}`)})`,
      )} end as details
      from (select * from (${unionAll(sql, branches)}) place ${order} limit ${reading.limit}) place ${order}
    ) r`
}

/** The rows of `selectTokenPage` as the ports give them. */
export const tokenRows = <Record extends TokenRecords[keyof TokenRecords]>(
  page: PageRequest<TokenKey>,
  read: ReadonlyArray<TokenRow>,
  count: Count | undefined,
): Rows<Record, TokenKey> => {
  const { rows, hasMore } = cut(page, read)
  return {
    items: rows.map((row) => tokenOf(row.chain_id, row.details) as Record),
    keys: rows.map(({ chain_id, value, details }) => ({ value, chainId: chain_id, address: details.address })),
    hasMore,
    ...(count === undefined ? {} : { count }),
  }
}
