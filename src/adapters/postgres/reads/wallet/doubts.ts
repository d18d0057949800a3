/** SQL of what may make a token's figures suspect, and what it says. */
import type { Fragment } from "postgres"
import { auditStates, type Doubt } from "../../../../model/audit.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { stateNumber } from "../audit/record.ts"
import { isPartial } from "../common/partial.ts"

/** Of the audit, as a number; the last block at which something differed; 1 = partial. */
export type DoubtRow = readonly [state: number, differedTo: number | null, partial: number]

/** Column `doubt` of token `id`: a `DoubtRow` as int4[]. No row where nothing makes it suspect, at any block. */
export const selectDoubt = (chain: ChainSql, id: Fragment): Fragment => {
  const { sql, state, token, tokenAudit } = chain
  const unverified = stateNumber("unverified")
  const ofAudit = sql`(
    select array[a.state, a.differed[2], 0]::int4[] from ${tokenAudit} a where a.token_id = ${id}
      and (a.differed is not null or a.state in (${stateNumber("drift")}, ${stateNumber("rebasing")})))`
  const ofPartial = sql`(
    select array[coalesce(a.state, ${unverified}), a.differed[2], 1]::int4[]
    from ${token} k left join ${tokenAudit} a on a.token_id = k.token_id
    where k.token_id = ${id} and ${isPartial(chain)} limit 1)`
  // In a ledger from block 0 on the token itself is not read.
  return sql`
    select d.doubt from (
      select coalesce(case when (select t.first_block > 0 from ${state} t) then ${ofPartial} end, ${ofAudit}) as doubt offset 0
    ) d where d.doubt is not null`
}

export const doubtOf = (row: DoubtRow | null | undefined): Doubt | undefined => {
  if (row === null || row === undefined) return undefined
  const [state, differedTo, partial] = row
  return {
    state: auditStates[state]!,
    ...(differedTo === null ? {} : { differedTo }),
    ...(partial === 1 ? { partial: true } : {}),
  }
}
