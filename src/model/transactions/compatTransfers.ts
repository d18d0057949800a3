/** Transfers as the compatibility endpoint lists them, with Etherscan's columns in Etherscan's order. Every scalar is a string. */
import { Schema } from "effect"

const decimal = (description: string) => Schema.String.annotateKey({ description })

const place = {
  blockNumber: Schema.String,
  timeStamp: decimal("The block's time, seconds since 1970"),
  hash: decimal("Of the transaction"),
  nonce: decimal("The sender's, of the transaction"),
  blockHash: Schema.String,
  from: Schema.String,
  contractAddress: Schema.String,
  to: Schema.String,
}
const texts = {
  tokenName: decimal("Empty = unknown"),
  tokenSymbol: decimal("Empty = unknown"),
}
const tokenDecimal = { tokenDecimal: decimal("0 also where they are unknown") }
const transaction = {
  transactionIndex: Schema.String,
  gas: decimal("The transaction's limit"),
  gasPrice: decimal("What was paid for a unit of gas, in the currency's smallest unit"),
  gasUsed: Schema.String,
  cumulativeGasUsed: Schema.String,
  input: Schema.Literal("deprecated"),
  methodId: decimal("The first four bytes of the call"),
  functionName: decimal("Of common functions; empty = another"),
  confirmations: decimal("Blocks from the transfer's to the one that the answer speaks of, both counted"),
}

export const CompatErc20Transfer = Schema.Struct({
  ...place,
  value: decimal("Raw subunits"),
  ...texts,
  ...tokenDecimal,
  ...transaction,
}).annotate({ identifier: "CompatErc20Transfer" })
export type CompatErc20Transfer = typeof CompatErc20Transfer.Type

export const CompatErc721Transfer = Schema.Struct({
  ...place,
  tokenID: Schema.String,
  ...texts,
  ...tokenDecimal,
  ...transaction,
}).annotate({ identifier: "CompatErc721Transfer" })
export type CompatErc721Transfer = typeof CompatErc721Transfer.Type

export const CompatErc1155Transfer = Schema.Struct({
  ...place,
  tokenID: Schema.String,
  tokenValue: decimal("How much of the id"),
  ...texts,
  ...transaction,
}).annotate({ identifier: "CompatErc1155Transfer" })
export type CompatErc1155Transfer = typeof CompatErc1155Transfer.Type

export interface CompatTransfers {
  readonly erc20: CompatErc20Transfer
  readonly erc721: CompatErc721Transfer
  readonly erc1155: CompatErc1155Transfer
}
