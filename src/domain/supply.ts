/** Supply of a token, now and after any block. */
import { Effect } from "effect"
import { SupplyStore } from "../ports/SupplyStore.ts"
import { checkBlock } from "./history.ts"
import { atLeastZero } from "./holders.ts"
import type { Address, ChainId } from "./model/primitives.ts"

/** Raw subunits of an ERC-20, live ids of an ERC-721, now or after a block; never below zero. */
export const findSupply = Effect.fn("findSupply")(function* (chainId: ChainId, token: Address, blockNumber?: number) {
  const store = yield* SupplyStore
  const { asOf, value } = yield* store.find(chainId, token, blockNumber)
  if (blockNumber !== undefined) yield* checkBlock(asOf, blockNumber)
  return { asOf, value: atLeastZero(value) }
})
