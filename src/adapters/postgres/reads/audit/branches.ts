/** One chain's part of the list of audits, each branch read off an index from its place on. */
import type { Fragment, Sql } from "postgres"
import type { AuditState } from "../../../../model/audit.ts"
import type { Address } from "../../../../model/primitives.ts"
import { hexArray } from "../../database/arrays.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { stateNumber } from "./record.ts"

export interface AuditReading {
  readonly state: AuditState | undefined
  readonly tokens: ReadonlyArray<Address> | undefined
  /** Rows strictly beyond it; absent = all of the chain's. */
  readonly key: { readonly address: string; readonly standard: number } | undefined
  readonly direction: "asc" | "desc"
  readonly limit: number
}

/** Rows of (chain_id, address, standard, state, block_number, time, compared, difference, reason). */
export const auditBranches = (chain: ChainSql, reading: AuditReading): Array<Fragment> => {
  const { sql } = chain
  const { state } = reading
  if (state === undefined) return [unjudgedBranch(chain, reading, sql`true`)]
  const stored = storedBranch(chain, reading, state)
  return state === "unverified" ? [stored, unjudgedBranch(chain, reading, sql`not x.audited`)] : [stored]
}

const storedBranch = (
  { sql, chainId, tokenAudit }: ChainSql,
  reading: AuditReading,
  state: AuditState,
): Fragment => sql`(
  select ${chainId}::int8 as chain_id, x.address, x.standard, x.state, x.block_number, x.time, x.compared,
    x.difference, x.reason
  from ${tokenAudit} x where x.state = ${stateNumber(state)} ${beyond(sql, reading)}
  ${order(sql, reading)} limit ${reading.limit})`

/** Of tokens, compared or not. */
const unjudgedBranch = (
  { sql, chainId, token, tokenAudit }: ChainSql,
  reading: AuditReading,
  condition: Fragment,
): Fragment => sql`(
  select ${chainId}::int8 as chain_id, x.address, x.standard, a.state, a.block_number, a.time, a.compared,
    a.difference, a.reason
  from (
    select x.token_id, x.address, x.standard from ${token} x where ${condition} ${beyond(sql, reading)}
    ${order(sql, reading)} limit ${reading.limit}
  ) x left join lateral (select * from ${tokenAudit} a where a.token_id = x.token_id limit 1) a on true
  ${order(sql, reading)})`

const order = (sql: Sql, { direction }: AuditReading): Fragment =>
  direction === "asc" ? sql`order by x.address, x.standard` : sql`order by x.address desc, x.standard desc`

const beyond = (sql: Sql, { tokens, key, direction }: AuditReading): Fragment => sql`
  ${tokens === undefined ? sql`` : sql`and x.address = any(${hexArray(tokens)}::text::bytea[])`}
  ${
    key === undefined
      ? sql``
      : sql`and (x.address, x.standard) ${direction === "asc" ? sql`>` : sql`<`}
          (${key.address}::bytea, ${key.standard}::int2)`
  }`

/** How many rows the whole list has of the chain, as a number. */
export const selectAuditCount = (
  { sql, token, tokenAudit, auditCount, state: chainState }: ChainSql,
  { state, tokens }: Pick<AuditReading, "state" | "tokens">,
): Fragment => {
  const unverified = stateNumber("unverified")
  if (tokens !== undefined) {
    return sql`
      select count(*) from ${token} k
      left join lateral (select a.state from ${tokenAudit} a where a.token_id = k.token_id limit 1) a on true
      where k.address = any(${hexArray(tokens)}::text::bytea[])
      ${state === undefined ? sql`` : sql`and coalesce(a.state, ${unverified}) = ${stateNumber(state)}`}`
  }
  const all = sql`select s.erc20_tokens + s.erc721_tokens + s.erc1155_tokens from ${chainState} s`
  if (state === undefined) return all
  return state === "unverified"
    ? sql`select (${all}) - (select sum(c.tokens)::int8 from ${auditCount} c where c.state < ${unverified})`
    : sql`select c.tokens from ${auditCount} c where c.state = ${stateNumber(state)}`
}
