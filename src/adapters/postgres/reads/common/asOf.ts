/** A chain's `state` row → the block that an answer speaks of. */
import type { Fragment, Sql } from "postgres"
import type { AsOf } from "../../../../model/block.ts"
import type { ChainId, Hash } from "../../../../model/primitives.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"

/** A state row as `selectState` gives it. */
export interface StateRow {
  readonly chain_id: ChainId
  readonly next_block: number
  readonly finalized_block: number
  readonly node_head: number
  readonly first_block: number
  readonly revision: number
  readonly head_hash: Hash
  readonly head_time: number
}

/** One row, or none while the chain has no stored block. `more`: further columns, beginning with a comma. */
export const selectState = ({ sql, chainId, state }: ChainSql, more: Fragment = sql``): Fragment => sql`
  select ${chainId}::text as chain_id, next_block, finalized_block, node_head, first_block, revision,
         '0x' || encode(head_hash, 'hex') as head_hash, head_time ${more}
  from ${state} where head_hash is not null`

/** The state rows of chains as one JSON array, in no order. */
export const selectAsOf = (
  sql: Sql,
  chains: ReadonlyArray<ChainSql>,
  more?: (chain: ChainSql, index: number) => Fragment,
): Fragment =>
  sql`select coalesce(json_agg(s), '[]') from (${unionAll(
    sql,
    chains.map((chain, index) => sql`(${selectState(chain, more?.(chain, index))})`),
  )}) s`

/** In the order of `chains`; those without a row are left out. */
export const asOfPoints = (
  chains: ReadonlyArray<Pick<ChainSql, "chainId">>,
  rows: ReadonlyArray<StateRow>,
): ReadonlyArray<AsOf> => {
  const found = new Map(rows.map((row) => [row.chain_id, row]))
  return chains.flatMap(({ chainId }) => {
    const row = found.get(chainId)
    return row === undefined ? [] : [asOf(row)]
  })
}

const asOf = (row: StateRow): AsOf => ({
  chainId: row.chain_id,
  blockNumber: row.next_block - 1,
  hash: row.head_hash,
  time: row.head_time,
  finality: row.next_block - 1 <= row.finalized_block ? "finalized" : "latest",
  nodeHead: row.node_head,
  firstBlock: row.first_block,
  revision: row.revision,
})
