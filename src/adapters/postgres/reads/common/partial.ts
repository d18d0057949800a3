/** Tokens `k` of which the ledger may lack the beginning: it starts above block 0, and they may be older. */
import type { Fragment } from "postgres"
import { auditStates } from "../../../../model/audit.ts"
import type { ChainSql } from "../../database/chainSql.ts"

/**
 * Whether the contract was there before the ledger's first block; null = not known. Blocks may share a second: what was
 * made in the first one's may be of a block before it.
 */
export const selectOlder = ({ sql, state, clock }: ChainSql): Fragment => {
  const firstTime = sql`(select c.time from ${clock} c order by c.block limit 1)`
  return sql`
    case when (select s.first_block from ${state} s) = 0 or k.created_tx = k.first_tx then false
         when k.created_time < ${firstTime} then true
         when k.created_time > ${firstTime} then false end`
}

/** It may be older, and no comparison has shown that all of it is there. */
export const isPartial = (chain: ChainSql): Fragment => chain.sql`
  (coalesce(${selectOlder(chain)}, true) and not exists (
    select from ${chain.tokenAudit} a
    where a.token_id = k.token_id and a.state = ${auditStates.indexOf("exact")}))`

/** The same as `Partiality`; null = all of it is there. */
export const selectPartiality = (chain: ChainSql): Fragment => chain.sql`
  case when ${isPartial(chain)} then case when ${selectOlder(chain)} then 'known' else 'possible' end end`
