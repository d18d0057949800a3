/** Whether the ledger can speak of a block. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import {
  HistoryNotAvailable,
  InvalidCursor,
  InvalidParameter,
  QueryTooSlow,
  type StoreError,
} from "../../model/errors.ts"
import type { Pin, Snapshot } from "../../model/page.ts"
import type { Address, ChainId } from "../../model/primitives.ts"

/** What a question about figures says of time. */
export interface AtBlock {
  /** After this block; absent = now. */
  readonly blockNumber?: number | undefined
}

export interface TokenQuery extends AtBlock {
  readonly chainId: ChainId
  readonly token: Address
}

/** Fails for a block above the snapshot's or below the ledger's first. `named`: the chain, where several are asked; `parameter`: who named the block. */
export const checkBlock = Effect.fnUntraced(function* (
  asOf: ReadonlyArray<AsOf>,
  blockNumber: number,
  named?: ChainId,
  parameter = "blockNumber",
) {
  const ofChain = named === undefined ? "" : ` of chain ${named}`
  const chain = asOf[0]
  if (chain === undefined || blockNumber > chain.blockNumber) {
    return yield* new InvalidParameter({
      parameter,
      value: String(blockNumber),
      wanted:
        chain === undefined
          ? "a block up to the indexed head (nothing is indexed yet)"
          : `a block up to the indexed head ${chain.blockNumber}${ofChain}`,
      asOf,
    })
  }
  if (blockNumber < chain.firstBlock) {
    return yield* new HistoryNotAvailable({
      message: `block ${blockNumber} is before the indexed history${ofChain}, which starts at block ${chain.firstBlock}`,
      asOf,
    })
  }
})

/** Checks a list that was read as of a block; absent = now, which is always there. */
export const asOfBlock = <Value, R>(
  blockNumber: number | undefined,
  read: Effect.Effect<Snapshot<Value>, StoreError, R>,
) =>
  blockNumber === undefined
    ? read
    : withAdvice(blockNumber, read).pipe(Effect.tap(({ asOf }) => checkBlock(asOf, blockNumber)))

/** The same for a page; fails also where a reorg took the walk's block away since the page before. */
export const pageAsOfBlock = <Value extends { readonly pin?: Pin }, R>(
  blockNumber: number | undefined,
  read: Effect.Effect<Snapshot<Value>, StoreError, R>,
) =>
  blockNumber === undefined
    ? read
    : withAdvice(blockNumber, read).pipe(
        Effect.tap(({ value }) => checkPin(value.pin)),
        Effect.tap(({ asOf }) => checkBlock(asOf, blockNumber)),
      )

/** A read that takes too long says what would not. */
const withAdvice = <A, R>(blockNumber: number, read: Effect.Effect<A, StoreError, R>) =>
  Effect.catchTag(read, "QueryTooSlow", () =>
    Effect.fail(
      new QueryTooSlow({
        message: `this takes too long as of block ${blockNumber}: leave the block out, or ask for one nearer to the head`,
      }),
    ),
  )

/** Fails where a reorg, a heal or a resync replaced what the walk has shown. */
export const checkPin = (pin: Pin | undefined) =>
  pin?.replaced === true
    ? Effect.fail(
        new InvalidCursor({
          message:
            "a reorg, a resync or the audit changed the block since the page that this cursor is from: begin again at the first page",
        }),
      )
    : Effect.void
