/** A page of a sorted token list across chains. */

import type { Fragment, Sql } from "postgres"
import type { Count, PageRequest, Rows } from "../../../../model/page.ts"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import type { TokenKey, TokenRecords } from "../../../../model/token.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import { type ListParts, selectShares } from "../common/lists.ts"
import { cut, seekOf } from "../common/page.ts"
import type { TokenReading } from "./branches.ts"
import { compareTokens } from "./order.ts"
import { selectDetails, type TokenDetails, tokenOf } from "./record.ts"
import { tokenBranches, tokenStages } from "./stages.ts"

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

/** A page's parts over chains, without a total. What is known of a token is looked up for the page's rows only. */
export const tokenListOf = ({
  kind,
  sort: { field, direction },
  page,
  addresses,
}: TokenPageQuery): Omit<ListParts<TokenRow>, "total"> => {
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
  const order = (sql: Sql): Fragment => {
    const absentOnes = absent === "last" ? sql`place.absent` : sql`place.absent desc`
    return way === "desc"
      ? sql`order by ${absentOnes}, place.value desc, place.chain_id, place.address`
      : sql`order by ${absentOnes}, place.value, place.chain_id desc, place.address desc`
  }
  return {
    question: ["tokens", kind, field, direction, page, addresses],
    limit: reading.limit,
    rows: (chain, limit) => selectTokens(chain, { ...reading, limit }, order(chain.sql)),
    stages: (chains) =>
      tokenStages(reading).flatMap(({ name, isOwn, boundsOf, branch }) => {
        const [first, ...others] = isOwn ? chains.filter(({ chainId }) => chainId === key?.chainId) : chains
        if (first === undefined) return []
        const asked = [first, ...others] as const
        const bounds = asked.map(({ chainId }) => boundsOf(chainId))
        return [
          {
            chains: asked,
            name: ["tokens", kind, field, way, page.limit, addresses, name],
            values: bounds.flat(),
            shares: (sql: Sql, some: ReadonlyArray<ChainSql>, values: ReadonlyArray<string>) => {
              const each = bounds[0]!.length
              const branches = some.map((chain, at) => branch(chain, values.slice(at * each, (at + 1) * each)))
              const places = sql`select * from (${unionAll(sql, branches)}) place ${order(sql)} limit ${reading.limit}`
              return selectShares(sql, places)
            },
          },
        ]
      }),
    compare: compareTokens(reading),
  }
}

/** `TokenRow`s of a chain in the order read as one JSON array. */
const selectTokens = (chain: ChainSql, reading: TokenReading, order: Fragment): Fragment => {
  const { sql } = chain
  const branches = tokenBranches(chain, reading)
  if (branches.length === 0) return sql`select '[]'::json`
  // As JSON numbers the digits of market capitalisations would be lost.
  const value =
    reading.field === "marketCap"
      ? sql`case when place.absent then to_json(place.value) else to_json(place.value::text) end`
      : sql`place.value`
  const details = selectDetails(chain, sql`k.token_id = place.token_id`)
  return sql`
    select coalesce(json_agg(r), '[]') from (
      select place.chain_id::text as chain_id, place.absent, ${value} as value, (${details}) as details
      from (select * from (${unionAll(sql, branches)}) place ${order} limit ${reading.limit}) place ${order}
    ) r`
}

/** The rows of the list as the ports give them. */
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
