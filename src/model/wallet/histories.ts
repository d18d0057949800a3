/** Balances, supplies, prices and portfolios through time, as the API shows them. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId, DateTimeString, Hash } from "../primitives.ts"
import { standards } from "../token.ts"

const timestamp = Schema.optionalKey(DateTimeString).annotateKey({
  description: "The block's time; absent = neither the ledger nor the node tells it",
})
const transactions = Schema.Array(Hash).annotateKey({
  description: "Those whose logs touched it in that block, in their order",
})
const price = Schema.optionalKey(BigIntString).annotateKey({
  description: "US dollars with 18 decimals of one whole token, in that hour; absent = no price is known",
})
const valueUsd = Schema.optionalKey(Schema.String).annotateKey({
  description: "US dollars, a plain decimal, at that price; absent = no price, no decimals or no balance is known",
})

export const BalanceChange = Schema.Struct({
  chainId: ChainId,
  address: Address,
  tokenAddress: Address,
  standard: Schema.Literals(standards),
  tokenId: Schema.optionalKey(BigIntString).annotateKey({ description: "Where an id of an ERC-1155 is asked about" }),
  blockNumber: Schema.Finite,
  timestamp,
  balance: Schema.optionalKey(BigIntString).annotateKey({
    description:
      "After the block: raw subunits, ids of an ERC-721, the sum over ids of an ERC-1155; absent = the token is older than the ledger, or may be and this would be below zero",
  }),
  change: BigIntString.annotateKey({
    description:
      "By what the block changed it, as events told; 0 where it came and went. Where they made it less than nothing, which is answered as 0, it is not the difference of two balances",
  }),
  transactions,
  price,
  valueUsd,
}).annotate({ identifier: "BalanceChange" })
export type BalanceChange = typeof BalanceChange.Type

export const SupplyChange = Schema.Struct({
  chainId: ChainId,
  tokenAddress: Address,
  blockNumber: Schema.Finite,
  timestamp,
  totalSupply: Schema.optionalKey(BigIntString).annotateKey({
    description:
      "After the block: raw subunits; absent = the token is older than the ledger, or may be and this would be nothing or less",
  }),
  change: BigIntString.annotateKey({
    description: "By what the block changed it, as events told; 0 where as much was minted as burnt",
  }),
  transactions,
}).annotate({ identifier: "SupplyChange" })
export type SupplyChange = typeof SupplyChange.Type

export const PricePoint = Schema.Struct({
  chainId: ChainId,
  tokenAddress: Address,
  timestamp: DateTimeString.annotateKey({
    description:
      "The hour at whose beginning it was the price; 1970 = of all hours before its next point, of a stablecoin",
  }),
  price: BigIntString.annotateKey({ description: "US dollars with 18 decimals of one whole token" }),
  validTo: Schema.optionalKey(DateTimeString).annotateKey({
    description: "The end of the last hour that it speaks for, where no newer one is; absent = until a newer one",
  }),
}).annotate({ identifier: "PricePoint" })
export type PricePoint = typeof PricePoint.Type

export const holderChanges = ["entered", "left", "changed"] as const

export const HolderChange = Schema.Struct({
  chainId: ChainId,
  address: Address,
  kind: Schema.Literals(holderChanges).annotateKey({
    description: "`entered`: held nothing before; `left`: holds nothing after",
  }),
  balanceBefore: BigIntString.annotateKey({ description: "After the first block, raw subunits" }),
  balanceAfter: BigIntString.annotateKey({ description: "After the last block" }),
  change: BigIntString.annotateKey({
    description:
      "What events told. Where they made a balance less than nothing, which is answered as 0, it is not the difference of the two. The sum over all rows is the change of what events told of the supply",
  }),
}).annotate({ identifier: "HolderChange" })
export type HolderChange = typeof HolderChange.Type

export const PortfolioPoint = Schema.Struct({
  chainId: Schema.optionalKey(ChainId).annotateKey({ description: "Absent = the sum over several" }),
  timestamp: Schema.optionalKey(DateTimeString).annotateKey({
    description: "The beginning of the hour or day; with `interval=block` the block's time",
  }),
  blockNumber: Schema.optionalKey(Schema.Finite).annotateKey({
    description:
      "The block after which balances are those: the last by then; absent = of several chains, of each its own",
  }),
  chains: Schema.optionalKey(Schema.Finite).annotateKey({ description: "Of several: how many are in the sum" }),
  valueUsd: Schema.optionalKey(Schema.String).annotateKey({
    description: "US dollars: the sum of what is priced; absent = tokens are held, and none has a value",
  }),
  tokens: Schema.Finite.annotateKey({
    description: "ERC-20 tokens that are held, and the native currencies that are, or of which no node tells",
  }),
  priced: Schema.Finite.annotateKey({ description: "Of these, how many have a value" }),
  unpriced: Schema.Finite.annotateKey({ description: "And how many have none" }),
  source: Schema.optionalKey(Schema.Literals(["node", "ledger"])).annotateKey({
    description:
      "Where the native currency is asked: `node` = the node told its balance after the very block; `ledger` = it did not, so it is not in the sum, and counts as one without a value",
  }),
  suspect: Schema.optionalKey(Schema.Finite).annotateKey({
    description:
      "How many of the `tokens` have a figure of the ledger that is in doubt: the audit has them in `drift` then, or in `rebasing`, or they may be older than the ledger; absent = none",
  }),
}).annotate({ identifier: "PortfolioPoint" })
export type PortfolioPoint = typeof PortfolioPoint.Type

/** A place in a history: a block. */
export interface BlockKey {
  readonly blockNumber: number
}

/** A place in a portfolio's history: a time (seconds) and its block. */
export interface PointKey extends BlockKey {
  readonly time: number
}
