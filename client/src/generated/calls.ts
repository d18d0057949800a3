/** A method an operation, made by `bun run client:types` from the OpenAPI document. */
import type { Answer, CallOptions, List, Query } from "../shapes.ts"

/** What can be asked of a chain, or of all. */
export interface ChainCalls {
  /** What an address allows others to move, by contract */
  addressApprovals(address: string, query?: Query<"addressApprovals">, options?: CallOptions): List<"addressApprovals">
  /** What all that an address holds is worth, by chain and in all */
  addressPortfolio(address: string, query?: Query<"addressPortfolio">, options?: CallOptions): Promise<Answer<"addressPortfolio">>
  /** What the ERC-20 tokens of an address, and its native currency, were worth, through time */
  addressPortfolioHistory(address: string, query?: Query<"addressPortfolioHistory">, options?: CallOptions): List<"addressPortfolioHistory">
  /** What an address holds, of all standards, with what it is worth */
  addressTokens(address: string, query?: Query<"addressTokens">, options?: CallOptions): List<"addressTokens">
  /** Each block that touched what an address has of a token, with what it was worth then */
  addressTokensBalances(address: string, token: string, query?: Query<"addressTokensBalances">, options?: CallOptions): List<"addressTokensBalances">
  /** ERC-1155 token contracts */
  erc1155(query?: Query<"erc1155">, options?: CallOptions): List<"erc1155">
  /** Holders of an ERC-1155 contract, a row per address and id */
  erc1155Holders(address: string, query?: Query<"erc1155Holders">, options?: CallOptions): List<"erc1155Holders">
  /** One ERC-1155 contract: what the list says, and its first and last transfer */
  erc1155One(address: string, query?: Query<"erc1155One">, options?: CallOptions): Promise<Answer<"erc1155One">>
  /** ERC-1155 transfers, a row per id */
  erc1155Transfers(query?: Query<"erc1155Transfers">, options?: CallOptions): List<"erc1155Transfers">
  /** ERC-20 token contracts */
  erc20(query?: Query<"erc20">, options?: CallOptions): List<"erc20">
  /** Holders of an ERC-20 token, each with its fraction of the supply */
  erc20Holders(address: string, query?: Query<"erc20Holders">, options?: CallOptions): List<"erc20Holders">
  /** Whose balance changed between two blocks: who entered, who left, whose is another */
  erc20HoldersDiff(address: string, query?: Query<"erc20HoldersDiff">, options?: CallOptions): List<"erc20HoldersDiff">
  /** One ERC-20 contract: what the list says, and its first and last transfer */
  erc20One(address: string, query?: Query<"erc20One">, options?: CallOptions): Promise<Answer<"erc20One">>
  /** The prices that are kept of a token: at the beginnings of hours */
  erc20PriceHistory(address: string, query?: Query<"erc20PriceHistory">, options?: CallOptions): List<"erc20PriceHistory">
  /** Each block that minted or burnt, with the supply after it */
  erc20SupplyHistory(address: string, query?: Query<"erc20SupplyHistory">, options?: CallOptions): List<"erc20SupplyHistory">
  /** Swaps of ERC-20 tokens */
  erc20Swaps(query?: Query<"erc20Swaps">, options?: CallOptions): List<"erc20Swaps">
  /** ERC-20 transfers */
  erc20Transfers(query?: Query<"erc20Transfers">, options?: CallOptions): List<"erc20Transfers">
  /** ERC-721 token contracts */
  erc721(query?: Query<"erc721">, options?: CallOptions): List<"erc721">
  /** Owners of ids of an ERC-721 contract, each with how many */
  erc721Holders(address: string, query?: Query<"erc721Holders">, options?: CallOptions): List<"erc721Holders">
  /** One ERC-721 contract: what the list says, and its first and last transfer */
  erc721One(address: string, query?: Query<"erc721One">, options?: CallOptions): Promise<Answer<"erc721One">>
  /** Live ids of an ERC-721 contract */
  erc721Tokens(address: string, query?: Query<"erc721Tokens">, options?: CallOptions): List<"erc721Tokens">
  /** ERC-721 transfers, a row per id */
  erc721Transfers(query?: Query<"erc721Transfers">, options?: CallOptions): List<"erc721Transfers">
  /** Total and circulating supply of a chain's native currency, in whole units */
  supply(query?: Query<"supply">, options?: CallOptions): Promise<Answer<"supply">>
  /** What up to 50 addresses hold, as one list */
  tokensOf(query: Query<"tokensOf">, options?: CallOptions): List<"tokensOf">
  /** Trusted ERC-20 tokens: those on a configured token list */
  topErc20(query?: Query<"topErc20">, options?: CallOptions): List<"topErc20">
}

/** What can be asked of the service itself. */
export interface ServiceCalls {
  /** How true each token's figures are: what comparing them with the contract itself at the same block has shown */
  statusAudit(query?: Query<"statusAudit">, options?: CallOptions): List<"statusAudit">
}
