/** Which block of each chain an answer is as of: one that is named, the last of a time, or the newest. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { InvalidCursor, InvalidParameter } from "../../model/errors.ts"
import type { Pin } from "../../model/page.ts"
import { type ChainId, dateTimeOf } from "../../model/primitives.ts"
import type { ChainPin } from "../../model/wallet/holdings.ts"
import { WalletStore } from "../../ports/WalletStore.ts"
import { checkBlock } from "../reads/history.ts"

/** At most one of both. */
export interface AtTime {
  readonly chains: ReadonlyArray<ChainId>
  /** Each chain's own. */
  readonly blockNumber?: number | undefined
  /** Seconds since 1970. */
  readonly time?: number | undefined
  /** What a cursor says: of this walk it is settled. */
  readonly pins?: ReadonlyArray<ChainPin> | undefined
}

/** undefined = now. Chains without a stored block are left out where several are asked. */
export const findBlocks = Effect.fnUntraced(function* ({ chains, blockNumber, time, pins }: AtTime) {
  if (pins !== undefined) return pins
  if (blockNumber !== undefined) return chains.map((chainId) => ({ chainId, blockNumber }))
  if (time === undefined) return undefined
  const { asOf, value } = yield* (yield* WalletStore).blocksAt(chains, time)
  for (const head of asOf) if (time > head.time) return yield* tooYoung(time, head)
  if (asOf.length === 0 && chains.length === 1) return yield* checkBlock(asOf, 0).pipe(Effect.as(undefined))
  return asOf.map(({ chainId }) => ({ chainId, blockNumber: value.get(chainId) ?? -1 }))
})

const tooYoung = (time: number, head: AsOf) =>
  new InvalidParameter({
    parameter: "timestamp",
    value: dateTimeOf(time),
    wanted: `a time up to that of the indexed head of chain ${head.chainId}, ${dateTimeOf(head.time)}`,
    asOf: [head],
  })

/** Fails where a chain cannot speak of its block, or a reorg took it since the walk began. */
export const checkBlocks = Effect.fnUntraced(function* (
  chains: ReadonlyArray<ChainId>,
  at: ReadonlyArray<{ readonly chainId: ChainId; readonly blockNumber: number }> | undefined,
  asOf: ReadonlyArray<AsOf>,
  pins: ReadonlyArray<Pin> = [],
) {
  if (at === undefined) return
  if (pins.some(({ replaced }) => replaced)) {
    return yield* new InvalidCursor({
      message: "a reorg replaced the block since the page that this cursor is from: begin again at the first page",
    })
  }
  for (const { chainId, blockNumber } of at) {
    const head = asOf.filter((it) => it.chainId === chainId)
    if (head.length > 0 || chains.length === 1) yield* checkBlock(head, blockNumber)
  }
})
