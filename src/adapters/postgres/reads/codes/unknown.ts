/** SQL of the largest holders of whom nobody knows whether they are contracts. */
import type { Fragment } from "postgres"
import type { AskedAgain, TopHolders } from "../../../../ports/CodeStore.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"

/** Columns `addresses` (JSON, some perhaps twice) and `tokens`. Each token's ranks and each holder are looked up by index. */
export const selectUnknown = (
  { sql, tokenStat, balance, accountCode }: ChainSql,
  { standard, tokens, skip, holders, askedBefore, askedAfter }: TopHolders & AskedAgain,
): Fragment => {
  const isKnown = sql`
    select from ${accountCode} c
    where c.address = b.holder and c.asked_at >= ${String(askedBefore)}::int8
      and c.asked_at <= ${String(askedAfter)}::int8 offset 0`
  const top = sql`
    select s.token_id, s.holders_step, s.address from ${tokenStat} s
    where s.standard = ${standardNumbers[standard]} order by s.holders_step desc, s.address limit ${tokens} offset ${skip}`
  const largest = sql`
    select b.holder, b.balance from ${balance} b
    where b.token_id = t.token_id and b.balance > 0 and octet_length(b.holder) = 20
    order by b.balance desc, b.holder limit ${holders}`
  const unknown = sql`
    select b.holder, t.holders_step, t.address, b.balance from top t cross join lateral (${largest}) b
    where not exists (${isKnown})`
  return sql`u.addresses, u.tokens from (
    with top as materialized (${top})
    select (
      select coalesce(json_agg('0x' || encode(f.holder, 'hex')
        order by f.holders_step desc, f.address, f.balance desc, f.holder), '[]') from (${unknown}) f) as addresses,
      (select count(*) from top)::int4 as tokens) u`
}
