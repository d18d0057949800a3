/** Which block of each chain an answer is as of: one that is named or meant, that of the walk, or the newest. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { BlockUnknown, HistoryNotAvailable, InvalidCursor, InvalidParameter } from "../../model/errors.ts"
import type { Pin } from "../../model/page.ts"
import type { ChainId } from "../../model/primitives.ts"
import type { ChainPin, HeldStandard } from "../../model/wallet/holdings.ts"
import { type BlockSelector, findAskedBlock } from "../reads/askedBlock.ts"
import { checkBlock } from "../reads/history.ts"

/** At most one of `blockNumber` and `selector`; neither = now. */
export interface AtTime {
  readonly chains: ReadonlyArray<ChainId>
  /** Each chain's own. */
  readonly blockNumber?: number | undefined
  readonly selector?: BlockSelector | undefined
  /** Among them is the native currency: it moves in blocks that no token's transfer is in. */
  readonly standards?: ReadonlyArray<HeldStandard>
  /** What a cursor says: of this walk it is settled. */
  readonly pins?: ReadonlyArray<ChainPin> | undefined
}

/** The block of a chain. `rollbacks`: of its ledger when it was found, or when the walk began. */
export interface AtBlock {
  readonly chainId: ChainId
  readonly blockNumber: number
  readonly rollbacks?: number
}

/** undefined = now. Of several chains those are left out that have no block yet, or began later. */
export const findBlocks = Effect.fnUntraced(function* ({
  chains,
  blockNumber,
  selector: meant,
  standards = [],
  pins,
}: AtTime) {
  const selector = meant?.by === "timestamp" ? { ...meant, exact: standards.includes("native") } : meant
  if (pins !== undefined) return pins as ReadonlyArray<AtBlock>
  if (blockNumber !== undefined) return chains.map((chainId): AtBlock => ({ chainId, blockNumber }))
  if (selector === undefined) return undefined
  if (selector.by === "blockHash" && chains.length > 1) {
    return yield* new InvalidParameter({
      parameter: "blockHash",
      value: selector.hash,
      wanted: "no value where several chains are asked: a block is of one",
    })
  }
  const ofChain = (chainId: ChainId) => (chains.length > 1 ? `chain ${chainId}: ` : "")
  const found = yield* Effect.forEach(
    chains,
    (chainId) =>
      findAskedBlock(chainId, selector).pipe(
        Effect.map(({ blockNumber, rollbacks }): ReadonlyArray<AtBlock> => [{ chainId, blockNumber, rollbacks }]),
        Effect.catchTag("HistoryNotAvailable", (error) =>
          chains.length > 1 && error.asOf?.[0]?.firstBlock === 0
            ? Effect.succeed([])
            : Effect.fail(
                new HistoryNotAvailable({
                  message: `${ofChain(chainId)}${error.message}`,
                  ...(error.asOf && { asOf: error.asOf }),
                }),
              ),
        ),
        Effect.catchTag("InvalidParameter", (error) =>
          chains.length > 1 && error.asOf === undefined ? Effect.succeed([]) : Effect.fail(error),
        ),
        Effect.catchTag("BlockUnknown", ({ message }) =>
          Effect.fail(new BlockUnknown({ message: `${ofChain(chainId)}${message}` })),
        ),
      ),
    { concurrency: 4 },
  )
  return found.flat()
})

/** Fails where a chain cannot speak of its block, or a reorg took it since the walk began. */
export const checkBlocks = Effect.fnUntraced(function* (
  chains: ReadonlyArray<ChainId>,
  at: ReadonlyArray<AtBlock> | undefined,
  asOf: ReadonlyArray<AsOf>,
  pins: ReadonlyArray<Pin>,
) {
  if (at === undefined) return
  if (pins.some(({ replaced }) => replaced)) {
    return yield* new InvalidCursor({
      message: "a reorg replaced the block since the page that this cursor is from: begin again at the first page",
    })
  }
  for (const { chainId, blockNumber } of at) {
    const head = asOf.filter((it) => it.chainId === chainId)
    if (head.length > 0 || chains.length === 1)
      yield* checkBlock(head, blockNumber, chains.length > 1 ? chainId : undefined)
  }
})
