/** Times of blocks that the ledger knows without a node: of some blocks for ever, of those near the head all. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { Snapshot } from "../model/page.ts"
import type { ChainId } from "../model/primitives.ts"

export interface BlockTime {
  readonly block: number
  /** Seconds since 1970. */
  readonly time: number
}

/** The nearest known blocks on either side of a time; absent = none is known there. */
export interface Around {
  /** The highest known that is older. */
  readonly before?: BlockTime
  /** The lowest known that is not. */
  readonly after?: BlockTime
}

export class BlockTimes extends Context.Service<
  BlockTimes,
  {
    around(chainId: ChainId, time: number): Effect.Effect<Snapshot<Around>, StoreError>
  }
>()("cowry/BlockTimes") {}
