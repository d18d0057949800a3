/** What the audit says of the tokens `k` of a contract, each with its newest comparison. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
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

/** An address that the ledger has no token of. */
export interface UnseenRow {
  readonly address: Address
  readonly not_kept: boolean
  readonly odd: boolean
}

/** `UnseenRow`s as a JSON array. Of an address that it has, neither the settings nor its logs are looked into. */
export const selectUnseen = ({ sql, state, token, oddLog }: ChainSql, addresses: Fragment): Fragment => sql`
  select coalesce(json_agg(json_build_object('address', '0x' || encode(asked.address, 'hex'),
    'not_kept', exists (
      select from ${state} s where json_typeof(s.settings::json -> 'tokens') = 'array'
        and not (s.settings::json -> 'tokens')::jsonb ? ('0x' || encode(asked.address, 'hex'))),
    'odd', exists (select from ${oddLog} o where o.contract = asked.address and not o.has_rows))), '[]')
  from unnest(${addresses}) asked (address)
  where case when exists (select from ${token} k where k.address = asked.address) then false else true end`
