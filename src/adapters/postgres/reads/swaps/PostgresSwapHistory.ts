/** The SwapHistory port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Address } from "../../../../model/primitives.ts"
import { SwapHistory } from "../../../../ports/SwapHistory.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { type PoolRow, selectLastTime, selectNextTime, selectPools, selectSwapped } from "./history.ts"

export const layer = Layer.effect(
  SwapHistory,
  Effect.gen(function* () {
    const { readScalar } = yield* AcrossChains.AcrossChains
    return SwapHistory.of({
      read: Effect.fnUntraced(function* (chainId, question) {
        const rows = yield* readScalar<ReadonlyArray<PoolRow>>(chainId, [], (chain) => selectPools(chain, question))
        return rows.map(({ token, anchor, pool, doubtful, held, swaps }) => ({
          token,
          anchor,
          pool,
          ...(doubtful && { isDoubtful: true as const }),
          held: held.map(BigInt),
          swaps: swaps.map(([blockNumber, logIndex, time, tokenQty, anchorQty, heldToken, heldAnchor]) => ({
            ...{ blockNumber, logIndex, time },
            ...{ tokenQty: BigInt(tokenQty), anchorQty: BigInt(anchorQty) },
            ...{ heldToken: BigInt(heldToken), heldAnchor: BigInt(heldAnchor) },
          })),
        }))
      }),
      listSwapped: (chainId, anchors, after, at) =>
        readScalar<ReadonlyArray<Address>>(chainId, [], (chain) => selectSwapped(chain, anchors, after, at)),
      findLast: (chainId, at) =>
        readScalar<number | undefined>(chainId, undefined, (chain) => selectLastTime(chain, at)),
      findNext: (chainId, after) =>
        readScalar<number | undefined>(chainId, undefined, (chain) => selectNextTime(chain, after)),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
