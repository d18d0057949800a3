/** Where a chain's history begins. */
import { Effect } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"

/** `begin`: the time of the first block that is known, but for a genesis of 1970, which has none. Without a head there is no block. */
export const findBeginning = Effect.fnUntraced(function* (chainId: ChainId) {
  const { asOf, value } = yield* (yield* BlockTimes).around(chainId, 1)
  const [head] = asOf
  return { asOf, head, begin: value.after?.time ?? head?.time ?? 0, rollbacks: value.rollbacks }
})
