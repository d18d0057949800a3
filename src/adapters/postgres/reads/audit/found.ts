/** What the audit says of the tokens `k` of a contract, each with its newest comparison. */
import type { Fragment } from "postgres"
import type { ChainSql } from "../../database/chainSql.ts"
import { selectPartiality } from "../common/partial.ts"

/** `FoundRow`s as one JSON array, of the tokens that pass the condition on `k`. */
export const selectFound = (chain: ChainSql, condition: Fragment): Fragment => chain.sql`
  select coalesce(json_agg(json_build_object('standard', k.standard, 'address', '0x' || encode(k.address, 'hex'),
    'state', a.state, 'block_number', a.block_number, 'time', a.time, 'compared', a.compared,
    'difference', a.difference, 'reason', a.reason, 'differed', a.differed,
    'partial', ${selectPartiality(chain)}) order by k.address, k.standard), '[]')
  from ${chain.token} k
  left join lateral (select * from ${chain.tokenAudit} a where a.token_id = k.token_id limit 1) a on true
  where ${condition}`

/** Those of the addresses that the ledger has no token of, where it was made to keep others alone, as a JSON array. Of one that it has, the settings are not looked into. */
export const selectLeftOut = ({ sql, state, token }: ChainSql, addresses: Fragment): Fragment => sql`
  select coalesce(json_agg('0x' || encode(asked.address, 'hex')), '[]') from unnest(${addresses}) asked (address)
  where case when exists (select from ${token} k where k.address = asked.address) then false
    else exists (
      select from ${state} s where json_typeof(s.settings::json -> 'tokens') = 'array'
        and not (s.settings::json -> 'tokens')::jsonb ? ('0x' || encode(asked.address, 'hex'))) end`
