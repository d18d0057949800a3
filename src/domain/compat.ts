/** What the compatibility actions answer, from the same services as the native endpoints. */
import { Effect } from "effect"
import type { Window } from "../ports/HolderStore.ts"
import { listErc20HolderWindow, listErc20Holdings } from "./holders.ts"
import type { AddressErc20Holding, TokenHolderEntry, TokenInfoEntry } from "./model/compat.ts"
import type { Holding } from "./model/holder.ts"
import type { Snapshot } from "./model/page.ts"
import type { Address, ChainId } from "./model/primitives.ts"
import type { Erc20Token } from "./model/token.ts"
import { findErc20Token } from "./tokens.ts"

export const tokenHolderList = Effect.fn("tokenHolderList")(function* (
  chainId: ChainId,
  token: Address,
  window: Window,
) {
  const { asOf, value } = yield* listErc20HolderWindow(chainId, token, window)
  const entries = value.map(
    ({ address, balance }): TokenHolderEntry => ({ TokenHolderAddress: address, TokenHolderQuantity: balance }),
  )
  return { asOf, value: entries }
})

/** One entry per standard the contract emits; none for an unknown contract. */
export const tokenInfo = Effect.fn("tokenInfo")(function* (chainId: ChainId, token: Address) {
  const { asOf, value } = yield* findErc20Token(chainId, token)
  return { asOf, value: value === undefined ? [] : [tokenInfoEntry(value)] }
})

export const addressTokenBalance = Effect.fn("addressTokenBalance")(function* (
  chainId: ChainId,
  holder: Address,
  window: Window,
) {
  const { asOf, value } = yield* listErc20Holdings(chainId, holder, window)
  const holdings: Snapshot<ReadonlyArray<AddressErc20Holding>> = { asOf, value: value.map(addressErc20Holding) }
  return holdings
})

const addressErc20Holding = (holding: Holding): AddressErc20Holding => ({
  TokenAddress: holding.tokenAddress,
  TokenName: holding.name ?? "",
  TokenSymbol: holding.symbol ?? "",
  TokenQuantity: holding.balance,
  TokenDivisor: String(holding.decimals ?? 0),
})

const tokenInfoEntry = (token: Erc20Token): TokenInfoEntry => ({
  contractAddress: token.address,
  tokenType: "ERC20",
  tokenName: token.name ?? "",
  symbol: token.symbol ?? "",
  totalSupply: token.totalSupply ?? "",
  blueCheckmark: "false",
  description: "",
  website: "",
  email: "",
  blog: "",
  reddit: "",
  slack: "",
  facebook: "",
  twitter: "",
  bitcointalk: "",
  github: "",
  telegram: "",
  wechat: "",
  linkedin: "",
  discord: "",
  whitepaperUrl: "",
  audit: "",
})
