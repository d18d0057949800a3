/** Positions of transfers in feed order, read off an index. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../domain/model/primitives.ts"
import type { ChainTables } from "../tables.ts"
import type { Direction } from "./bounds.ts"

export const orderWord = (sql: Sql, direction: Direction): Fragment => (direction === "asc" ? sql`asc` : sql`desc`)

/** The ids of tokens. */
export const selectTokenIds = (sql: Sql, { token }: ChainTables, tokens: ReadonlyArray<Address>): Fragment =>
  sql`select k.token_id from ${token} k where k.address = any(${tokens as Array<Address>}::bytea[]) and k.standard = 20`

/** The first `limit` positions of a feed; of some tokens' feeds together, each token's from its own end of the index. */
export const selectPositions = (
  sql: Sql,
  chain: ChainTables,
  tokens: ReadonlyArray<Address> | undefined,
  bounds: Array<Fragment>,
  direction: Direction,
  limit: number,
): Fragment => {
  const way = orderWord(sql, direction)
  if (tokens === undefined) {
    return sql`select t.pos from ${chain.transfers.erc20} t where true ${bounds} order by t.pos ${way} limit ${limit}`
  }
  return sql`
    select of_token.pos from (${selectTokenIds(sql, chain, tokens)}) wanted cross join lateral (
      select t.pos from ${chain.transfers.erc20} t where t.token_id = wanted.token_id ${bounds}
      order by t.pos ${way} limit ${limit}
    ) of_token
    order by of_token.pos ${way} limit ${limit}`
}
