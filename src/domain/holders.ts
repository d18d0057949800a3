/** Who holds a token, and what share of it; what an address holds. */
import { Effect } from "effect"
import { HolderStore, type HoldersQuery, type Window } from "../ports/HolderStore.ts"
import { checkBlock } from "./history.ts"
import type { Holder } from "./model/holder.ts"
import { toListPage } from "./model/page.ts"
import type { Address, BigIntString, ChainId } from "./model/primitives.ts"

/** Holders by balance, each with its share of the supply. */
export const listErc20Holders = Effect.fn("listErc20Holders")(function* (query: HoldersQuery) {
  const store = yield* HolderStore
  const { asOf, value } = yield* store.listErc20Holders(query)
  const supply = BigInt(value.supply ?? "0")
  const items = value.items.map((holder) => withPercentage(holder, supply))
  return toListPage(query.page, { asOf, value: { ...value, items } })
})

/** The same order by page and offset, without shares. */
export const listErc20HolderWindow = Effect.fn("listErc20HolderWindow")(function* (
  chainId: ChainId,
  token: Address,
  window: Window,
) {
  const store = yield* HolderStore
  return yield* store.listErc20HolderWindow(chainId, token, window)
})

export const countErc20Holders = Effect.fn("countErc20Holders")(function* (chainId: ChainId, token: Address) {
  const store = yield* HolderStore
  return yield* store.countErc20Holders(chainId, token)
})

/** Balance in raw subunits, now or after a block; never below zero. */
export const findErc20Balance = Effect.fn("findErc20Balance")(function* (
  chainId: ChainId,
  token: Address,
  holder: Address,
  blockNumber?: number,
) {
  const store = yield* HolderStore
  const { asOf, value } = yield* store.findErc20Balance(chainId, token, holder, blockNumber)
  if (blockNumber !== undefined) yield* checkBlock(asOf, blockNumber)
  return { asOf, value: atLeastZero(value) }
})

export const listErc20Holdings = Effect.fn("listErc20Holdings")(function* (
  chainId: ChainId,
  holder: Address,
  window: Window,
) {
  const store = yield* HolderStore
  return yield* store.listErc20Holdings(chainId, holder, window)
})

/** A balance below zero is the mark of a token whose events do not tell the truth; it is answered as nothing. */
export const atLeastZero = (amount: BigIntString): BigIntString => (amount.startsWith("-") ? "0" : amount)

const millionths = 1_000_000n

/** Fraction of the supply, rounded half up to 6 decimals; left out when there is no supply or the fraction would be above 1. */
export const withPercentage = (holder: Holder, supply: bigint): Holder => {
  const balance = BigInt(holder.balance)
  if (supply <= 0n || balance > supply) return holder
  const rounded = (2n * balance * millionths + supply) / (2n * supply)
  return { ...holder, percentage: Number(rounded) / Number(millionths) }
}
