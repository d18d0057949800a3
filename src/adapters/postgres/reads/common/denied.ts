/** Tokens that the audit has denied: balances of now are not what their events told. */
import type { Fragment } from "postgres"
import { mostDiffering } from "../../../../ports/AuditStore.ts"
import { type ChainSql, drift, rebasing } from "../../database/chainSql.ts"

/**
 * Condition on a row of `token`: what somebody holds may not be what its events told. What is off by events that are no
 * transfers alone is not: the supply, and what its issuer has, which is below zero once he gave away what nobody minted.
 */
export const isHeldInDoubt = ({ sql, tokenAudit }: ChainSql, row: Fragment): Fragment => sql`
  (${row}.audited and exists (
    select from ${tokenAudit} a where a.token_id = ${row}.token_id and (a.state = ${rebasing} or (a.state = ${drift}
      and (select count(*) < ${mostDiffering}::int4 and coalesce(bool_and(w ->> 'of' = 'supply' or (w ->> 'of' = 'balance' and w ->> 'ledger' like '-%')), false)
        from jsonb_array_elements(a.watched) w where w ->> 'node' <> w ->> 'ledger') is false))))`

/** Condition on a row of `token`: it is in `drift` or `rebasing`. One that was never compared is not. */
export const isDenied = ({ sql, tokenAudit }: ChainSql, row: Fragment): Fragment => sql`
  (${row}.audited and exists (
    select from ${tokenAudit} a where a.token_id = ${row}.token_id
      and a.state in (${drift}, ${rebasing})))`
