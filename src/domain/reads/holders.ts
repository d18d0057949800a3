/** Who holds a token, and what share of it; what an address holds. */
import { Effect } from "effect"
import { InvalidParameter, type StoreError } from "../../model/errors.ts"
import type { Erc1155HolderKey, Holder } from "../../model/holder.ts"
import { type Snapshot, toListPage } from "../../model/page.ts"
import type { Address, BigIntString, ChainId } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import {
  type HeldStandard,
  HolderStore,
  type HoldersQuery,
  type HoldingsQuery,
  type RankedHoldersQuery,
  type Window,
} from "../../ports/HolderStore.ts"
import { WantedCodes } from "../../ports/WantedCodes.ts"
import { asOfBlock, checkBlock, pageAsOfBlock, type TokenQuery } from "./history.ts"
import { listPage } from "./listPage.ts"

export interface BalanceQuery extends TokenQuery {
  readonly holder: Address
}

export interface HolderWindowQuery extends TokenQuery {
  readonly window: Window
}

/** Holders by balance, each with its share: of the supply of an ERC-20, of the live ids of an ERC-721. */
export const listHolders = Effect.fnUntraced(function* (standard: HeldStandard, query: RankedHoldersQuery) {
  if (query.rank === true && query.blockNumber !== undefined) {
    return yield* new InvalidParameter({
      parameter: "include",
      value: "rank",
      wanted: "no rank beside a block: it is that of now",
    })
  }
  const store = yield* HolderStore
  const { asOf, value } = yield* pageAsOfBlock(query.blockNumber, store.list(standard, query))
  yield* wantCodes(query.chainId, value.items)
  const items = value.items.map(withPercentageOf(BigInt(value.supply ?? "0")))
  return toListPage(query.page, { asOf, value: { ...value, items } })
})

/** Who holds which id of an ERC-1155, by balance. */
export const listErc1155Holders = Effect.fnUntraced(function* (query: HoldersQuery<Erc1155HolderKey>) {
  const store = yield* HolderStore
  const page = yield* listPage(query, store.listErc1155(query))
  yield* wantCodes(query.chainId, page.items)
  return page
})

interface Met {
  readonly address: Address
  /** null = it is shown, and not known. */
  readonly isContract?: boolean | null
}

/** Whom a caller met and nobody knows is asked about beside the ledger, soon. Returns at once. */
export const wantCodes = (chainId: ChainId, rows: ReadonlyArray<Met>) => {
  const unknown = rows.filter(({ isContract }) => isContract === null).map(({ address }) => address)
  return unknown.length === 0 ? Effect.void : WantedCodes.use((wanted) => wanted.want(chainId, [...new Set(unknown)]))
}

/** Holders by balance by page and offset, without shares. */
export const listHolderWindow = Effect.fnUntraced(function* (query: HolderWindowQuery) {
  const { chainId, token, window, blockNumber } = query
  const store = yield* HolderStore
  return yield* asOfBlock(blockNumber, store.listWindow(chainId, token, window, blockNumber))
})

export const countHolders = ({ chainId, token, blockNumber }: TokenQuery) =>
  HolderStore.use((store) => asOfBlock(blockNumber, store.count(chainId, token, blockNumber)))

/** Raw subunits, ids owned, or the sum over ids; never below zero. */
export const findBalance = ({ chainId, token, holder, blockNumber }: BalanceQuery) =>
  HolderStore.use((store) => figureOf(store.findBalance(chainId, token, holder, blockNumber), blockNumber))

/** What a store found, as it is answered. Fails where the ledger cannot speak of the block. */
export const figureOf = (read: Effect.Effect<Snapshot<BigIntString>, StoreError>, blockNumber: number | undefined) => {
  const figure = ({ asOf, value }: Snapshot<BigIntString>) => ({ asOf, ...atLeastZero(value) })
  return blockNumber === undefined
    ? Effect.map(read, figure)
    : Effect.flatMap(read, (found) => Effect.as(checkBlock(found.asOf, blockNumber), figure(found)))
}

/** What an address holds of a standard, by page and offset. */
export const listHoldings = Effect.fnUntraced(function* (standard: Standard, query: HoldingsQuery) {
  const store = yield* HolderStore
  return yield* asOfBlock(query.blockNumber, store.listHoldings(standard, query))
})

/** What an address holds of the ids of an ERC-1155, by page and offset. */
export const listUnits = Effect.fnUntraced(function* (query: BalanceQuery & HolderWindowQuery) {
  const { chainId, token, holder, window, blockNumber } = query
  const store = yield* HolderStore
  return yield* asOfBlock(blockNumber, store.listUnits(chainId, token, holder, window, blockNumber))
})

/** A balance below zero is the mark of a token whose events do not tell the truth; it is answered as nothing. */
export const atLeastZero = (amount: BigIntString): { readonly value: BigIntString; readonly isBelowZero: boolean } => {
  const isBelowZero = amount.startsWith("-")
  return { value: isBelowZero ? "0" : amount, isBelowZero }
}

const millionths = 1_000_000n

/** Fraction of the supply, rounded half up to 6 decimals; left out when there is no supply or the fraction would be above 1. */
export const withPercentageOf = (supply: bigint): ((holder: Holder) => Holder) => {
  if (supply <= 0n) return (holder) => holder
  const rough = Number(supply)
  return (holder) => {
    const rounded = roughMillionths(holder.balance, rough) ?? exactMillionths(BigInt(holder.balance), supply)
    if (rounded === undefined) return holder
    const percentage = rounded / Number(millionths)
    if (holder.rank !== undefined || holder.isContract !== undefined) return { ...holder, percentage }
    // Most rows have no more: a copy of an object costs as much as all else that is done for it.
    const { chainId, address, balance } = holder
    return { chainId, address, balance, percentage }
  }
}

/** So close to a half, or to the whole, it is left to whole numbers. What is divided below is off by 10⁻⁹ at most. */
const margin = 1e-6

/** The same as exactly, where doubles are sure of it; undefined = they are not. They take a quarter of the time. */
const roughMillionths = (balance: BigIntString, supply: number): number | undefined => {
  const found = (Number(balance) / supply) * Number(millionths)
  const whole = Math.floor(found)
  const isSure = found >= 0 && found < Number(millionths) - 1 && Math.abs(found - whole - 0.5) > margin
  return isSure ? Math.round(found) : undefined
}

const exactMillionths = (balance: bigint, supply: bigint): number | undefined =>
  balance > supply ? undefined : Number((2n * balance * millionths + supply) / (2n * supply))
