/** Whether the ledger can speak of a block. */
import { Effect } from "effect"
import type { AsOf } from "./model/block.ts"
import { HistoryNotAvailable, InvalidParameter } from "./model/errors.ts"

/** Fails for a block above the snapshot's or below the ledger's first. */
export const checkBlock = Effect.fnUntraced(function* (asOf: ReadonlyArray<AsOf>, blockNumber: number) {
  const chain = asOf[0]
  if (chain === undefined || blockNumber > chain.blockNumber) {
    return yield* new InvalidParameter({
      parameter: "blockNumber",
      value: String(blockNumber),
      wanted:
        chain === undefined
          ? "a block up to the indexed head (nothing is indexed yet)"
          : `a block up to the indexed head ${chain.blockNumber}`,
    })
  }
  if (blockNumber < chain.firstBlock) {
    return yield* new HistoryNotAvailable({
      message: `block ${blockNumber} is before the indexed history, which starts at block ${chain.firstBlock}`,
    })
  }
})
