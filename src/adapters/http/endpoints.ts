/** The endpoint table, in the order of the contract: what comes later is a new row. */
import { chainLists } from "./compat/chainList.ts"
import { compat } from "./compat/endpoint.ts"
import type { Endpoint } from "./contract/endpoint.ts"
import { health, ready } from "./health/health.ts"
import { approvals } from "./native/approvals.ts"
import { audits } from "./native/audits.ts"
import { erc20Swaps } from "./native/erc20Swaps.ts"
import { erc721Tokens } from "./native/erc721Tokens.ts"
import { erc20Holders, erc721Holders, erc1155Holders } from "./native/holders.ts"
import { oneErc20, oneErc721, oneErc1155 } from "./native/single/oneToken.ts"
import { supply } from "./native/supply.ts"
import { erc20, erc721, erc1155 } from "./native/tokens.ts"
import { topErc20 } from "./native/topErc20.ts"
import { erc20Transfers, erc721Transfers, erc1155Transfers } from "./native/transfers.ts"
import { balanceHistory, holdersDiff, priceHistory, supplyHistory } from "./native/wallet/histories.ts"
import { portfolio } from "./native/wallet/portfolio.ts"
import { portfolioHistory } from "./native/wallet/portfolioHistory.ts"
import { addressTokens, tokensOf } from "./native/wallet/tokens.ts"

export const endpoints: ReadonlyArray<Endpoint> = [
  erc1155,
  erc1155Transfers,
  erc1155Holders,
  erc20,
  erc20Swaps,
  erc20Transfers,
  erc20Holders,
  holdersDiff,
  supplyHistory,
  priceHistory,
  erc721,
  erc721Transfers,
  erc721Holders,
  erc721Tokens,
  approvals,
  addressTokens,
  tokensOf,
  portfolio,
  portfolioHistory,
  balanceHistory,
  supply,
  topErc20,
  ...compat,
  ...chainLists,
  audits,
  oneErc20,
  oneErc721,
  oneErc1155,
  health,
  ready,
]
