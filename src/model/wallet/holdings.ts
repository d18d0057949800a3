/** What addresses hold, as the API shows it, and a row's place in such a list. */
import { Schema } from "effect"
import { AuditState } from "../audit.ts"
import { Address, BigIntString, ChainId, DateTimeString, Hash } from "../primitives.ts"
import { type Standard, standards } from "../token.ts"

/** What may be held: of every standard, and what gas is paid in. In the order of rows that tie. */
export const heldStandards = ["native", ...standards] as const
export type HeldStandard = (typeof heldStandards)[number]

export const WalletToken = Schema.Struct({
  chainId: ChainId,
  address: Address.annotateKey({ description: "Who holds it" }),
  standard: Schema.Literals(heldStandards),
  tokenAddress: Schema.optionalKey(Address).annotateKey({ description: "Absent = the native currency" }),
  tokenId: Schema.optionalKey(BigIntString).annotateKey({
    description: "Of an ERC-1155, and with `detail=ids` of an ERC-721",
  }),
  name: Schema.optionalKey(Schema.String).annotateKey({ description: "Absent = unknown" }),
  symbol: Schema.optionalKey(Schema.String).annotateKey({ description: "Absent = unknown" }),
  decimals: Schema.optionalKey(Schema.Finite).annotateKey({ description: "0 to 255; absent = unknown, or none" }),
  logoUri: Schema.optionalKey(Schema.String).annotateKey({ description: "As a token list has it" }),
  balance: Schema.optionalKey(BigIntString).annotateKey({
    description:
      "Raw subunits; ids of an ERC-721 collection; absent = of the native currency, where the node does not tell it",
  }),
  price: Schema.optionalKey(BigIntString).annotateKey({
    description: "US dollars with 18 decimals, of one whole token, then; absent = no price is known",
  }),
  valueUsd: Schema.optionalKey(Schema.String).annotateKey({
    description: "US dollars, a plain decimal; absent = no price or no decimals are known, which is not 0",
  }),
  blueCheckmark: Schema.Boolean.annotateKey({ description: "Stands on a configured token list" }),
  changedBlockNumber: Schema.optionalKey(Schema.Finite).annotateKey({
    description: "The last block that touched the balance; absent = the native currency",
  }),
  auditState: Schema.optionalKey(AuditState),
  source: Schema.optionalKey(Schema.Literals(["node", "ledger"])).annotateKey({
    description:
      "Of the native currency, and of a token in doubt: `node` = the balance is the node's word at the as-of block; `ledger` = it did not tell",
  }),
}).annotate({ identifier: "WalletToken" })
export type WalletToken = typeof WalletToken.Type

/** Where a walk as of a block stands in one chain: the block, the hour of its prices, and the rollbacks that the ledger had seen. */
export interface ChainPin {
  readonly chainId: ChainId
  readonly blockNumber: number
  readonly hour: number
  readonly rollbacks: number
}

/**
 * A row's place. `value`: the field that the list is sorted by; null = it has none, and comes last. Ties go by chain id as a
 * number, holder, standard, contract, id as a number.
 */
export interface HeldKey {
  readonly value: BigIntString | null
  readonly chainId: ChainId
  readonly address: Address
  readonly standard: HeldStandard
  /** The native currency has none, and stands before all. */
  readonly tokenAddress: Address | null
  readonly tokenId: BigIntString | null
  /** Of a walk as of a block: of each chain of the list. */
  readonly pins?: ReadonlyArray<ChainPin>
}

/** What is held of a token, as a store tells it. */
export interface StoredHolding {
  readonly chainId: ChainId
  readonly address: Address
  readonly standard: Standard
  readonly tokenAddress: Address
  readonly tokenId?: BigIntString
  readonly name?: string
  readonly symbol?: string
  readonly decimals?: number
  readonly logoUri?: string
  readonly balance: BigIntString
  /** US dollars with 18 decimals. */
  readonly price?: BigIntString
  /** Of the balance, in the same unit, rounded half up. */
  readonly value?: BigIntString
  readonly trusted: boolean
  readonly changedBlock: number
  readonly auditState: typeof AuditState.Type
  /** In drift or rebasing then, or partial: the ledger's figure is in doubt. */
  readonly suspect?: true
  /** Its `balanceOf` is no word of this figure: the contract emits what is ERC-20 and ERC-721, or counts amounts in place of ids. */
  readonly mixed?: true
}

const suspect = Schema.optionalKey(Schema.Finite).annotateKey({
  description:
    "How many of the `tokens` have the ledger's figure, not their contract's, though it is in doubt: the audit has them in `drift` or `rebasing`, or they may be older than the ledger; absent = none",
})

/** The chains' part of a portfolio. */
export const ChainPortfolio = Schema.Struct({
  chainId: ChainId,
  valueUsd: Schema.optionalKey(Schema.String).annotateKey({
    description: "Sum of the rows' `valueUsd`, to the last digit; absent = tokens are held, and none has a value",
  }),
  tokens: Schema.Finite.annotateKey({ description: "Rows that `…/tokens` has with the same parameters" }),
  priced: Schema.Finite.annotateKey({ description: "Of these, how many have a value" }),
  unpriced: Schema.Finite.annotateKey({ description: "And how many have none" }),
  blockNumber: Schema.Finite.annotateKey({ description: "The block after which it is so" }),
  blockHash: Schema.optionalKey(Hash).annotateKey({
    description: "Its hash; absent of an older block that no reorg replaces any more",
  }),
  timestamp: Schema.optionalKey(DateTimeString).annotateKey({
    description: "Its time; absent where the ledger does not know it: of a block without a transfer",
  }),
  source: Schema.optionalKey(Schema.Literals(["node", "ledger"])).annotateKey({
    description: "Where the native currency or tokens in doubt are among them: `node` = the node told all of those",
  }),
  suspect,
  firstBlockNumber: Schema.optionalKey(Schema.Finite).annotateKey({
    description:
      "The first block that the ledger has, where that is above 0: a holding that no event touched since then is not counted",
  }),
}).annotate({ identifier: "ChainPortfolio" })
export type ChainPortfolio = typeof ChainPortfolio.Type

export const Portfolio = Schema.Struct({
  address: Address,
  valueUsd: Schema.optionalKey(Schema.String).annotateKey({
    description: "Sum over the chains; absent = tokens are held, and none has a value",
  }),
  tokens: Schema.Finite,
  priced: Schema.Finite,
  unpriced: Schema.Finite,
  suspect,
  chains: Schema.Array(ChainPortfolio).annotateKey({ description: "Ascending by chain id" }),
}).annotate({ identifier: "Portfolio" })
export type Portfolio = typeof Portfolio.Type
