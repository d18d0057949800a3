/** What the compatibility actions answer, from the same services as the native endpoints. */
import { Effect } from "effect"
import type {
  AddressErc20Holding,
  AddressErc721Holding,
  Erc721InventoryEntry,
  TokenHolderEntry,
  TokenInfoEntry,
} from "../../model/compat.ts"
import type { Holding } from "../../model/holder.ts"
import type { Snapshot } from "../../model/page.ts"
import type { TokenOfStandard } from "../../model/token.ts"
import { type CommonWord, commonWords } from "../../model/tokenNote.ts"
import type { InventoryQuery } from "../../ports/NftStore.ts"
import { type HolderWindowQuery, listHolderWindow } from "./holders.ts"
import { listInventory } from "./nfts.ts"

export const tokenHolderList = Effect.fnUntraced(function* (query: HolderWindowQuery) {
  const { asOf, value } = yield* listHolderWindow(query)
  const entries = value.map(
    ({ address, balance }): TokenHolderEntry => ({ TokenHolderAddress: address, TokenHolderQuantity: balance }),
  )
  return { asOf, value: entries }
})

/** The ids of a contract that an address owns. */
export const addressTokenNftInventory = Effect.fnUntraced(function* (query: InventoryQuery) {
  const { asOf, value } = yield* listInventory(query)
  const entries: Snapshot<ReadonlyArray<Erc721InventoryEntry>> = {
    asOf,
    value: value.map((tokenId) => ({ TokenAddress: query.token, TokenId: tokenId })),
  }
  return entries
})

/** An ERC-721 contract of which an address owns ids. */
export const addressErc721Holding = (holding: Holding): AddressErc721Holding => ({
  TokenAddress: holding.tokenAddress,
  TokenQuantity: holding.balance,
  TokenName: holding.name ?? "",
  TokenSymbol: holding.symbol ?? "",
})

/** An ERC-20 token that an address holds. */
export const addressErc20Holding = (holding: Holding): AddressErc20Holding => ({
  TokenAddress: holding.tokenAddress,
  TokenName: holding.name ?? "",
  TokenSymbol: holding.symbol ?? "",
  TokenQuantity: holding.balance,
  TokenDivisor: String(holding.decimals ?? 0),
})

/** What a contract is as one standard. */
export const tokenInfoEntry = ({ standard, record, supply, note }: TokenOfStandard): TokenInfoEntry => ({
  contractAddress: record.address,
  tokenType: standard.toUpperCase(),
  tokenName: record.name ?? "",
  symbol: record.symbol ?? "",
  totalSupply: supply ?? "",
  blueCheckmark: String(note?.trusted ?? false),
  ...(Object.fromEntries(commonWords.map((word) => [word, note?.texts[word] ?? ""])) as Record<CommonWord, string>),
})
