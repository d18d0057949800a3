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
  readonly learned: number
  readonly appended: number
  readonly head_hash: Hash
  readonly head_time: number
}

/** One row, or none while the chain has no stored block. `more`: further columns, beginning with a comma. */
export const selectState = ({ sql, chainId, state }: ChainSql, more: Fragment = sql``): Fragment => sql`
  select ${chainId}::text as chain_id, next_block, finalized_block, node_head, first_block, revision, learned, appended,
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

/**
 * In the order of `chains`; those without a row are left out. As long as a chain's row stays as it is, its point is the very
 * same object, and so is the list of it alone: whatever is made of them is made once.
 */
export const asOfPoints = (
  chains: ReadonlyArray<Pick<ChainSql, "chainId">>,
  rows: ReadonlyArray<StateRow>,
): ReadonlyArray<AsOf> => {
  const [only] = rows
  if (only !== undefined && chains.length === 1 && rows.length === 1) {
    return only.chain_id === chains[0]!.chainId ? toldOf(only).alone : []
  }
  const found = new Map(rows.map((row) => [row.chain_id, row]))
  return chains.flatMap(({ chainId }) => {
    const row = found.get(chainId)
    return row === undefined ? [] : [toldOf(row).point]
  })
}

interface Told {
  readonly point: AsOf
  readonly alone: readonly [AsOf]
}

/** Of each chain the last. */
const told = new Map<ChainId, Told>()

const toldOf = (row: StateRow): Told => {
  const known = told.get(row.chain_id)
  if (known !== undefined && isOf(known.point, row)) return known
  const point = asOf(row)
  const made: Told = { point, alone: [point] }
  told.set(row.chain_id, made)
  return made
}

const isOf = (point: AsOf, row: StateRow): boolean =>
  point.revision === row.revision &&
  point.figures === row.revision - row.learned &&
  point.rewrites === row.revision - row.learned - row.appended &&
  point.blockNumber === row.next_block - 1 &&
  point.hash === row.head_hash &&
  point.time === row.head_time &&
  point.nodeHead === row.node_head &&
  point.firstBlock === row.first_block &&
  point.finality === finalityOf(row)

const asOf = (row: StateRow): AsOf => ({
  chainId: row.chain_id,
  blockNumber: row.next_block - 1,
  hash: row.head_hash,
  time: row.head_time,
  finality: finalityOf(row),
  nodeHead: row.node_head,
  firstBlock: row.first_block,
  revision: row.revision,
  figures: row.revision - row.learned,
  rewrites: row.revision - row.learned - row.appended,
})

const finalityOf = (row: StateRow): AsOf["finality"] =>
  row.next_block - 1 <= row.finalized_block ? "finalized" : "latest"
