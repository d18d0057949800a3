/** Feeds of swaps, with the names of their exchanges and what was paid per unit. */
import { Effect } from "effect"
import { nearestDouble } from "../../model/numbers/nearestDouble.ts"
import { toListPage } from "../../model/page.ts"
import { dateTimeOf } from "../../model/primitives.ts"
import type { Erc20Swap, StoredSwap } from "../../model/swap.ts"
import { type Chain, Networks } from "../../ports/Networks.ts"
import { SwapStore, type SwapsQuery } from "../../ports/SwapStore.ts"
import { checkRange } from "./feedRange.ts"

/** Swaps of the chains that pass the filter, in feed order. */
export const listSwaps = Effect.fnUntraced(function* (query: SwapsQuery) {
  yield* checkRange(query.filter)
  const store = yield* SwapStore
  const { chains } = yield* Networks
  const { asOf, value } = yield* store.list(query)
  const items = value.items.map((swap) => shownSwap(chains, swap))
  return toListPage(query.page, { asOf, value: { ...value, items } })
})

/** With the name of its exchange, and its price. */
export const shownSwap = (chains: ReadonlyArray<Chain>, swap: StoredSwap): Erc20Swap => {
  const factories = chains.find(({ chainId }) => chainId === swap.chainId)?.factories
  return erc20Swap(swap, swap.factory === undefined ? undefined : factories?.get(swap.factory))
}

interface Exchange {
  readonly dex: string
  readonly label?: string
}

const erc20Swap = ({ time, factory, ...swap }: StoredSwap, exchange: Exchange | undefined): Erc20Swap => ({
  chainId: swap.chainId,
  txHash: swap.txHash,
  timestamp: dateTimeOf(time),
  price: priceOf(swap),
  ...(exchange === undefined ? {} : { dex: exchange.dex }),
  tokenIn: swap.tokenIn,
  tokenOut: swap.tokenOut,
  tokenInQty: swap.tokenInQty,
  tokenOutQty: swap.tokenOutQty,
  tokenInDecimals: swap.tokenInDecimals,
  tokenOutDecimals: swap.tokenOutDecimals,
  ...(factory === undefined ? {} : { sourceDeployer: exchange?.label ?? factory }),
})

type Quantities = Pick<StoredSwap, "tokenInQty" | "tokenOutQty" | "tokenInDecimals" | "tokenOutDecimals">

/** tokenOut per tokenIn in whole units: the double nearest to the exact quotient, and finite. */
export const priceOf = ({ tokenInQty, tokenOutQty, tokenInDecimals, tokenOutDecimals }: Quantities): number =>
  nearestDouble(
    BigInt(tokenOutQty) * 10n ** BigInt(tokenInDecimals),
    BigInt(tokenInQty) * 10n ** BigInt(tokenOutDecimals),
  )
