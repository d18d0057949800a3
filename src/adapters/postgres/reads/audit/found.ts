/** What the audit says of the tokens `k` of a contract, each with its newest comparison. */
import type { Fragment } from "postgres"
import type { ChainSql } from "../../database/chainSql.ts"
import { isPartial, selectOlder } from "../common/partial.ts"

/** `FoundRow`s as one JSON array, of the tokens that pass the condition on `k`. */
export const selectFound = (chain: ChainSql, condition: Fragment): Fragment => chain.sql`
  select coalesce(json_agg(json_build_object('standard', k.standard, 'address', '0x' || encode(k.address, 'hex'),
    'state', a.state, 'block_number', a.block_number, 'time', a.time, 'compared', a.compared,
    'difference', a.difference, 'reason', a.reason, 'differed', a.differed,
    'partial', case when ${isPartial(chain)} then
      case when ${selectOlder(chain)} then 'known' else 'possible' end end) order by k.address, k.standard), '[]')
  from ${chain.token} k
  left join lateral (select * from ${chain.tokenAudit} a where a.token_id = k.token_id limit 1) a on true
  where ${condition}`
