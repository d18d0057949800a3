/** Up to which time no reorg takes back blocks of a chain any more. */
import { Effect } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"

/** Of the newest such block; -1 = there is none. Told with the block, in one read: an append may drop the header by which a second read would find it. */
export const finalTime = (chainId: ChainId) =>
  BlockTimes.use((times) => Effect.map(times.newest(chainId), ({ value }) => value.finalizedTime ?? -1))

/** The newest second of a chain whose every block is final: the newest final block's own may have further ones. -1 = there is none. */
export const finalSecond = (chainId: ChainId) => Effect.map(finalTime(chainId), (time) => Math.max(-1, time - 1))
