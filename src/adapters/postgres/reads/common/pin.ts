/** Whether a walk as of a block goes on speaking of the same block, as a column beside its rows. */
import type { Fragment } from "postgres"
import type { PageRequest, Pin } from "../../../../model/page.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { type BlockSql, blockOf } from "./atBlock.ts"

/** `, (…) as pin`; nothing where no block is asked for. */
export const pinColumn = (
  { sql, rollback, state }: ChainSql,
  blockNumber: BlockSql | undefined,
  { rollbacks }: PageRequest<unknown>,
): Fragment => {
  if (blockNumber === undefined) return sql``
  const block = blockOf(sql, blockNumber)
  const since = sql`${rollbacks ?? null}::int4`
  return sql`, (
    select json_build_object(
      'rollbacks', seen.number,
      'replaced', coalesce(${since} > seen.number, false)
        or exists (select from ${rollback} r where r.rollback_no > ${since} and r.from_block <= ${block}))
    from ${state} s
    cross join (select coalesce(max(r.rollback_no), 0) as number from ${rollback} r) seen
    where s.head_hash is not null) as pin`
}

export const pinOf = (row: Pin | undefined): { readonly pin?: Pin } => (row === undefined ? {} : { pin: row })
