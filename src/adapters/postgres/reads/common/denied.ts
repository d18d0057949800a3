/** Tokens that the audit has denied: balances of now are not what their events told. */
import type { Fragment } from "postgres"
import { type ChainSql, drift, rebasing } from "../../database/chainSql.ts"

/** Condition on a row of `token`: it is in `drift` or `rebasing`. One that was never compared is not. */
export const isDenied = ({ sql, tokenAudit }: ChainSql, row: Fragment): Fragment => sql`
  (${row}.audited and exists (
    select from ${tokenAudit} a where a.token_id = ${row}.token_id
      and a.state in (${drift}, ${rebasing})))`
