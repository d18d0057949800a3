/** Counts one account's rows before a window, by a walk over the blocks that touched it: once, when its marks begin. */
import { Effect } from "effect"
import { QueryTooSlow, type StoreError } from "../../../../../model/errors.ts"
import type { Address } from "../../../../../model/primitives.ts"
import type { MarkWindow } from "../../../../../ports/AccountMarks.ts"
import type { AcrossChains } from "../../common/acrossChains.ts"
import type { TransferFeed } from "../../feed/feed.ts"
import { type KeyRange, type PositionKey, positionKeyOf } from "../../feed/positionKey.ts"
import { walkChain } from "../walk/walkChain.ts"
import type { CountedRows } from "./countRows.ts"

/** Rows that are walked in one snapshot. */
const piece = 10_000
/** Touched blocks that may be looked at for them. */
const budgetOfPiece = 1_000_000

interface Settings {
  readonly least: number
  readonly stride: number
}

/** `found`: rows in final blocks, `least` at most. `counted`: those before the window; absent = it has fewer than `least`. */
export const countAccount = Effect.fnUntraced(function* (
  across: AcrossChains["Service"],
  feed: TransferFeed,
  { from, end }: MarkWindow,
  address: Address,
  { least, stride }: Settings,
) {
  const high = positionKeyOf(feed.kind, from)
  const walk = (range: KeyRange, limit: number): Effect.Effect<ReadonlyArray<PositionKey>, StoreError> =>
    Effect.flatMap(
      across.database.snapshot((transaction, run) => {
        const walker = { transaction, run, filter: { address: [address] }, prepared: across.prepared }
        return walkChain(walker, feed, { range, direction: "asc", limit, budget: { left: budgetOfPiece } })
      }),
      ({ positionKeys, complete }) =>
        complete || positionKeys.length >= limit
          ? Effect.succeed(positionKeys.slice(0, limit))
          : Effect.fail(new QueryTooSlow({ message: `too many blocks that touched ${address}` })),
    )
  const oldest = yield* walk({ low: 0n, high: positionKeyOf(feed.kind, end) }, least)
  const found: { readonly found: number; readonly counted?: CountedRows } = { found: oldest.length }
  if (oldest.length < least) return found
  let rows = 0
  const marks: Array<CountedRows["marks"][number]> = []
  for (let part = oldest, limit = least; ; ) {
    for (const key of part) {
      if (key >= high) break
      if (rows % stride === 0) marks.push([rows / stride, String(key)])
      rows++
    }
    const last = part.at(-1)
    if (last === undefined || last >= high || part.length < limit) break
    limit = piece
    part = yield* walk({ low: last + 1n, high }, limit)
  }
  return { ...found, counted: { account: address, rows, marks } }
})
