/** SQL of a page of the list of audits, over chains. */
import type { Fragment, Sql } from "postgres"
import { compareChainIds } from "../../../../model/primitives.ts"
import type { AuditsQuery } from "../../../../ports/AuditStore.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { joined, unionAll } from "../../database/fragments.ts"
import { seekOf } from "../common/page.ts"
import { type AuditReading, auditBranches, selectAuditCount } from "./branches.ts"
import type { AuditRow } from "./record.ts"

export type Listed = AuditRow & { readonly chain_id: number }

/** Scalar: `Listed` rows in the order read, one more than the limit, as a JSON array. */
export const selectAuditPage = (
  sql: Sql,
  chains: ReadonlyArray<ChainSql>,
  { state, tokens, page }: Pick<AuditReading, "state" | "tokens"> & Pick<AuditsQuery, "page">,
): Fragment => {
  const { key, reading: direction } = seekOf(page, "asc")
  const limit = page.limit + 1
  const isBeyond = ({ chainId }: ChainSql) => {
    const side = key === undefined ? 0 : compareChainIds(chainId, key.chainId)
    return direction === "asc" ? side >= 0 : side <= 0
  }
  const branches = chains.filter(isBeyond).flatMap((chain) => {
    const ofChain = chain.chainId === key?.chainId ? key : undefined
    return auditBranches(chain, { state, tokens, key: ofChain, direction, limit })
  })
  if (branches.length === 0) return sql`'[]'::json`
  const order =
    direction === "asc" ? sql`r.chain_id, r.address, r.standard` : sql`r.chain_id desc, r.address desc, r.standard desc`
  return sql`(
    select coalesce(json_agg(json_build_object('chain_id', r.chain_id, 'address', '0x' || encode(r.address, 'hex'),
      'standard', r.standard, 'state', r.state, 'block_number', r.block_number, 'time', r.time,
      'compared', r.compared, 'difference', r.difference, 'reason', r.reason) order by ${order}), '[]')
    from (select * from (${unionAll(sql, branches)}) r order by ${order} limit ${limit}) r)`
}

/** Scalar: how many rows the whole list has. */
export const selectAuditTotal = (
  sql: Sql,
  chains: ReadonlyArray<ChainSql>,
  filter: Pick<AuditReading, "state" | "tokens">,
): Fragment => {
  const counts = chains.map((chain) => sql`(${selectAuditCount(chain, filter)})`)
  return sql`(${joined(counts, sql` + `)})`
}
