/** One chain's part of a sorted token list, each branch read off an index from its place on. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import { compareChainIds } from "../../../../model/primitives.ts"
import type { Standard, TokenKey } from "../../../../model/token.ts"
import type { TrustedSortField } from "../../../../ports/TrustedTokens.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { firstWideStep, stepOf } from "./steps.ts"

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
  readonly order: ReadonlyArray<Fragment>
  /** Whether its values have steps, each its own or several one. */
  readonly steps: "none" | "own" | "wide"
}

/**
 * Branches of (chain_id, absent, value, address, token_id), each of at most `limit` rows. Rows that tie with the key's
 * value are a branch of their own: a page inside a long tie starts at its place in the index.
 */
export const tokenBranches = (chain: ChainSql, reading: TokenReading): Array<Fragment> => {
  const { sql } = chain
  const { kind, field, direction, absent, key, limit } = reading
  const members = membersOf(sql, kind)
  const branch = ({ run: { absent, table, value }, condition, order }: Part, more: Fragment = sql``): Fragment => {
    const down = direction === "desc"
    const ordered = order.map((by) => (down ? sql`${by} desc, ` : sql`${by}, `))
    return sql`(
      select ${chain.chainId}::int8 as chain_id, ${absent ? sql`true` : sql`false`} as absent, ${value} as value, x.address, x.token_id
      from ${sourceOf(chain, table, reading)} x where ${members} and ${condition} ${more}
      order by ${ordered} x.address ${down ? sql`` : sql`desc`} limit ${limit})`
  }
  const runs = runsOf(chain, field)
  const whole = (run: Run) => partsOf(sql, run).map((part) => branch(part))
  if (key === undefined) return runs.flatMap(whole)

  const isAbsent = key.value === null || (field === "marketCap" && typeof key.value === "number")
  // On the key's own chain ties go on by address; of the other chains those behind it in chain order have theirs ahead, the
  // rest none. The words are the same for all of them: one plan serves every page over many chains.
  const side = compareChainIds(chain.chainId, key.chainId) * (direction === "desc" ? 1 : -1)
  const place = side === 0 ? key.address : side > 0 === (direction === "desc") ? belowAll : aboveAll
  const address = direction === "desc" ? sql`and x.address > ${place}::bytea` : sql`and x.address < ${place}::bytea`
  const bound = boundOf(sql, field, key.value)
  return runs.flatMap((run) => {
    if (run.absent !== isAbsent) return run.absent === (absent === "last") ? whole(run) : []
    if (bound === undefined) return partsOf(sql, run).map((part) => branch(part, address))
    const at = run.step === undefined || typeof key.value !== "number" ? undefined : stepOf(Math.trunc(key.value))
    const down = direction === "desc"
    const further = down ? sql`<` : sql`>`
    return partsOf(sql, run).flatMap((part) => {
      const { order, steps } = part
      const tied = (condition: Fragment) => branch(part, sql`and ${condition} ${address}`)
      if (at === undefined)
        return [tied(sql`${run.value} = ${bound}`), branch(part, sql`and ${run.value} ${further} ${bound}`)]
      // The key lies in the other part: all of this one is beyond it, or nothing.
      if (at < firstWideStep !== (steps === "own")) return down === (steps === "own") ? [branch(part)] : []
      if (steps === "own")
        return [tied(sql`${order[0]!} = ${at}`), branch(part, sql`and ${order[0]!} ${further} ${at}`)]
      return [
        tied(sql`${order[0]!} = ${at} and ${run.value} = ${bound}`),
        branch(part, sql`and ${order[0]!} ${further}= ${at} and ${run.value} ${further} ${bound}`),
      ]
    })
  })
}

/** Around every address. */
const belowAll = "0x"
const aboveAll = `0x${"ff".repeat(21)}`

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
const partsOf = (sql: Sql, run: Run): ReadonlyArray<Part> => {
  const { condition, value, step } = run
  if (step === undefined) return [{ run, condition, order: [value], steps: "none" }]
  return [
    { run, condition: sql`${condition} and ${step} >= 128`, order: [step, value], steps: "wide" },
    { run, condition: sql`${condition} and ${step} < 128`, order: [step], steps: "own" },
  ]
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

/** A key's value as what it is compared with; undefined where the rows that share its want of one are not told apart by it. */
const boundOf = (sql: Sql, field: TrustedSortField, value: TokenKey["value"]): Fragment | undefined => {
  if (value === null) return undefined
  if (typeof value === "number") return sql`${Math.trunc(value)}::int8`
  return field === "marketCap" ? sql`${value}::numeric` : sql`${value}::text`
}
