/** How far the transfers of busy accounts are counted, and whether what was counted still holds. */
import { randomInt } from "node:crypto"
import type { Fragment } from "postgres"
import type { MarkWindow } from "../../../../../ports/AccountMarks.ts"
import type { ChainSql } from "../../../database/chainSql.ts"
import type { Transaction } from "../../../database/Database.ts"

export interface Progress {
  /** The first block of the ledger, and the first that is not final. */
  readonly first: number
  readonly end: number
  readonly rollbacks: number
  /** Null = nothing was counted yet. */
  readonly next: number | null
  readonly generation: string | null
  readonly stride: number | null
  readonly changed: boolean
}

/** A condition on marking `m`: a block that was counted was changed since. */
export const isChanged = ({ sql, rollback }: ChainSql): Fragment => sql`
  exists (select from ${rollback} r where r.rollback_no > m.rollback_no and r.from_block < m.next_block)`

/** A scalar, none where the ledger is empty: `Progress` as JSON. */
export const selectProgress = (chain: ChainSql): Fragment => {
  const { sql, state, rollback, marking } = chain
  return sql`
    select json_build_object('first', s.first_block, 'end', least(s.finalized_block + 1, s.next_block),
      'rollbacks', (select coalesce(max(rollback_no), 0) from ${rollback}), 'next', m.next_block,
      'generation', m.generation::text, 'stride', m.stride, 'changed', m.only_row is not null and ${isChanged(chain)})
    from ${state} s left join ${marking} m on true where s.head_hash is not null`
}

export type Counted = Pick<MarkWindow, "generation" | "from">

/** All is counted anew, of the accounts that were counted. Few of their marks are left (`forgetPart`): a statement's time is limited. */
export const beginAnew = async (
  { tx, run }: Transaction,
  { marking, markedAccount, accountMark }: ChainSql,
  { first, rollbacks }: Progress,
  stride: number,
): Promise<Counted> => {
  const generation = String(randomInt(1, 2 ** 47))
  await run(tx`
    insert into ${marking} (next_block, rollback_no, generation, stride)
    values (${first}, ${rollbacks}, ${generation}::int8, ${stride})
    on conflict (only_row) do update set next_block = excluded.next_block, rollback_no = excluded.rollback_no,
      generation = excluded.generation, stride = excluded.stride`)
  await run(tx`delete from ${accountMark}`)
  await run(tx`update ${markedAccount} set rows = 0 where rows > 0`)
  return { generation, from: first }
}

/** Holds what is counted for the rest of the transaction; false = another one went on with it. */
export const holdCounted = async (
  { tx, run }: Transaction,
  { marking }: ChainSql,
  { generation, from }: Counted,
): Promise<boolean> => {
  const held = await run(tx`
    select from ${marking} m where m.generation = ${generation}::int8 and m.next_block = ${from} for update`)
  return held.length === 1
}

/** The last one that is gone. */
export interface GoneMark {
  readonly account: string
  readonly standard: number
  readonly mark: number
}

/**
 * Takes so many marks away of what was counted and is void, those behind `after`; undefined = there are no more, or another
 * one began anew meanwhile. Whoever reads does not go by them any more, or walks where one is missing.
 */
export const forgetPart = async (
  transaction: Transaction,
  chain: ChainSql,
  counted: Counted,
  { after, most }: { readonly after: GoneMark | undefined; readonly most: number },
): Promise<GoneMark | undefined> => {
  if (!(await holdCounted(transaction, chain, counted))) return undefined
  const { tx, run } = transaction
  const { accountMark } = chain
  // By the key alone: a join that reads the whole table would come upon all that is gone already.
  await run(
    tx`select set_config(name, 'off', true) from unnest(array['enable_hashjoin', 'enable_mergejoin']) as it (name)`,
  )
  const behind =
    after === undefined
      ? tx``
      : tx`where (k.account, k.standard, k.mark) > (${after.account}::bytea, ${after.standard}::int2, ${after.mark}::int4)`
  const [last] = await run(tx<Array<GoneMark>>`
    with part as materialized (
      select k.account, k.standard, k.mark from ${accountMark} k ${behind}
      order by k.account, k.standard, k.mark limit ${most}
    ), gone as (
      delete from ${accountMark} k using part p
      where k.account = p.account and k.standard = p.standard and k.mark = p.mark
    )
    select p.account::text as account, p.standard::int4 as standard, p.mark from part p
    order by p.account desc, p.standard desc, p.mark desc limit 1`)
  return last
}
