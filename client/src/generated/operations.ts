/** What the service can be asked, made by `bun run client:types` from its OpenAPI document. */

export const operations = {
  addressApprovals: {"path":"/v2/network/{networkId}/evm/{chainId}/address/{address}/approvals","kind":"list","streamed":true,"integers":["tokenId","amount","approvedAmount"]},
  addressPortfolio: {"path":"/v2/network/{networkId}/evm/{chainId}/address/{address}/portfolio","kind":"record","streamed":true,"integers":[]},
  addressPortfolioHistory: {"path":"/v2/network/{networkId}/evm/{chainId}/address/{address}/portfolio/history","kind":"list","streamed":true,"integers":[]},
  addressTokens: {"path":"/v2/network/{networkId}/evm/{chainId}/address/{address}/tokens","kind":"list","streamed":true,"integers":["tokenId","balance","price"]},
  addressTokensBalances: {"path":"/v2/network/{networkId}/evm/{chainId}/address/{address}/tokens/{token}/balances","kind":"list","streamed":true,"integers":["tokenId","balance","change","price"]},
  erc1155: {"path":"/v2/network/{networkId}/evm/{chainId}/erc1155","kind":"list","streamed":true,"integers":[]},
  erc1155Holders: {"path":"/v2/network/{networkId}/evm/{chainId}/erc1155/{address}/holders","kind":"list","streamed":true,"integers":["tokenId","balance"]},
  erc1155One: {"path":"/v2/network/{networkId}/evm/{chainId}/erc1155/{address}","kind":"record","streamed":false,"integers":[]},
  erc1155Transfers: {"path":"/v2/network/{networkId}/evm/{chainId}/erc1155-transfers","kind":"list","streamed":true,"integers":["tokenId","amount"]},
  erc20: {"path":"/v2/network/{networkId}/evm/{chainId}/erc20","kind":"list","streamed":true,"integers":["totalSupply","price","marketCap"]},
  erc20Holders: {"path":"/v2/network/{networkId}/evm/{chainId}/erc20/{address}/holders","kind":"list","streamed":true,"integers":["balance"]},
  erc20HoldersDiff: {"path":"/v2/network/{networkId}/evm/{chainId}/erc20/{address}/holders/diff","kind":"list","streamed":true,"integers":["balanceBefore","balanceAfter","change"]},
  erc20One: {"path":"/v2/network/{networkId}/evm/{chainId}/erc20/{address}","kind":"record","streamed":false,"integers":["totalSupply","price","marketCap"]},
  erc20PriceHistory: {"path":"/v2/network/{networkId}/evm/{chainId}/erc20/{address}/price/history","kind":"list","streamed":true,"integers":["price"]},
  erc20SupplyHistory: {"path":"/v2/network/{networkId}/evm/{chainId}/erc20/{address}/supply/history","kind":"list","streamed":true,"integers":["totalSupply","change"]},
  erc20Swaps: {"path":"/v2/network/{networkId}/evm/{chainId}/erc20-swaps","kind":"list","streamed":true,"integers":["tokenInQty","tokenOutQty"]},
  erc20Transfers: {"path":"/v2/network/{networkId}/evm/{chainId}/erc20-transfers","kind":"list","streamed":true,"integers":["amount"]},
  erc721: {"path":"/v2/network/{networkId}/evm/{chainId}/erc721","kind":"list","streamed":true,"integers":[]},
  erc721Holders: {"path":"/v2/network/{networkId}/evm/{chainId}/erc721/{address}/holders","kind":"list","streamed":true,"integers":["balance"]},
  erc721One: {"path":"/v2/network/{networkId}/evm/{chainId}/erc721/{address}","kind":"record","streamed":false,"integers":[]},
  erc721Tokens: {"path":"/v2/network/{networkId}/evm/{chainId}/erc721/{address}/tokens","kind":"list","streamed":true,"integers":["tokenId"]},
  erc721Transfers: {"path":"/v2/network/{networkId}/evm/{chainId}/erc721-transfers","kind":"list","streamed":true,"integers":["tokenId"]},
  statusAudit: {"path":"/v2/status/audit","kind":"list","streamed":false,"integers":[]},
  supply: {"path":"/v2/network/{networkId}/evm/{chainId}/supply","kind":"record","streamed":false,"integers":[]},
  tokensOf: {"path":"/v2/network/{networkId}/evm/{chainId}/tokens-of","kind":"list","streamed":true,"integers":["tokenId","balance","price"]},
  topErc20: {"path":"/v2/network/{networkId}/evm/{chainId}/top-erc20","kind":"list","streamed":true,"integers":["totalSupply","price","marketCap"]},
} as const

/** Words that the service's refusals have as their code. */
export type ServiceCode =
  | "APPROVALS_NOT_KEPT"
  | "BEHIND_MIN_BLOCK"
  | "CHAIN_NOT_SUPPORTED"
  | "CHAIN_SYNCING"
  | "EVENTS_GONE"
  | "HISTORY_NOT_AVAILABLE"
  | "INTERNAL"
  | "INVALID_CURSOR"
  | "INVALID_PARAMETER"
  | "METHOD_NOT_ALLOWED"
  | "NOT_FOUND"
  | "RATE_LIMITED"
  | "SUPPLY_NOT_CONFIGURED"
  | "TIMEOUT"
  | "TOKEN_NOT_FOUND"
  | "UNAUTHORIZED"
  | "UNAVAILABLE"
