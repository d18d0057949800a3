/** Which block of each chain an answer is as of: one that is named or meant, that of the walk, or the newest. */
import { Effect } from "effect"
import type { AsOf, LeftOut } from "../../model/block.ts"
import { BlockUnknown, HistoryNotAvailable, InvalidParameter } from "../../model/errors.ts"
import type { Pin } from "../../model/page.ts"
import type { ChainId } from "../../model/primitives.ts"
import type { ChainPin, HeldStandard } from "../../model/wallet/holdings.ts"
import type { HeldAt } from "../../ports/WalletStore.ts"
import { type BlockSelector, findAskedBlock } from "../reads/askedBlock.ts"
import { checkBlock, checkPin } from "../reads/history.ts"
import { hourOf, priceHour } from "./priceHour.ts"

/** Chains that are asked at a time. */
const chainsAtOnce = 4

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

/** `ofNode`: a node said which block is meant, or of which hour it is. */
export interface MeantBlock extends HeldAt {
  readonly ofNode?: boolean
}

interface FoundBlocks {
  /** Absent = now. */
  readonly at?: ReadonlyArray<MeantBlock>
  /** Chains that began later, or of whose blocks none is final yet; those without a block are in neither. */
  readonly leftOut: ReadonlyArray<LeftOut>
}

/** Of several chains those are left out that have no block yet, or began later. */
export const findBlocks = Effect.fnUntraced(function* ({
  chains,
  blockNumber,
  selector: meant,
  standards = [],
  pins,
}: AtTime) {
  const selector = meant?.by === "timestamp" ? { ...meant, exact: standards.includes("native") } : meant
  if (pins !== undefined) {
    // Anybody can write a cursor: of chains that are not asked, or twice of one, it says nothing.
    const pinned = new Map(pins.map((pin): readonly [ChainId, MeantBlock] => [pin.chainId, pin]))
    const others = chains.filter((chainId) => !pinned.has(chainId))
    return {
      at: chains.flatMap((chainId) => pinned.get(chainId) ?? []),
      leftOut: others.map((chainId) => ({ chainId, blockNumber: Number.POSITIVE_INFINITY })),
    }
  }
  const ofChain = (chainId: ChainId) => (chains.length > 1 ? `chain ${chainId}: ` : "")
  if (blockNumber !== undefined) {
    const at = yield* Effect.forEach(
      chains,
      (chainId) => ofBlock(chainId, blockNumber).pipe(Effect.catchTag("BlockUnknown", naming(ofChain(chainId)))),
      { concurrency: chainsAtOnce },
    )
    return { at, leftOut: [] }
  }
  if (selector === undefined) return { leftOut: [] }
  if (selector.by === "blockHash" && chains.length > 1) {
    return yield* new InvalidParameter({
      parameter: "blockHash",
      value: selector.hash,
      wanted: "no value where several chains are asked: a block is of one",
    })
  }
  const found = yield* Effect.forEach(
    chains,
    (chainId) =>
      findAskedBlock(chainId, selector).pipe(
        Effect.flatMap(({ blockNumber, rollbacks, ofNode }) =>
          // Of a time it is the time's own hour: of the block, which may be one before the last, it may be an earlier one.
          selector.by === "timestamp"
            ? Effect.succeed({ chainId, blockNumber, hour: hourOf(selector.time), rollbacks, ofNode })
            : ofBlock(chainId, blockNumber).pipe(
                Effect.map((at) => ({ ...at, rollbacks, ofNode: ofNode || at.ofNode === true })),
              ),
        ),
        Effect.map((at): Required<FoundBlocks> => ({ at: [at], leftOut: [] })),
        Effect.catchTag("HistoryNotAvailable", (error) => {
          const [head] = error.asOf ?? []
          if (chains.length > 1 && head?.firstBlock === 0) return Effect.succeed(without(head, selector))
          const message = `${ofChain(chainId)}${error.message}`
          return Effect.fail(new HistoryNotAvailable({ message, ...(error.asOf && { asOf: error.asOf }) }))
        }),
        Effect.catchTag("InvalidParameter", (error) =>
          chains.length > 1 && error.asOf === undefined ? Effect.succeed(noLedger) : Effect.fail(error),
        ),
        Effect.catchTag("BlockUnknown", naming(ofChain(chainId))),
      ),
    { concurrency: chainsAtOnce },
  )
  return { at: found.flatMap(({ at }) => at), leftOut: found.flatMap(({ leftOut }) => leftOut) }
})

/** Of a chain that is whole and has no such block. What began later than a time did so whatever follows; final any block may be by the next. */
const without = ({ chainId, blockNumber }: AsOf, { by }: BlockSelector): Required<FoundBlocks> => ({
  at: [],
  leftOut: [{ chainId, blockNumber: by === "timestamp" ? Number.POSITIVE_INFINITY : blockNumber }],
})
const noLedger: Required<FoundBlocks> = { at: [], leftOut: [] }

const ofBlock = (chainId: ChainId, blockNumber: number) =>
  priceHour(chainId, blockNumber).pipe(Effect.map((found): MeantBlock => ({ chainId, blockNumber, ...found })))

const naming =
  (chain: string) =>
  ({ message }: BlockUnknown) =>
    Effect.fail(new BlockUnknown({ message: `${chain}${message}` }))

/** Fails where a chain cannot speak of its block, or a reorg took it since the walk began. */
export const checkBlocks = Effect.fnUntraced(function* (
  chains: ReadonlyArray<ChainId>,
  at: ReadonlyArray<HeldAt> | undefined,
  asOf: ReadonlyArray<AsOf>,
  pins: ReadonlyArray<Pin>,
) {
  if (at === undefined) return
  for (const pin of pins) yield* checkPin(pin)
  for (const { chainId, blockNumber } of at) {
    const head = asOf.filter((it) => it.chainId === chainId)
    if (head.length > 0 || chains.length === 1)
      yield* checkBlock(head, blockNumber, chains.length > 1 ? chainId : undefined)
  }
})
