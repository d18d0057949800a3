/** Whether the part of a feed that is asked for can hold anything: what begins behind its end is refused, not empty. */
import { Effect } from "effect"
import { InvalidParameter } from "../../model/errors.ts"
import { dateTimeOf } from "../../model/primitives.ts"
import type { FeedRange } from "../../model/transfer.ts"

export const checkRange = Effect.fnUntraced(function* (range: FeedRange) {
  const { blockNumberFrom, blockNumberTo, timestampFrom, timestampTo } = range
  if (blockNumberFrom !== undefined && blockNumberTo !== undefined && blockNumberFrom > blockNumberTo) {
    return yield* new InvalidParameter({
      parameter: "blockNumberFrom",
      value: String(blockNumberFrom),
      wanted: `a block number up to blockNumberTo (${blockNumberTo})`,
    })
  }
  if (timestampFrom !== undefined && timestampTo !== undefined && timestampFrom > timestampTo) {
    return yield* new InvalidParameter({
      parameter: "timestampFrom",
      value: dateTimeOf(timestampFrom),
      wanted: `a time up to timestampTo (${dateTimeOf(timestampTo)})`,
    })
  }
})
