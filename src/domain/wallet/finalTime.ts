/** The time of the newest block of a chain that no reorg takes back any more. */
import { Effect } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"
import { TokenHistories } from "../../ports/TokenHistories.ts"

/** The time of the newest final block, whose header is kept; -1 = there is none. */
export const finalTime = Effect.fnUntraced(function* (chainId: ChainId) {
  const times = yield* BlockTimes
  const { value } = yield* times.newest(chainId)
  const histories = yield* TokenHistories
  const found = yield* histories.series({
    chainId,
    holder: "0x0000000000000000000000000000000000000000" as Address,
    onlyTrusted: true,
    moments: { blocks: [value.finalizedBlock] },
    page: {},
  })
  return found.value.points[0]?.time ?? -1
})
