/** The time of the newest block of a chain that no reorg takes back any more. */
import { Effect } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"

/** The time of the newest final block, whose header is kept; -1 = there is none. */
export const finalTime = Effect.fnUntraced(function* (chainId: ChainId) {
  const times = yield* BlockTimes
  const { value } = yield* times.newest(chainId)
  const { before } = (yield* times.when(chainId, value.finalizedBlock)).value
  return before?.block === value.finalizedBlock ? before.time : -1
})
