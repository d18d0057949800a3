/** Whether the part of a feed that is asked for can hold anything: what begins behind its end is refused, not empty. Times are compared as they were sent, where they are read. */
import { Effect } from "effect"
import { InvalidParameter } from "../../model/errors.ts"
import type { FeedRange } from "../../model/transfer.ts"

export const checkRange = Effect.fnUntraced(function* ({ blockNumberFrom, blockNumberTo }: FeedRange) {
  if (blockNumberFrom !== undefined && blockNumberTo !== undefined && blockNumberFrom > blockNumberTo) {
    return yield* new InvalidParameter({
      parameter: "blockNumberFrom",
      value: String(blockNumberFrom),
      wanted: `a block number up to blockNumberTo (${blockNumberTo})`,
    })
  }
})
