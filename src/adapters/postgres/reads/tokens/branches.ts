/** One chain's part of a sorted token list, each branch read off an index from its place on. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
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
  /** Only these contracts; absent = all. */
  readonly addresses?: ReadonlyArray<Address>
}

/** Rows in the order of one index: those that have the field, or those that have not. */
interface Run {
  readonly absent: boolean
  readonly table: ChainSql["token"]
  readonly condition: Fragment
  /** What they are ordered by ahead of the address. */
  readonly value: Fragment
  /** Of a count: its step, by which the index has it. */
  readonly step?: Fragment
}

/** Part of a run that one index has in its very order, or in that of the steps, within which few rows are sorted. */
interface Part {
  readonly run: Run
  readonly condition: Fragment
  /** What they are ordered by ahead of the address. */
  readonly order: readonly [Fragment, ...Array<Fragment>]
  /** What an index has its rows by: of counts of a step of their own, the step. */
  readonly value: Fragment
}

/** Which part: of rows that have the field or not, and whether its values have steps, each its own or several one. */
export interface PartOf {
  readonly absent: boolean
  readonly steps: "none" | "own" | "wide"
}

/** Rows (chain_id, absent, value, address, token_id) of a part, at most `limit`. `more`: a further condition, beginning with `and`. */
export const branchOf = (
  chain: ChainSql,
  reading: TokenReading,
  { run, condition, order }: Part,
  more: Fragment = chain.sql``,
): Fragment => {
  const { sql } = chain
  const down = reading.direction === "desc"
  const ordered = order.map((by) => (down ? sql`${by} desc, ` : sql`${by}, `))
  return sql`(
    select ${chain.chainId}::int8 as chain_id, ${run.absent ? sql`true` : sql`false`} as absent, ${run.value} as value, x.address, x.token_id
    from ${sourceOf(chain, run.table, reading)} x where ${membersOf(sql, reading.kind)} and ${condition} ${more}
    order by ${ordered} x.address ${down ? sql`` : sql`desc`} limit ${reading.limit})`
}

/** Of some contracts alone they are looked up first, fenced: else the planner walks the order until it has met them. */
const sourceOf = (
  { sql, token }: ChainSql,
  table: ChainSql["token"],
  { kind, addresses }: Pick<TokenReading, "kind" | "addresses">,
): Fragment => {
  if (addresses === undefined) return sql`${table}`
  const standard = kind === "trusted" ? standardNumbers.erc20 : standardNumbers[kind]
  return sql`(
    select found.* from unnest(${addresses as Array<Address>}::bytea[]) wanted (address)
    cross join lateral (
      select k.token_id from ${token} k where k.address = wanted.address and k.standard = ${standard} limit 1
    ) k cross join lateral (select t.* from ${table} t where t.token_id = k.token_id limit 1) found
    offset 0)`
}

/** How many of some contracts there are, as `total`. */
export const selectNumber = (
  chain: ChainSql,
  among: Pick<TokenReading, "kind"> & Required<Pick<TokenReading, "addresses">>,
): Fragment => {
  const { sql, token } = chain
  const members = membersOf(sql, among.kind)
  return sql`select count(*) as total from ${sourceOf(chain, token, among)} x where ${members}`
}

/** Counts of a step of their own are in the index's order. Of the others those of one step are sorted, which are few. */
export const partIn = (chain: ChainSql, field: TrustedSortField, { absent, steps }: PartOf): Part => {
  const { sql } = chain
  const run = runsOf(chain, field).find((it) => it.absent === absent)!
  const { condition, value, step = value } = run
  switch (steps) {
    case "none":
      return { run, condition, order: [value], value }
    case "wide":
      return { run, condition: sql`${condition} and ${step} >= 128`, order: [step, value], value }
    case "own":
      return { run, condition: sql`${condition} and ${step} < 128`, order: [step], value: step }
  }
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
      return [{ absent: false, table: tokenStat, condition: always, value: sql`x.holders`, step: sql`x.holders_step` }]
    case "transfers":
      return [
        { absent: false, table: tokenStat, condition: always, value: sql`x.last_24h`, step: sql`x.last_24h_step` },
      ]
    case "name":
      return [
        { absent: false, table: token, condition: sql`x.name is not null`, value: sql`x.name` },
        { absent: true, table: token, condition: sql`x.name is null`, value: sql`x.name` },
      ]
    case "marketCap":
      return [
        { absent: false, table: tokenStat, condition: sql`x.market_cap is not null`, value: sql`x.market_cap` },
        {
          absent: true,
          table: tokenStat,
          condition: sql`x.market_cap is null`,
          value: sql`x.holders`,
          step: sql`(x.holders_step + 0)`,
        },
      ]
  }
}
