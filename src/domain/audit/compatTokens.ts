/** What a token is, who has most of it, what an address holds of all standards, what a native currency costs: in the words of several explorers. */
import { Effect } from "effect"
import { worstState } from "../../model/audit.ts"
import type {
  AddressErc1155Holding,
  BlockscoutHolder,
  BlockscoutHolding,
  BlockscoutToken,
  Erc1155InventoryEntry,
  NativePrice,
  TokenInfoEntry,
  TopHolderEntry,
} from "../../model/compat.ts"
import { FigureUnknown } from "../../model/errors.ts"
import type { Holding } from "../../model/holder.ts"
import { exactDecimal } from "../../model/numbers/exactDecimal.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import { type Erc20Token, type Standard, standards, type TokenOfStandard } from "../../model/token.ts"
import { CodeStore } from "../../ports/CodeStore.ts"
import type { HoldingsQuery } from "../../ports/HolderStore.ts"
import { Networks, nativePricedBy } from "../../ports/Networks.ts"
import { amountInUsd } from "../prices/worth.ts"
import { addressErc721Holding, tokenInfoEntry } from "../reads/compat.ts"
import { type BalanceQuery, type HolderWindowQuery, wantCodes } from "../reads/holders.ts"
import { findTokens } from "../reads/tokens.ts"
import type { AuditRead } from "./auditStatus.ts"
import { currentHolderList, currentInventory } from "./current.ts"
import { currentHoldings, currentTokens } from "./severalTokens.ts"

/** One entry per standard the contract emits; none for an unknown contract. `priced`: with what Etherscan's own has beside the rest. */
export const tokenInfo = Effect.fnUntraced(function* (chainId: ChainId, token: Address, priced: boolean) {
  const found = yield* currentTokens(chainId, token)
  return { ...found, value: found.value.map(priced ? pricedEntry : tokenInfoEntry) }
})

const pricedEntry = (token: TokenOfStandard): TokenInfoEntry => {
  const { decimals, price } = token.record as Partial<Erc20Token>
  const image = token.note?.texts.image
  const entry = tokenInfoEntry(token)
  return {
    ...entry,
    whitepaper: entry.whitepaperUrl,
    divisor: String(decimals ?? 0),
    ...(price === undefined ? {} : { tokenPriceUSD: amountInUsd(1n, 0, BigInt(price)) }),
    ...(image === undefined ? {} : { image }),
  }
}

/** The largest holders, with amounts in whole tokens: refused where nobody knows yet what a whole one is. */
export const topHolders = Effect.fnUntraced(function* (query: HolderWindowQuery, auditRead: AuditRead) {
  const found = yield* currentHolderList(query, auditRead)
  const [token] = (yield* findTokens(query.chainId, query.token)).value
  if (found.value.length > 0 && token?.standard === "erc20" && !token.isDescribed) {
    const { asOf } = found
    return yield* new FigureUnknown({ message: "the decimals of the token are not known yet: ask again shortly", asOf })
  }
  // One that has none, as an ERC-721, counts in what it has.
  const { decimals = 0 } = (token?.record ?? {}) as Partial<Erc20Token>
  const holders = found.value.map(({ TokenHolderAddress }) => TokenHolderAddress)
  const codes = yield* (yield* CodeStore).find(query.chainId, holders)
  const kinds = new Map(codes.map(({ address, isContract }) => [address, isContract ? "C" : "E"] as const))
  const unknown = holders.filter((address) => !kinds.has(address))
  yield* wantCodes(
    query.chainId,
    unknown.map((address) => ({ address, isContract: null })),
  )
  const value = found.value.map(({ TokenHolderAddress, TokenHolderQuantity }): TopHolderEntry => {
    const kind = kinds.get(TokenHolderAddress)
    return {
      TokenHolderAddress,
      TokenHolderQuantity: exactDecimal(BigInt(TokenHolderQuantity), decimals),
      ...(kind === undefined ? {} : { TokenHolderAddressType: kind }),
    }
  })
  return { ...found, value }
})

/** Contracts of which an address holds something of some id. */
export const addressToken1155Balance = Effect.fnUntraced(function* (query: HoldingsQuery) {
  const found = yield* currentHoldings("erc1155", query)
  return { ...found, value: found.value.map((it): AddressErc1155Holding => addressErc721Holding(it)) }
})

/** The ids of a contract of which an address holds something, and how much. */
export const addressToken1155Inventory = Effect.fnUntraced(function* (
  query: BalanceQuery & HolderWindowQuery,
  auditRead: AuditRead,
) {
  const found = yield* currentInventory(query, auditRead)
  const value = found.value.map(
    ({ tokenId, balance }): Erc1155InventoryEntry => ({
      TokenAddress: query.token,
      TokenId: tokenId,
      TokenQuantity: balance,
    }),
  )
  return { ...found, value }
})

