/** Places in histories as cursor parts. */
import { Schema } from "effect"
import type { DiffKey } from "../../../../domain/wallet/holderDiff.ts"
import { Address } from "../../../../model/primitives.ts"
import type { BlockKey, PointKey } from "../../../../model/wallet/histories.ts"
import { BlockNumber, type CursorShape, Seconds, shapeOf } from "../cursors.ts"

export const blockCursor: CursorShape<BlockKey> = {
  ...shapeOf(
    Schema.Tuple([BlockNumber]),
    (key: BlockKey) => [key.blockNumber] as const,
    ([blockNumber]) => ({ blockNumber }),
  ),
  pinned: true,
}

export const pointCursor: CursorShape<PointKey> = {
  ...shapeOf(
    Schema.Tuple([Seconds, BlockNumber]),
    (key: PointKey) => [key.time, key.blockNumber] as const,
    ([time, blockNumber]) => ({ time, blockNumber }),
  ),
  pinned: true,
}

/** Hours since 1970 have the range of block numbers. */
export const hourCursor: CursorShape<{ readonly hour: number }> = shapeOf(
  Schema.Tuple([BlockNumber]),
  (key: { readonly hour: number }) => [key.hour] as const,
  ([hour]) => ({ hour }),
)

export const diffCursor: CursorShape<DiffKey> = {
  ...shapeOf(
    Schema.Tuple([Address, BlockNumber]),
    (key: DiffKey) => [key.address, key.blockNumber] as const,
    ([address, blockNumber]) => ({ address, blockNumber }),
  ),
  pinned: true,
}
