/** The time of the newest block of a chain that no reorg takes back any more. */
import { Effect } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"

/** -1 = there is none. Told with the block, in one read: an append may drop the header by which a second read would find it. */
export const finalTime = (chainId: ChainId) =>
  BlockTimes.use((times) => Effect.map(times.newest(chainId), ({ value }) => value.finalizedTime ?? -1))
