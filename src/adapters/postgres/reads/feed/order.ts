/** The order of rows of different chains' feeds: by time, then chain, then place. */
import { type ChainId, compareChainIds } from "../../../../model/primitives.ts"
import type { Direction } from "./feed.ts"

interface FeedRow {
  readonly chain_id: ChainId
  readonly time: number
  readonly block_number: number
  readonly log_index: number
  readonly sub?: number
}

/** As statements order them, going in a direction. */
export const compareFeedRows =
  (direction: Direction) =>
  (a: FeedRow, b: FeedRow): number => {
    const ascending =
      a.time - b.time ||
      compareChainIds(a.chain_id, b.chain_id) ||
      a.block_number - b.block_number ||
      a.log_index - b.log_index ||
      (a.sub ?? 0) - (b.sub ?? 0)
    return direction === "asc" ? ascending : -ascending
  }