const blockscoutTypes: Readonly<Record<Standard, string>> = { erc20: "ERC-20", erc721: "ERC-721", erc1155: "ERC-1155" }

/** How often the lists of the standards are read for all of them to be of one block. */
const mostTries = 3
const mostHeld = 10_000
const allHeld = { page: 1, offset: mostHeld + 1 }

/** What an address holds of every standard. Refused where that is more than 10,000 contracts of one: nothing is cut off. */
export const tokenList = Effect.fnUntraced(function* (query: Omit<HoldingsQuery, "window">) {
  for (let tries = 1; ; tries++) {
    const lists = yield* Effect.all(
      standards.map((standard) => currentHoldings(standard, { ...query, window: allHeld })),
      { concurrency: "unbounded" },
    )
    const revisions = new Set(lists.map(({ asOf }) => asOf[0]?.revision))
    if (revisions.size > 1 && tries < mostTries) continue
    const { asOf } = lists[0]!
    if (revisions.size > 1) {
      return yield* new FigureUnknown({ message: "the ledger changes faster than it is read: try again shortly", asOf })
    }
    if (lists.some(({ value }) => value.length > mostHeld)) {
      const message = `the address holds more than ${mostHeld} contracts of a standard: ask addresstokenbalance by pages`
      return yield* new FigureUnknown({ message, asOf })
    }
    const sources = lists.flatMap((list) => (list.source === undefined ? [] : [list.source]))
    const value = lists.flatMap((list, index) => list.value.map((it) => blockscoutHolding(standards[index]!, it)))
    const source = sources.length === 0 ? {} : ({ source: sources.includes("ledger") ? "ledger" : "node" } as const)
    const state = worstState(lists.flatMap((list) => (list.state === undefined ? [] : [list.state])))
    const moment = lists.some(({ ofNode }) => ofNode === true) ? { ofNode: true as const } : {}
    return { asOf, value, ...(state === undefined ? {} : { state }), ...source, ...moment }
  }
})

const blockscoutHolding = (standard: Standard, holding: Holding): BlockscoutHolding => ({
  balance: holding.balance,
  contractAddress: holding.tokenAddress,
  decimals: standard === "erc20" && holding.decimals !== undefined ? String(holding.decimals) : "",
  name: holding.name ?? "",
  symbol: holding.symbol ?? "",
  type: blockscoutTypes[standard],
})

/** What is at an address, as the first standard that it emits. */
export const blockscoutToken = Effect.fnUntraced(function* (chainId: ChainId, address: Address) {
  const found = yield* currentTokens(chainId, address)
  const token: TokenOfStandard | undefined = found.value[0]
  if (token === undefined) {
    return yield* new FigureUnknown({ message: "Token not found", asOf: found.asOf })
  }
  const { decimals } = token.record as Partial<Erc20Token>
  const value: BlockscoutToken = {
    cataloged: true,
    contractAddress: address,
    decimals: decimals === undefined ? "" : String(decimals),
    name: token.record.name ?? "",
    symbol: token.record.symbol ?? "",
    totalSupply: token.supply ?? "",
    type: blockscoutTypes[token.standard],
  }
  return { ...found, value }
})

/** Holders by balance. */
export const blockscoutHolders = Effect.fnUntraced(function* (query: HolderWindowQuery, auditRead: AuditRead) {
  const found = yield* currentHolderList(query, auditRead)
  const value = found.value.map(
    ({ TokenHolderAddress: address, TokenHolderQuantity }): BlockscoutHolder => ({
      address,
      value: TokenHolderQuantity,
    }),
  )
  return { ...found, value }
})

/** What the contract that wraps the currency costs: the first that has a price. */
export const nativePrice = Effect.fnUntraced(function* (chainId: ChainId) {
  const { chains } = yield* Networks
  const wrapped = nativePricedBy(chains.find((chain) => chain.chainId === chainId))
  for (const address of wrapped) {
    const { asOf, value } = yield* findTokens(chainId, address)
    const price = value.map(({ record }) => (record as Partial<Erc20Token>).price).find((it) => it !== undefined)
    if (price === undefined || asOf[0] === undefined) continue
    const answer: NativePrice = {
      ethusd: amountInUsd(1n, 0, BigInt(price)),
      ethusd_timestamp: String(asOf[0].time),
    }
    return { asOf, value: answer }
  }
  return yield* new FigureUnknown({ message: "no price of the native currency is known" })
})
