/** Where the rows of a transaction may lie in one chain's feed: no index is of transactions. */
import type { Fragment } from "postgres"
import type { FeedRange } from "../../../../model/transfer.ts"
import type { Feed } from "./feed.ts"

/** Bounds of `pos`, in the statement's own snapshot. */
interface TransactionBounds {
  readonly lows: ReadonlyArray<Fragment>
  readonly highs: ReadonlyArray<Fragment>
}

const lastPosition = String(2n ** 63n - 1n)

/**
 * In the block that was told, where it is final or the very one that the ledger has. Else in any that is not final: it may be another
 * fork's, and who knows of none may have lost it.
 */
export const transactionBounds = (
  { sql, chain: { chainId, state, block } }: Feed,
  transaction: FeedRange["transaction"],
): TransactionBounds => {
  if (transaction?.blocks === undefined) return { lows: [], highs: [] }
  const told = transaction.blocks[chainId]
  const window = sql`(s.finalized_block::int8 + 1) << 24`
  if (told === undefined) return { lows: [sql`(select ${window} from ${state} s)`], highs: [] }
  const number = sql`${String(told.number)}::int8`
  const isOwn = sql`(s.finalized_block >= ${number}
    or exists (select from ${block} b where b.number = ${number} and b.hash = ${told.hash}::bytea))`
  return {
    lows: [sql`(select case when ${isOwn} then ${number} << 24 else ${window} end from ${state} s)`],
    highs: [sql`(select case when ${isOwn} then (${number} + 1) << 24 else ${lastPosition}::int8 end from ${state} s)`],
  }
}
