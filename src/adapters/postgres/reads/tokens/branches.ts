/** One chain's part of a sorted token list, each branch read off an index from its place on. */
import type { Fragment, Sql } from "postgres"
import { compareChainIds } from "../../../../model/primitives.ts"
import type { Standard, TokenKey } from "../../../../model/token.ts"
import type { TrustedSortField } from "../../../../ports/TrustedTokens.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"

/** How rows are read: `desc` is down the values, up the chains and addresses; `asc` the exact reverse. */
export interface TokenReading {
  /** `trusted`: ERC-20 tokens that stand on a list. */
  readonly kind: Standard | "trusted"
  readonly field: TrustedSortField
  readonly direction: "asc" | "desc"
  /** Rows without a value are displayed last: a page read backwards meets them first. */
  readonly absent: "first" | "last"
  /** Rows strictly beyond it. */
  readonly key: TokenKey | undefined
  readonly limit: number
}

/** Rows in the order of one index: those that have the field, or those that have not. */
interface Run {
  readonly absent: boolean
  readonly table: ChainSql["token"]
  readonly condition: Fragment
  /** What they are ordered by ahead of the address. */
  readonly value: Fragment
}

/**
 * Branches of (chain_id, absent, value, address, token_id), each of at most `limit` rows. Rows that tie with the key's
 * value are a branch of their own: a page inside a long tie starts at its place in the index.
 */
export const tokenBranches = (chain: ChainSql, reading: TokenReading): Array<Fragment> => {
  const { sql } = chain
  const { kind, field, direction, absent, key, limit } = reading
  const members = membersOf(sql, kind)
  const branch = ({ absent, table, condition, value }: Run, more: Fragment = sql``): Fragment => {
    const order = direction === "desc" ? sql`${value} desc, x.address` : sql`${value}, x.address desc`
    return sql`(
      select ${chain.chainId}::int8 as chain_id, ${absent ? sql`true` : sql`false`} as absent, ${value} as value, x.address, x.token_id
      from ${table} x where ${members} and ${condition} ${more} order by ${order} limit ${limit})`
  }
  const runs = runsOf(chain, field)
  if (key === undefined) return runs.map((run) => branch(run))

  const isAbsent = key.value === null || (field === "marketCap" && typeof key.value === "number")
  // On the key's own chain ties go on by address; of the other chains those behind it in chain order have theirs ahead.
  const side = compareChainIds(chain.chainId, key.chainId) * (direction === "desc" ? 1 : -1)
  const address =
    side > 0
      ? sql``
      : direction === "desc"
        ? sql`and x.address > ${key.address}::bytea`
        : sql`and x.address < ${key.address}::bytea`
  const bound = boundOf(sql, field, key.value)
  return runs.flatMap((run) => {
    if (run.absent !== isAbsent) return run.absent === (absent === "last") ? [branch(run)] : []
    if (bound === undefined) return side < 0 ? [] : [branch(run, address)]
    return [
      ...(side < 0 ? [] : [branch(run, sql`and ${run.value} = ${bound} ${address}`)]),
      branch(run, direction === "desc" ? sql`and ${run.value} < ${bound}` : sql`and ${run.value} > ${bound}`),
    ]
  })
}

/** In words that indexes have: a parameter may not be known to a plan. */
const membersOf = (sql: Sql, kind: TokenReading["kind"]): Fragment => {
  if (kind === "erc20") return sql`x.standard = 20`
  return kind === "trusted" ? sql`x.trusted` : sql`x.standard = ${standardNumbers[kind]}`
}

const runsOf = ({ sql, token, tokenStat }: ChainSql, field: TrustedSortField): ReadonlyArray<Run> => {
  const always = sql`true`
  switch (field) {
    case "createdAt":
      return [{ absent: false, table: token, condition: always, value: sql`x.sort_time` }]
    case "holdersCount":
      return [{ absent: false, table: tokenStat, condition: always, value: sql`x.holders` }]
    case "transfers":
      return [{ absent: false, table: tokenStat, condition: always, value: sql`x.last_24h` }]
    case "name":
      return [
        { absent: false, table: token, condition: sql`x.name is not null`, value: sql`x.name` },
        { absent: true, table: token, condition: sql`x.name is null`, value: sql`x.name` },
      ]
    case "marketCap":
      return [
        { absent: false, table: tokenStat, condition: sql`x.market_cap is not null`, value: sql`x.market_cap` },
        { absent: true, table: tokenStat, condition: sql`x.market_cap is null`, value: sql`x.holders` },
      ]
  }
}

/** A key's value as what it is compared with; undefined where the rows that share its want of one are not told apart by it. */
const boundOf = (sql: Sql, field: TrustedSortField, value: TokenKey["value"]): Fragment | undefined => {
  if (value === null) return undefined
  if (typeof value === "number") return sql`${Math.trunc(value)}::int8`
  return field === "marketCap" ? sql`${value}::numeric` : sql`${value}::text`
}
