/** Places in histories as cursor parts. */
import { Schema } from "effect"
import { beforeAll, type DiffKey } from "../../../../domain/wallet/holderDiff.ts"
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

/** Of times that are whole multiples of so many seconds. */
export const pointCursor = (seconds: number): CursorShape<PointKey> => ({
  ...shapeOf(
    Schema.Tuple([Seconds.check(Schema.isMultipleOf(seconds)), BlockNumber]),
    (key: PointKey) => [key.time, key.blockNumber] as const,
    ([time, blockNumber]) => ({ time, blockNumber }),
  ),
  pinned: true,
})

/** Hours since 1970 have the range of block numbers. */
export const hourCursor: CursorShape<{ readonly hour: number }> = shapeOf(
  Schema.Tuple([BlockNumber]),
  (key: { readonly hour: number }) => [key.hour] as const,
  ([hour]) => ({ hour }),
)

const olderDiff = shapeOf(
  Schema.Tuple([Address, BlockNumber]),
  (key: DiffKey) => [key.address, key.blockNumber] as const,
  ([address, blockNumber]) => ({ address, blockNumber }),
)
/** The first block, or -1 before all: a text, so that no cursor of before, behind whose block the rollbacks stand, is read as one. */
const First = Schema.String.check(Schema.isPattern(/^(?:-1|0|[1-9]\d{0,9})$/u))
const newerDiff = shapeOf<DiffKey, readonly [Address, number, string]>(
  Schema.Tuple([Address, BlockNumber, First]),
  ({ address, blockNumber, from = beforeAll }) => [address, blockNumber, String(from)],
  ([address, blockNumber, first]) => ({ address, blockNumber, from: Number(first) }),
)

/** Between a block and itself there are no rows. */
export const diffCursor: CursorShape<DiffKey> = {
  toParts: newerDiff.toParts,
  fromParts: (parts) => {
    const key = newerDiff.fromParts(parts)
    if (key === undefined) return olderDiff.fromParts(parts)
    return (key.from ?? beforeAll) < key.blockNumber ? key : undefined
  },
  pinned: true,
}
