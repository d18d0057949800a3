/** One chain's part of a sorted token list, each branch read off an index from its place on. */
import type { Fragment, Sql } from "postgres"
import { compareChainIds } from "../../../domain/model/primitives.ts"
import type { Standard, TokenKey, TokenSortField } from "../../../domain/model/token.ts"
import { type ChainTables, standardNumbers } from "../tables.ts"

/** How rows are read: `desc` is down the values, up the chains and addresses; `asc` the exact reverse. */
export interface TokenReading {
  readonly standard: Standard
  readonly field: TokenSortField
  readonly direction: "asc" | "desc"
  /** Rows without a value are displayed last: a page read backwards meets them first. */
  readonly absent: "first" | "last"
  /** Rows strictly beyond it. */
  readonly key: TokenKey | undefined
  readonly limit: number
}

/**
 * Branches of (chain_id, value, address, token_id), each of at most `limit` rows. Rows that tie with the key's value
 * are a branch of their own: a page inside a long tie starts at its place in the index.
 */
export const tokenBranches = (sql: Sql, chain: ChainTables, reading: TokenReading): Array<Fragment> => {
  const { standard, field, direction, absent, key, limit } = reading
  const { table, value } = {
    createdAt: { table: chain.token, value: sql`x.sort_time` },
    holdersCount: { table: chain.tokenStat, value: sql`x.holders` },
    transfers: { table: chain.tokenStat, value: sql`x.last_24h` },
    name: { table: chain.token, value: sql`x.name` },
  }[field]
  const order = direction === "desc" ? sql`${value} desc, x.address` : sql`${value}, x.address desc`
  const branch = (condition: Fragment): Fragment => sql`(
    select ${chain.chainId}::int8 as chain_id, ${value} as value, x.address, x.token_id
    from ${table} x where x.standard = ${standardNumbers[standard]} and ${condition} order by ${order} limit ${limit})`

  const present = branch(sql`${value} is not null`)
  const missing = field === "name" ? [branch(sql`${value} is null`)] : []
  if (key === undefined) return [present, ...missing]

  // On the key's own chain ties go on by address; of the other chains those behind it in chain order have theirs ahead.
  const side = compareChainIds(chain.chainId, key.chainId) * (direction === "desc" ? 1 : -1)
  const address =
    direction === "desc" ? sql`and x.address > ${key.address}::bytea` : sql`and x.address < ${key.address}::bytea`
  const ties = (condition: Fragment) =>
    side < 0 ? [] : [branch(side === 0 ? sql`${condition} ${address}` : condition)]
  if (key.value === null) {
    return [...ties(sql`${value} is null`), ...(absent === "first" ? [present] : [])]
  }
  const bound = typeof key.value === "string" ? sql`${key.value}::text` : sql`${Math.trunc(key.value)}::int8`
  return [
    ...ties(sql`${value} = ${bound}`),
    branch(direction === "desc" ? sql`${value} < ${bound}` : sql`${value} > ${bound}`),
    ...(absent === "last" ? missing : []),
  ]
}
